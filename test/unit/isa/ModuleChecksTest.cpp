//===- ModuleChecksTest.cpp - The structure of modules --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "catch.h"
#include "kiln/isa/checks.h"

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

std::string codeOf(const Module &module) {
  std::optional<Diagnostic> error = checkModule(module);
  INFO((error ? error->str() : "accepted"));
  return error ? error->code : "";
}

/// A module whose sync stream holds these lines.
Module withSync(const std::vector<std::string> &lines) {
  Module module = emptyModule();
  for (const std::string &text : lines)
    module.streams[static_cast<std::size_t>(Engine::sync)].push_back(
        line(text, module));
  return module;
}

} // namespace

TEST_CASE("the samples are good") {
  CHECK(codeOf(Module{}) == "");
  CHECK(codeOf(exampleModule()) == "");
  for (Generation generation : {Generation::v3, Generation::v4})
    CHECK(codeOf(exampleModule(generation)) == "");
  CHECK(checkModule(exampleModule(), trn2)->code == "KILN-I001");
}

TEST_CASE("loops close and keep their counters") {
  std::string open = "loop r1 = 0 to 4 step 1", inner = "loop r2 = 0 to r1 "
                                                        "step 1";
  CHECK(codeOf(withSync({open, inner, "end_loop", "end_loop"})) == "");
  CHECK(codeOf(withSync({open, inner, "end_loop"})) == "KILN-I033");
  CHECK(codeOf(withSync({open, "end_loop", "end_loop"})) == "KILN-I033");
  CHECK(codeOf(withSync({open, open, "end_loop", "end_loop"})) == "KILN-I029");
  CHECK(codeOf(withSync({open, "end_loop", open, "end_loop"})) == "");
  for (const char *writer :
       {"register_move dst=r1, src=0", "register_alu dst=r1, op=add, a=r1, b=1",
        "register_wrap dst=r1, step=1, end=4, begin=0",
        "register_load dst=r1, src=hbm[table: i32]"}) {
    CHECK(codeOf(withSync({open, writer, "end_loop"})) == "KILN-I029");
    CHECK(codeOf(withSync({open, "end_loop", writer})) == "");
  }
}

TEST_CASE("bodies nest, and each has its end") {
  const std::string loop = "loop r1 = 0 to 4 step 1", again = "while r2",
                    branch = "if r3";
  using Lines = std::vector<std::string>;
  for (const Lines &good :
       {Lines{again, "end_loop"}, Lines{branch, "end_if"},
        Lines{branch, "else", "end_if"},
        Lines{loop, branch, again, "end_loop", "else", "end_if", "end_loop"},
        Lines{branch, branch, "else", "end_if", "else", "end_if"}})
    CHECK(codeOf(withSync(good)) == "");
  for (const Lines &bad :
       {Lines{again}, Lines{branch}, Lines{branch, "else"}, Lines{"else"},
        Lines{"end_if"}, Lines{loop, "end_if"}, Lines{branch, "end_loop"},
        Lines{again, "else", "end_loop"},
        Lines{branch, "else", "else", "end_if"},
        Lines{branch, "else", "end_loop"},
        Lines{loop, branch, "end_loop", "end_if"}})
    CHECK(codeOf(withSync(bad)) == "KILN-I033");
  CHECK(checkModule(withSync({loop, branch, "end_loop", "end_if"}))
            ->text.find("that of if, which end_if closes") !=
        std::string::npos);
  // A body may set what its while tests, but not a counter further out.
  CHECK(codeOf(withSync({again, "register_move dst=r2, src=0", "end_loop"})) ==
        "");
  CHECK(codeOf(withSync({loop, branch, "register_move dst=r1, src=0", "end_if",
                         "end_loop"})) == "KILN-I029");
}

TEST_CASE("one stream feeds a queue") {
  std::string copy =
      "dma_copy dst=sbuf[p0:4, 0: bf16 8x1], src=hbm[x: bf16 32x1], queue=";
  Module module = withSync({copy + "3", copy + "3", copy + "4"});
  auto &scalar = module.streams[static_cast<std::size_t>(Engine::scalar)];
  scalar.push_back(line(copy + "5", module));
  CHECK(codeOf(module) == "");
  scalar.push_back(line("dma_transpose dst=sbuf[p0:4, 0: bf16 8x1], "
                        "src=hbm[x: bf16 8x4, 4x1], queue=3",
                        module));
  CHECK(codeOf(module) == "KILN-I028");
  CHECK(checkModule(module)->text.find("scalar stream and the sync stream") !=
        std::string::npos);
}

TEST_CASE("tensors fit the HBM stack of a core") {
  Module module = emptyModule();
  std::int64_t left = std::int64_t{target(module.generation).hbm_stack_gib}
                      << 30;
  for (const Tensor &tensor : module.tensors)
    left -= static_cast<std::int64_t>(tensor.elements() *
                                      sizeInBytes(tensor.dtype));
  module.tensors.push_back({"z", DType::u8, TensorKind::internal, {left}, {}});
  CHECK(codeOf(module) == "");
  ++module.tensors.back().shape[0];
  CHECK(codeOf(module) == "KILN-I086");
  CHECK(checkModule(module)->text.find("the largest, z, takes") !=
        std::string::npos);
  module.facts["target.changes"] = "hbm_stack_gib = 64";
  CHECK(codeOf(module) == "");
}

TEST_CASE("tensors") {
  auto with = [](const Tensor &tensor) {
    Module module = emptyModule();
    module.tensors.push_back(tensor);
    return codeOf(module);
  };
  CHECK(with({"z", DType::u8, TensorKind::input, {1}, {}}) == "");
  CHECK(with({"z", DType::u8, TensorKind::input, {0}, {}}) == "KILN-I035");
  CHECK(with({"z", DType::u8, TensorKind::input, {-1}, {}}) == "KILN-I035");
  CHECK(with({"x", DType::u8, TensorKind::input, {1}, {}}) == "KILN-I035");
  CHECK(with({"", DType::u8, TensorKind::input, {1}, {}}) == "KILN-I035");
  std::int64_t most = std::int64_t{1} << 40;
  CHECK(with({"z", DType::u8, TensorKind::input, {most}, {}}) == "KILN-I086");
  CHECK(with({"z", DType::bf16, TensorKind::input, {most}, {}}) == "KILN-I035");
  CHECK(with({"z", DType::u8, TensorKind::input, {most, most}, {}}) ==
        "KILN-I035");
  CHECK(with({"z", DType::u8, TensorKind::constant, {2}, {1, 2}}) == "");
  CHECK(with({"z", DType::u8, TensorKind::constant, {2}, {1}}) == "KILN-I035");
  CHECK(with({"z", DType::u8, TensorKind::input, {2}, {1, 2}}) == "KILN-I035");
  CHECK(with({"z", DType{numDTypes}, TensorKind::input, {2}, {}}) ==
        "KILN-I035");
  CHECK(with({"z",
              DType::u8,
              TensorKind::input,
              std::vector<std::int64_t>(16, 1),
              {}}) == "");
  CHECK(with({"z",
              DType::u8,
              TensorKind::input,
              std::vector<std::int64_t>(17, 1),
              {}}) == "KILN-I035");
}

TEST_CASE("location 0 is the unknown place") {
  Module module = emptyModule();
  module.locations[0].line = 1;
  CHECK(codeOf(module) == "KILN-I037");
  module.locations.clear();
  CHECK(codeOf(module) == "KILN-I037");
}

TEST_CASE("buffers exist and were declared somewhere") {
  Module module = withSync(
      {"dma_copy dst=sbuf[p0:4, 0x0: bf16 8x1], src=hbm[x: bf16 32x1]"});
  CHECK(codeOf(module) == "");
  Access &dst = std::get<DmaCopy>(module.streams[4].front().body).dst;
  dst.tensor = 2;
  CHECK(codeOf(module) == "");
  dst.tensor = 3;
  CHECK(codeOf(module) == "KILN-I034");
  dst.tensor = 0;
  const auto places = static_cast<std::uint32_t>(module.locations.size());
  module.buffers.back() = places - 1;
  CHECK(codeOf(module) == "");
  module.buffers.back() = places;
  CHECK(codeOf(module) == "KILN-I037");
  module.buffers = {};
  CHECK(codeOf(module) == "KILN-I037");
  module.buffers = {1};
  CHECK(codeOf(module) == "KILN-I037");
}
