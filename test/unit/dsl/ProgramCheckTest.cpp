//===- ProgramCheckTest.cpp - What a Program may say ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedProgram.h"
#include "catch.h"
#include "kiln/program_check.h"

using namespace kiln;
using namespace kiln::program;
using namespace kiln::test;

TEST_CASE("malformed Programs are refused") {
  const auto check = [](const std::string &body,
                        const std::string &indices = "") {
    const ParseResult result = parseProgram(
        header + "argument input %0 : tensor f32 hbm [4, 8] \"x\"\n" + indices +
        "body {\n" + body + "}\n");
    if (!result)
      return result.error.code;
    const auto error = checkProgram(*result.program);
    return error ? error->code : std::string("none");
  };
  const std::string load = "%1 : tile f32 sbuf [4, 8] \"\" = load(%0)\n";
  CHECK(check(load) == "none");
  CHECK(check("%1 : tile f32 sbuf [4, 9] \"\" = load(%0)\n") == "KILN-P011");
  CHECK(check("%1 : tile f32 sbuf [4, 9] \"\" = load(%0[: 4*8, 9*1])\n") ==
        "KILN-P012");
  CHECK(check("%1 : tile f32 sbuf [4, 8] \"\" = load(%0[#0 : 4*8, 8*1])\n",
              "#0 = 1\n") == "KILN-P012");
  CHECK(check(load + "%2 : tile f32 sbuf [8, 8] \"\" = "
                     "copy(%1[row 2 : 8*1, 8*1])\n") == "KILN-P012");
  CHECK(check(load + "assign(%1, %1)\n") == "KILN-P010");
  // A view may show the bytes as elements of another type, a load may not.
  CHECK(check("%1 : tile bf16 sbuf [4, 16] \"\" = load(%0[: 4*16, 16*1 as "
              "bf16])\n") == "none");
  CHECK(check("%1 : tile bf16 sbuf [4, 8] \"\" = load(%0)\n") == "KILN-P010");
  CHECK(check("%1 : tile bf16 sbuf [4, 17] \"\" = load(%0[: 4*17, 16*1 as "
              "bf16])\n") == "KILN-P012");
  CHECK(check("%1 : tile u8 sbuf [4, 3] \"\" = load(%0[: 4*3, 32*1 as u8])\n"
              "%2 : tile f32 sbuf [4, 1] \"\" = copy(%1[: 4*1, 1*1 as "
              "f32])\n") == "KILN-P011");
  CHECK(check(load + "%2 : tile f32 sbuf [4, 4] \"\" = matmul(%1, %1) "
                     "transpose_a=0, transpose_b=0\n") == "KILN-P011");
  CHECK(check(load + "%2 : tile f32 sbuf [4, 4] \"\" = matmul(%1, %1) "
                     "transpose_a=0, transpose_b=1\n") == "none");
  CHECK(check(load + "%2 : tile f32 sbuf [4, 1] \"\" = reduce(%1)\n") ==
        "KILN-P010");
  // Only the results of quantize_mx have scales.
  const auto scalesOf = [&](const std::string &type) {
    return check("%1 : tile bf16 sbuf [128, 8] \"\" = fill() value=1.0\n"
                 "%2 : tile f8e8m0 sbuf [4, 8] \"\" = quantize(%1) "
                 "scales_of=\"" +
                 type + "\"\n");
  };
  CHECK(scalesOf("f8e5m2_x4") == "none");
  CHECK(scalesOf("f4e2m1fn_x4") == "KILN-P010");
  CHECK(scalesOf("f32") == "KILN-P010");
  CHECK(check("%1 : tile f32 sbuf [1, 1] \"\" = fill() value=1\n") ==
        "KILN-P010");
  CHECK(check("%1 : loop i32 sbuf [] \"\" = loop() begin=#0, end=#1, "
              "step=1 {}\n",
              "#0 = 0\n#1 = %1\n") == "KILN-P010");
}

TEST_CASE("a call is what the record of its instruction says") {
  const auto check = [](const std::string &call) {
    const auto error = checkProgram(parsed(
        header + "argument input %0 : tensor f32 hbm [4, 8] \"x\"\nbody {\n" +
        "%1 : buffer f32 sbuf [4, 8] \"\" = declare()\n" +
        "%2 : buffer f32 sbuf [4, 8] \"\" = declare()\n" + call + "\n}\n"));
    return error ? error->code + " " + error->text : std::string("none");
  };
  const std::string copy =
      "instruction(%1, %0) mnemonic=\"dma_copy\", operands=\"dst,src\"";
  CHECK(check(copy + ", queue=3, engine=\"sync\"") == "none");
  CHECK(check("instruction(%1, %0) mnemonic=\"dma_kopy\", "
              "operands=\"dst,src\"") ==
        "KILN-P110 no instruction is called 'dma_kopy'");
  CHECK(check("instruction() mnemonic=\"end_loop\", operands=\"\"") ==
        "KILN-P110 no instruction is called 'end_loop'");
  CHECK(check("instruction(%1) mnemonic=\"dma_copy\", operands=\"dst\"") ==
        "KILN-P111 'dma_copy' needs operand 'src'");
  CHECK(check("instruction(%1, %0) mnemonic=\"dma_copy\", "
              "operands=\"dst,data\"")
            .starts_with("KILN-P111 'dma_copy' has no operand 'data'; it "
                         "takes dst, src, "));
  // A field that is spelled wrong would otherwise have no effect.
  CHECK(check(copy + ", quueue=3")
            .starts_with("KILN-P111 'dma_copy' has no operand 'quueue'"));
  CHECK(check(copy + ", queue=3.0") ==
        "KILN-P111 operand 'queue' of 'dma_copy' must be an integer");
  CHECK(check(copy + ", dge_mode=1") ==
        "KILN-P111 operand 'dge_mode' of 'dma_copy' must be a quoted text");
  CHECK(check(copy + ", src=1") ==
        "KILN-P111 operand 'src' of 'dma_copy' must be a view");
  CHECK(check("instruction(%1, %0, %0) mnemonic=\"dma_copy\", "
              "operands=\"dst,src,src\"") ==
        "KILN-P111 'dma_copy' has two operands 'src'");
  CHECK(check("instruction(%1, %0, %2) mnemonic=\"dma_copy\", "
              "operands=\"dst,src,queue\"") ==
        "KILN-P111 operand 'queue' of 'dma_copy' must be an integer, not a "
        "view");

  // A number or a view, but not both.
  const std::string scalar = "mnemonic=\"tensor_scalar\", op0=\"add\", ";
  CHECK(check("instruction(%1, %2) " + scalar +
              "operands=\"dst,data\", operand0=1") == "none");
  CHECK(check("instruction(%1, %2, %2[: 4*1, 1*1]) " + scalar +
              "operands=\"dst,data,operand0\"") == "none");
  CHECK(check("instruction(%1, %2, %2[: 4*1, 1*1]) " + scalar +
              "operands=\"dst,data,operand0\", operand0=1.0") ==
        "KILN-P111 operand 'operand0' of 'tensor_scalar' is given twice");

  // The result of an instruction on tiles is its destination.
  const std::string tile = "%3 : tile f32 sbuf [4, 8] \"\" = ";
  CHECK(check(tile + "apply(%1) mnemonic=\"max8\", operands=\"src\"") ==
        "none");
  CHECK(check(tile + "apply(%1, %1) mnemonic=\"max8\", operands=\"dst,src\"") ==
        "KILN-P111 'max8' has no operand 'dst'; it takes src, engine");

  // So is the register of a control instruction.
  const std::string index = "%3 : index i32 sbuf [] \"\" = ";
  CHECK(check(index + "instruction() mnemonic=\"rank_id\", operands=\"\"") ==
        "none");
  CHECK(
      check(index + "instruction(%1) mnemonic=\"rank_id\", operands=\"dst\"") ==
      "KILN-P111 'rank_id' has no operand 'dst'; it takes engine");
  CHECK(check("instruction() mnemonic=\"while\", operands=\"\"") ==
        "KILN-P111 'while' needs operand 'condition'");
}

TEST_CASE("a register chooses elements of a tile that there are") {
  // Two columns of a tile of eight, at the last index.
  const auto check = [](const std::vector<std::string> &indices,
                        const char *dtype = "i32") {
    std::string text =
        header + "argument input %0 : tensor f32 hbm [4, 8] \"x\"\n" +
        "argument input %2 : tensor " + dtype + " hbm [1, 1] \"n\"\n";
    for (std::size_t i = 0; i < indices.size(); ++i)
      text += "#" + std::to_string(i) + " = " + indices[i] + "\n";
    const auto error = checkProgram(
        parsed(text +
               "body {\n%1 : tile f32 sbuf [4, 8] \"\" = load(%0)\n"
               "%3 : index i32 sbuf [] \"\" = instruction(%2) "
               "mnemonic=\"register_load\", operands=\"src\"\n"
               "%5 : loop i32 sbuf [] \"\" = loop() begin=#0, end=#4, "
               "step=1 {\n%4 : tile f32 sbuf [4, 2] \"\" = copy(%1[#" +
               std::to_string(indices.size() - 1) + " : 4*1, 2*1])\n}\n}\n"));
    return error ? error->code + " " + error->text : std::string("none");
  };
  const auto with = [](const char *last) {
    return std::vector<std::string>{"0",      "%3",         "#1 % 7",
                                    "#1 % 8", "min #1, #3", "%5",
                                    "#2 % 4", "#6 * 2",     last};
  };
  const auto reaches = [](const char *places) {
    return std::string("KILN-P012 a register chooses elements of %1, ") +
           places + " as far as is known; it has 8";
  };
  CHECK(check(with("#2 + #0")) == "none");
  CHECK(check(with("#7 + #0")) == "none");
  CHECK(check(with("#3 + #0")) == reaches("0 to 8"));
  CHECK(check(with("#1 + #0")) == reaches("-2147483648 to 2147483648"));
  CHECK(check(with("#1 + #0"), "u8") == reaches("0 to 256"));
  // A counter that ends at min(r, r % 8) is at most 6.
  CHECK(check(with("#5 + #0")) == "none");
  CHECK(check(with("#5 * 2")) == reaches("0 to 13"));
  // Nothing wraps round, and what is large does not take long.
  std::vector<std::string> large = with("#1 % 3");
  for (int i = 8; i < 90; ++i)
    large.push_back("#" + std::to_string(i) + " + #" + std::to_string(i));
  large.push_back("#90 * 9223372036854775807");
  CHECK(check(large) == reaches("0 to 4611686018427387904"));
}

TEST_CASE("a Program is for one core of one or two") {
  auto errorOf = [](const std::string &core) {
    const auto error = checkProgram(parsed("kiln.program 1\nkernel \"k\"\n" +
                                           core + "flops 0\nbody {\n}\n"));
    return error ? error->code : std::string("none");
  };
  CHECK(errorOf("") == "none");
  CHECK(errorOf("core 1 of 2\n") == "none");
  CHECK(errorOf("core 2 of 2\n") == "KILN-P010");
  CHECK(errorOf("core 0 of 3\n") == "KILN-P010");
}

TEST_CASE("what a Program says on order is checked") {
  auto errorOf = [](const std::string &head, const std::string &ops) {
    const ParseResult result =
        parseProgram("kiln.program 1\nkernel \"k\"\nflops 0\n" + head +
                     "body {\n" + ops + "}\n");
    if (!result)
      return result.error.code + " " + result.error.text;
    const auto error = checkProgram(*result.program);
    return error ? error->code + " " + error->text : std::string("fine");
  };
  const std::string semaphore = "semaphore \"s\"\n";
  const std::string call = "instruction() mnemonic=\"semaphore\", "
                           "operands=\"\", engine=\"vector\", ";
  CHECK(errorOf(semaphore, call + "signals=[0, 65535]\n") == "fine");
  CHECK(errorOf(semaphore, call + "signals=[0, 65536]\n") ==
        "KILN-P010 65536 tokens, 1 to 65535 are allowed");
  CHECK(errorOf(semaphore, call + "waits=[1, 1]\n") ==
        "KILN-P010 semaphore 1 of 1 does not exist");
  CHECK(errorOf(semaphore, call + "waits=[0]\n").starts_with("KILN-P010"));
  std::string many;
  for (int i = 0; i < 32; ++i)
    many += semaphore;
  CHECK(errorOf(many, "") == "fine");
  CHECK(errorOf(many + semaphore, "") ==
        "KILN-P010 33 semaphores, at most 32 are allowed");
  CHECK(errorOf("", call + "label=0\n" + call + "label=1, after=[0]\n") ==
        "fine");
  CHECK(errorOf("", call + "label=1, after=[0]\n" + call + "label=0\n") ==
        "KILN-P010 'after' names label 0, which no earlier operation has");
  CHECK(errorOf("", call + "label=0\n" + call + "label=0\n") ==
        "KILN-P010 'label' must be a number that no other operation has");
  CHECK(errorOf("", call + "ordered=[1, 4]\n" + call + "ordered=[1, 4]\n") ==
        "KILN-P010 places of 'ordered' must increase");
}
