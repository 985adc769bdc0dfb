//===- WarningsTest.cpp - Legal, but perhaps not meant
//------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

#include "kiln/isa/warnings.h"

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

/// The codes of the warnings about a stream with these lines.
std::string codesOf(Engine stream, const std::vector<std::string> &lines) {
  Module module = emptyModule(v4);
  module.buffers.resize(8); // %1 to %7
  for (const std::string &text : lines)
    module.streams[static_cast<std::size_t>(stream)].push_back(
        line(text, module));
  const std::optional<Diagnostic> error = checkModule(module);
  INFO((error ? error->str() : ""));
  REQUIRE_FALSE(error);
  std::string codes;
  for (const Diagnostic &warning : warnings(module, target(v4)))
    codes += (codes.empty() ? "" : " ") + warning.code;
  return codes;
}

std::string one(Engine stream, const std::string &text) {
  return codesOf(stream, {text});
}

} // namespace

TEST_CASE("integers of 32 bits that are computed in fp32") {
  const std::string sum = "tensor_tensor dst=sbuf[p0:4, 0x0: i32 8x1], "
                          "data1=sbuf[p0:4, 0x40: i32 8x1], data2=sbuf[p0:4, "
                          "0x80: i32 8x1], op=add";
  CHECK(one(V, sum) == "KILN-W101");
  CHECK(one(G, sum) == "");
  CHECK(one(V, replaced(sum, "op=add", "op=bitwise_and")) == "");
  CHECK(one(V, "tensor_scalar dst=sbuf[p0:4, 0x0: i32 8x1], data=sbuf[p0:4, "
               "0x40: u32 8x1], op0=add, operand0=1") == "KILN-W101");
  CHECK(one(V, "tensor_scalar dst=sbuf[p0:4, 0x0: i32 8x1], data=sbuf[p0:4, "
               "0x40: i16 8x1], op0=add, operand0=1") == "");
}

TEST_CASE("integers that a copy converts") {
  const std::string copy =
      "tensor_copy dst=sbuf[p0:4, 0x0: i32 8x1], src=sbuf[p0:4, 0x40: u32 8x1]";
  CHECK(one(V, copy) == "KILN-W102");
  CHECK(one(V, replaced(copy, "u32", "i32")) == "");
  CHECK(one(V, replaced(copy, "u32", "u16")) == ""); // All of it fits.
  CHECK(one(V, replaced(copy, "dst=sbuf[p0:4, 0x0: i32",
                        "dst=sbuf[p0:4, 0x0: "
                        "f32")) == "");
  CHECK(one(Y, "dma_copy dst=sbuf[p0:4, 0x0: u8 8x1], src=sbuf[p0:4, 0x40: i32 "
               "8x1], queue=0") == "KILN-W102");
}

TEST_CASE("integers of 0 and 1 that a copy converts") {
  const std::string copy = "tensor_copy dst=sbuf[p0:4, 0x0: u8 8x1], "
                           "src=sbuf[p0:4, 0x40: i32 8x1] ; #0 %2 %1";
  const std::string less =
      "tensor_tensor dst=sbuf[p0:4, 0x40: i32 8x1], data1=sbuf[p0:4, 0x80: i16 "
      "8x1], data2=sbuf[p0:4, 0xc0: i16 8x1], op=less ; #0 %1 %3 %3";
  CHECK(codesOf(V, {less, copy}) == "");
  CHECK(codesOf(V, {replaced(less, "op=less", "op=logical_or"), copy}) == "");
  CHECK(codesOf(V, {"tensor_scalar dst=sbuf[p0:4, 0x40: i32 8x1], "
                    "data=sbuf[p0:4, 0x80: f32 8x1], op0=add, operand0=1.0, "
                    "op1=equal, operand1=2.0 ; #0 %1 %3",
                    copy}) == "");
  // Numbers of another operator, in another buffer, in one without a number,
  // of another type, or beside those of the comparison.
  const std::string sum = replaced(less, "op=less", "op=add");
  CHECK(codesOf(V, {sum, copy}) == "KILN-W102");
  CHECK(codesOf(V, {less, copy, sum}) == "KILN-W102");
  CHECK(codesOf(V, {less, copy, replaced(sum, "%1", "%4")}) == "");
  CHECK(codesOf(V, {less, copy, replaced(sum, "%1", "%0")}) == "KILN-W102");
  CHECK(codesOf(V, {less, replaced(copy, "%1", "%0")}) == "KILN-W102");
  CHECK(codesOf(V, {replaced(less, "0x40: i32", "0x40: f32"), copy}) ==
        "KILN-W102");
  // Copies of them, around a circle, until another number gets in.
  const std::string there = "tensor_copy dst=sbuf[p0:4, 0x100: i32 8x1], "
                            "src=sbuf[p0:4, 0x40: i32 8x1] ; #0 %5 %1";
  const std::string back = "tensor_copy dst=sbuf[p0:4, 0x40: i32 8x1], "
                           "src=sbuf[p0:4, 0x100: i32 8x1] ; #0 %1 %5";
  CHECK(codesOf(V, {less, there, back, copy}) == "");
  CHECK(codesOf(V, {less, there, back, copy,
                    replaced(replaced(sum, "0x40", "0x100"), "%1", "%5")}) ==
        "KILN-W102");
  const std::string fromShort = "tensor_copy dst=sbuf[p0:4, 0x40: i32 8x1], "
                                "src=sbuf[p0:4, 0x80: u16 8x1] ; #0 %1 %3";
  CHECK(codesOf(V, {fromShort, copy}) == "");
  CHECK(codesOf(V, {replaced(fromShort, "u16", "f32"), copy}) == "KILN-W102");
}

TEST_CASE("transfers in short pieces, at the limit and below") {
  const auto copy = [](int columns) {
    const std::string n = std::to_string(columns);
    return "dma_copy dst=sbuf[p0:4, 0x0: bf16 " + n +
           "x1], src=hbm[x: bf16 4x2048, " + n + "x1], queue=0";
  };
  CHECK(one(Y, copy(256)) == "");
  CHECK(one(Y, copy(255)) == "KILN-W104");
  // All of it is short: nothing to win.
  CHECK(one(Y, "dma_copy dst=sbuf[p0:1, 0x0: bf16 8x1], src=hbm[x: bf16 8x1], "
               "queue=0") == "");
}

TEST_CASE("elements far apart, at the limit and beyond") {
  const auto read = [](const std::string &pattern) {
    return "reciprocal dst=sbuf[p0:4, 0x0: f32 8x1], data=sbuf[p0:4, 0x100: " +
           pattern + "]";
  };
  CHECK(one(V, read("f32 8x4")) == "");
  CHECK(one(V, read("f32 8x-4")) == "");
  CHECK(one(V, read("f32 8x5")) == "KILN-W104");
  CHECK(one(V, read("bf16 8x8")) == "");
  CHECK(one(V, read("bf16 8x9")) == "KILN-W104");
}

TEST_CASE("one number per partition where a tile stands") {
  const std::string sum = "tensor_tensor dst=sbuf[p0:4, 0x0: f32 8x1], "
                          "data1=sbuf[p0:4, 0x40: f32 8x1], data2=sbuf[p0:4, "
                          "0x80: f32 8x0], op=add";
  CHECK(one(V, sum) == "KILN-W105");
  CHECK(one(V, replaced(sum, "8x0", "2x1, 4x0")) == "");
}

TEST_CASE("a chain of the Vector registers that something idle breaks") {
  const std::string scan = "tensor_scalar_reduce dst=sbuf[p0:4, 0x0: f32 8x1], "
                           "data=sbuf[p0:4, 0x40: f32 8x1], op0=add, "
                           "operand0=1, reduce_op=add, reduce_cmd=";
  const std::string idle =
      "select_reduce dst=sbuf[p0:4, 0x80: f32 8x1], predicate=sbuf[p0:4, 0xc0: "
      "u8 8x1], on_true=sbuf[p0:4, 0x40: f32 8x1], on_false=0";
  CHECK(codesOf(V, {scan + "reset_reduce", scan + "reduce"}) == "");
  CHECK(codesOf(V, {scan + "reset_reduce", idle, scan + "reduce"}) ==
        "KILN-W106");
  CHECK(codesOf(V, {scan + "reset_reduce", idle, scan + "reset_reduce",
                    scan + "reduce"}) == "");
}

TEST_CASE("one place in the source is told once") {
  Module module = emptyModule(v4);
  Instruction slow = line("reciprocal dst=sbuf[p0:4, 0x0: f32 8x1], "
                          "data=sbuf[p0:4, 0x40: f32 8x8]",
                          module);
  slow.location = 1;
  module.streams[static_cast<std::size_t>(V)] = {slow, slow, slow};
  const auto told = warnings(module, target(v4));
  REQUIRE(told.size() == 1);
  CHECK(told[0].file == "flash.cpp");
  CHECK(told[0].line == 12);
}
