//===- InstructionChecksTest.cpp - Conditions between operands ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

#include <fmt/format.h>

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

/// nc_matmul of [k, m] and [k, n] with everything else as it should be.
std::string matmul(int k, int m, int n, const std::string &type = "bf16",
                   const std::string &dst = "f32") {
  auto tile = [](const char *space, int p, int offset, const std::string &type,
                 int f) {
    return fmt::format("{}[p0:{}, {}: {} {}x1]", space, p, offset, type, f);
  };
  return "nc_matmul dst=" + tile("psum", m, 0, dst, n) +
         ", stationary=" + tile("sbuf", k, 0, type, m) +
         ", moving=" + tile("sbuf", k, 4096, type, n);
}

} // namespace
TEST_CASE("nc_matmul") {
  run({{v3, T, matmul(128, 128, 512), ""},
       {v3, T, replaced(matmul(128, 64, 512), "128, 4096", "64, 4096"),
        "KILN-I015"},
       {v3, T, matmul(128, 128, 513), "KILN-I015"},
       {v2, T, matmul(1, 1, 512, "f16"), ""},
       {v4, T, matmul(128, 128, 4096), ""},
       {v4, T, matmul(128, 128, 4097), "KILN-I009"},
       {v3, T, replaced(matmul(64, 128, 512), "f32 512x1", "f32 511x1"),
        "KILN-I015"},
       {v3, T, replaced(matmul(64, 128, 512), "psum[p0:128", "psum[p0:64"),
        "KILN-I015"},
       {v3, T, matmul(128, 128, 512, "f32"), ""},
       {v3, T, matmul(128, 128, 512, "i32"), "KILN-I012"},
       {v3, T, replaced(matmul(128, 128, 512), "bf16 512x1", "f16 512x1"), ""},
       {v3, T, replaced(matmul(128, 128, 512), "bf16 512x1", "f32 512x1"),
        "KILN-I016"},
       {v3, T, matmul(128, 128, 512, "bf16", "bf16"), "KILN-I017"},
       {v4, T, matmul(128, 128, 512, "bf16", "bf16"), ""},
       {v4, T, matmul(128, 128, 512, "bf16", "f16"), "KILN-I017"},
       {v3, T,
        replaced(matmul(128, 128, 256), "psum[p0:128, 0", "psum[p0:128, 1024"),
        ""},
       {v3, T,
        replaced(matmul(128, 128, 256), "psum[p0:128, 0", "psum[p0:128, 1028"),
        "KILN-I017"},
       {v4, T,
        replaced(matmul(128, 128, 256), "psum[p0:128, 0", "psum[p0:128, 1028"),
        ""},
       {v4, T,
        replaced(matmul(128, 128, 256, "bf16", "bf16"), "psum[p0:128, 0",
                 "psum[p0:128, 2"),
        "KILN-I017"},
       {v3, T,
        replaced(matmul(128, 128, 256), "psum[p0:128, 0",
                 "psum[p0:128, 0 + r1*2048"),
        ""},
       {v3, T, matmul(64, 32, 64, "bf16", "bf16") + ", is_transpose", ""},
       {v3, T, matmul(64, 32, 64, "bf16", "f32") + ", is_transpose",
        "KILN-I017"},
       {v2, T, matmul(64, 32, 64, "bf16", "f32") + ", is_transpose", ""},
       {v3, T, matmul(64, 32, 63, "bf16", "bf16") + ", is_transpose",
        "KILN-I018"},
       {v3, T,
        matmul(64, 32, 64, "bf16", "bf16") + ", is_transpose, accumulate",
        "KILN-I018"}});
  // M is bounded by the partitions of dst before its own limit is asked.
  Module module = emptyModule();
  Instruction wide = line(matmul(128, 128, 8), module);
  std::get<NcMatmul>(wide.body).stationary.dims[0].size = 129;
  CHECK(check(wide, T, module, trn2)->code == "KILN-I015");
}

TEST_CASE("nc_transpose") {
  auto transpose = [](const char *to, int p, int f, std::string type,
                      const std::string &dst = "") {
    return fmt::format("nc_transpose dst={}[p0:{}, 0: {} {}x1], "
                       "data=sbuf[p0:{}, 0: {} {}x1]",
                       to, f, dst.empty() ? type : dst, p, p, type, f);
  };
  run({{v3, T, transpose("psum", 128, 128, "i32"), ""},
       {v3, T,
        replaced(transpose("psum", 128, 128, "f32"),
                 "data=sbuf[p0:128, 0: f32 128x1]",
                 "data=sbuf[p0:128, 0: f32 129x1]"),
        "KILN-I018"},
       {v3, T, transpose("sbuf", 64, 64, "f32"), "KILN-I004"},
       {v3, T, replaced(transpose("psum", 64, 64, "f32"), "sbuf", "psum"),
        "KILN-I004"},
       {v3, T, transpose("psum", 64, 64, "bf16", "f32"), "KILN-I018"},
       {v2, T, transpose("psum", 64, 64, "bf16", "f32"), ""},
       {v2, T, transpose("psum", 64, 64, "i32"), "KILN-I012"},
       {v3, T,
        replaced(transpose("psum", 64, 64, "f32"), "psum[p0:64, 0",
                 "psum[p0:64, 1792"),
        ""},
       {v3, T,
        replaced(transpose("psum", 64, 64, "f32"), "psum[p0:64, 0",
                 "psum[p0:64, 1796"),
        "KILN-I017"},
       {v3, T, replaced(transpose("psum", 64, 32, "f32"), "64x1", "63x1"),
        "KILN-I018"},
       {v3, V, transpose("sbuf", 32, 32, "u8"), ""},
       {v3, V, transpose("psum", 33, 32, "f32"), "KILN-I018"},
       {v3, V, transpose("psum", 32, 33, "f32"), "KILN-I018"}});
}

TEST_CASE("element-wise operands fit each other") {
  auto add = [](const std::string &a, const std::string &b,
                const std::string &op = "add") {
    return "tensor_tensor dst=sbuf[p0:4, 0: f32 8x1], data1=" + a +
           ", data2=" + b + ", op=" + op;
  };
  std::string sbuf = "sbuf[p0:4, 64: f32 8x1]", psum = "psum[p0:4, 0: f32 8x1]";
  run({{v3, V, add(sbuf, sbuf), ""},
       {v3, V, add(sbuf, "sbuf[p0:5, 64: f32 8x1]"), "KILN-I005"},
       {v3, V, add(sbuf, "sbuf[p0:4, 64: f32 9x1]"), "KILN-I006"},
       {v3, V, add(sbuf, "sbuf[p64:68, 64: bf16 2x0, 4x1]"), ""},
       {v3, V, add(psum, sbuf), ""},
       {v3, V, add(psum, psum), "KILN-I011"},
       {v3, G, add(sbuf, sbuf), ""},
       {v3, G, add(psum, sbuf), "KILN-I003"},
       {v3, V, add(sbuf, sbuf, "abs"), "KILN-I021"},
       {v3, V,
        "scalar_tensor_tensor dst=sbuf[p0:4, 0: f32 8x1], data=" + psum +
            ", op0=add, operand0=psum[p0:4, 64: bf16], op1=add, operand1=" +
            sbuf,
        ""},
       {v3, V,
        "scalar_tensor_tensor dst=sbuf[p0:4, 0: f32 8x1], data=" + psum +
            ", op0=add, operand0=1, op1=add, operand1=" + psum,
        "KILN-I011"},
       {v3, V,
        "scalar_tensor_tensor dst=sbuf[p0:4, 0: f32 8x1], data=" + psum +
            ", op0=add, operand0=1, op1=rsqrt, operand1=" + sbuf,
        "KILN-I021"}});
}

TEST_CASE("tensor_scalar's operators and engines") {
  auto scalar = [](const std::string &rest) {
    return "tensor_scalar dst=sbuf[p0:4, 0: f32 8x1], data=sbuf[p0:4, 0: f32 "
           "8x1], " +
           rest;
  };
  run({{v3, V, scalar("op0=add, operand0=1"), ""},
       {v3, V, scalar("op0=add"), "KILN-I014"},
       {v3, V, scalar("op0=abs"), ""},
       {v3, V, scalar("op0=abs, operand0=1"), "KILN-I014"},
       {v3, V, scalar("op0=add, operand0=1, op1=less, operand1=2"), ""},
       {v3, V, scalar("op0=add, operand0=1, op1=less"), "KILN-I014"},
       {v3, V, scalar("op0=add, operand0=1, operand1=2"), "KILN-I014"},
       {v3, V, scalar("op0=add, operand0=1, reverse1"), "KILN-I014"},
       {v3, V, scalar("op0=add, operand0=1, op1=abs"), ""},
       {v3, V, scalar("op0=rsqrt"), "KILN-I021"},
       {v3, G, scalar("op0=rsqrt"), ""},
       {v3, G, scalar("op0=add, operand0=1"), "KILN-I021"},
       {v3, G, scalar("op0=rsqrt, op1=add, operand1=1"), "KILN-I021"},
       {v2, S, scalar("op0=add, operand0=1"), "KILN-I001"},
       {v3, S, scalar("op0=add, operand0=1"), ""},
       {v3, S, scalar("op0=multiply, operand0=1"), ""},
       {v3, S, scalar("op0=multiply, operand0=1, op1=add, operand1=1"), ""},
       {v3, S, scalar("op0=multiply, operand0=1, op1=subtract, operand1=1"),
        "KILN-I021"},
       {v4, S, scalar("op0=multiply, operand0=1, op1=subtract, operand1=1"),
        ""},
       {v3, S, scalar("op0=subtract, operand0=1"), "KILN-I021"},
       {v4, S, scalar("op0=subtract, operand0=1"), ""},
       {v4, S, scalar("op0=maximum, operand0=1"), "KILN-I021"},
       {v3, S, scalar("op0=add, operand0=1, op1=add, operand1=1"),
        "KILN-I021"}});
}

TEST_CASE("activation, reductions, selection") {
  auto activation = [](const std::string &rest) {
    return "activation dst=sbuf[p0:4, 0: bf16 8x1], data=psum[p0:4, 0: f32 "
           "8x1], " +
           rest;
  };
  auto reduce = [](const std::string &dst, const std::string &rest) {
    return "tensor_reduce dst=sbuf[p0:4, 0: f32" + dst +
           "], data=psum[p0:4, 0: f32 2x24, 4x3, 3x1], op=" + rest;
  };
  auto select = [](const std::string &rest) {
    return "select_reduce dst=sbuf[p0:4, 0: f32 8x1], predicate=sbuf[p0:4, 64: "
           "u8 8x1], on_true=psum[p0:4, 0: f32 8x1], on_false=0" +
           rest;
  };
  std::string res = ", reduce_res=sbuf[p0:4, 64: f32]";
  run({{v3, S, activation("op=exp, bias=1"), ""},
       {v2, S, activation("op=exp, bias=1"), "KILN-I023"},
       {v2, S, activation("op=exp, bias=sbuf[p0:4, 64: bf16]"), ""},
       {v2, S, activation("op=reciprocal, bias=sbuf[p0:4, 64: bf16]"),
        "KILN-I023"},
       {v3, S, activation("op=reciprocal, bias=sbuf[p0:4, 64: bf16]"), ""},
       {v3, S, activation("op=exp, bias=sbuf[p0:4, 64: bf16 2x1]"),
        "KILN-I020"},
       {v3, S, activation("op=exp, scale=sbuf[p0:5, 64: f32]"), "KILN-I005"},
       {v3, S, activation("op=exp, scale=sbuf[p0:4, 64: bf16]"), "KILN-I012"},
       {v3, S,
        activation("op=exp, reduce_op=add, reduce_cmd=reset_reduce" + res), ""},
       {v3, S, activation("op=exp, reduce_op=maximum"), "KILN-I022"},
       {v3, V, reduce(" 8x1", "add"), ""},
       {v3, V, reduce(" 2x1", "maximum, axes=2"), ""},
       {v3, V, reduce("", "add, axes=3"), ""},
       {v3, V, reduce("", "add, axes=4"), "KILN-I024"},
       {v3, V, reduce(" 8x1", "add, axes=0"), "KILN-I024"},
       {v3, V, reduce(" 7x1", "add"), "KILN-I024"},
       {v3, V, reduce(" 8x1", "equal"), "KILN-I021"},
       {v3, V, select(""), ""},
       {v3, V, select(", reduce_cmd=reset_reduce" + res), ""},
       {v3, V, select(res), "KILN-I022"},
       {v3, V, select(", reduce_cmd=reset"), "KILN-I022"},
       {v3, V, replaced(select(""), "sbuf[p0:4, 64: u8", "psum[p0:4, 64: u8"),
        "KILN-I011"}});
}

TEST_CASE("index patterns") {
  auto select = [](const std::string &op) {
    return "affine_select dst=sbuf[p0:4, 0: f32 8x1], pattern=index[2x4, 4x1], "
           "channel_multiplier=1, on_true_tile=sbuf[p0:4, 0: f32 8x1], "
           "on_false_value=-inf, cmp_op=" +
           op;
  };
  run({{v3, G, "iota dst=sbuf[p0:4, 0: i32 8x1], pattern=index[2x-9, 4x0]", ""},
       {v3, G, "iota dst=sbuf[p0:4, 0: i32 8x1], pattern=index[9x1]",
        "KILN-I025"},
       {v3, G, "iota dst=sbuf[p0:4, 0: i32 8x1], pattern=index[0x1]",
        "KILN-I025"},
       {v3, G, "iota dst=sbuf[p0:4, 0: i32], pattern=index[]", ""},
       {v3, G, select("greater_equal"), ""},
       {v3, G, select("add"), "KILN-I021"}});
}

TEST_CASE("dma") {
  auto copy = [](const std::string &rest) {
    return "dma_copy dst=sbuf[p0:4, 0: bf16 8x1], src=hbm[x: bf16 32x1]" + rest;
  };
  auto transpose = [](int p, int f, const std::string &rest = "",
                      const std::string &type = "bf16") {
    return fmt::format("dma_transpose dst=sbuf[p0:{}, 0: {} {}x1], src=hbm[x: "
                       "{} {}x{}, {}x1]",
                       f, type, p, type, p, f, f) +
           rest;
  };
  run({{v3, Y, copy(""), ""},
       {v3, T, copy(""), ""},
       {v3, Y, replaced(copy(""), "32x1", "33x1"), "KILN-I006"},
       {v3, Y, replaced(copy(""), "x: bf16 32x1", "x: f32 32x1"), ""},
       {v3, Y, copy(", queue=15"), ""},
       {v3, Y, copy(", queue=16"), "KILN-I028"},
       {v3, Y, copy(", queue=-1"), "KILN-I028"},
       {v3, Y, copy(", dge_mode=hwdge"), ""},
       {v3, S, copy(", dge_mode=hwdge"), ""},
       {v3, V, copy(", dge_mode=hwdge"), "KILN-I026"},
       {v2, Y, copy(", dge_mode=hwdge"), "KILN-I026"},
       {v2, Y, copy(", dge_mode=swdge"), ""},
       {v3, Y,
        replaced(copy(", dge_mode=hwdge"), "x: bf16 32x1", "x: f32 32x1"),
        "KILN-I026"},
       {v3, Y, copy(", dge_mode=none"), ""},
       {v3, Y, replaced(copy(", dge_mode=none"), "hbm[x", "hbm[x + r1*2"),
        "KILN-I026"},
       {v3, Y, transpose(64, 128), ""},
       {v3, Y, replaced(transpose(64, 128), "64x1]", "63x1]"), "KILN-I027"},
       {v3, Y, transpose(64, 128, "", "f32"), ""},
       {v3, Y, transpose(64, 128, "", "u8"), "KILN-I012"},
       {v3, Y, transpose(64, 128, ", dge_mode=swdge"), "KILN-I027"},
       {v3, Y, transpose(16, 128, ", dge_mode=hwdge"), ""},
       {v3, Y, transpose(17, 128, ", dge_mode=hwdge"), "KILN-I027"},
       {v3, Y, transpose(16, 128, ", dge_mode=hwdge", "f32"), "KILN-I027"},
       {v3, Y,
        replaced(transpose(64, 128), "sbuf[p0:128, 0: bf16",
                 "sbuf[p0:128, 0: f16"),
        "KILN-I027"},
       {v3, Y,
        "dma_transpose dst=sbuf[p0:4, 0: bf16 8x1], src=hbm[x: bf16 32x1]",
        "KILN-I027"},
       {v3, Y,
        "dma_transpose dst=sbuf[p0:4, 0: bf16 8x1], src=sbuf[p0:8, 64: bf16 "
        "4x1]",
        ""}});
}

TEST_CASE("registers and loops") {
  run({{v3, T, "register_load dst=r1, src=sbuf[p7:8, 4: i32]", ""},
       {v3, T, "register_load dst=r1, src=sbuf[p7:9, 4: i32]", "KILN-I030"},
       {v3, T, "register_load dst=r1, src=sbuf[p7:8, 4: i32 2x1]", "KILN-I030"},
       {v3, T, "register_load dst=r1, src=sbuf[p7:8, 4: f32]", ""},
       {v3, T, "register_load dst=r1, src=sbuf[p7:8, 4: bf16]", "KILN-I012"},
       {v3, T, "register_store dst=sbuf[p7:8, 4: bool], src=r1", "KILN-I012"},
       {v3, T, "register_store dst=hbm[y: u16 2x1], src=1", "KILN-I030"},
       {v3, T, "register_load dst=r1, src=psum[p7:8, 4: i32]", "KILN-I004"},
       {v3, T, "register_alu dst=r1, op=modulo, a=r1, b=1", ""},
       {v3, T, "register_alu dst=r1, op=modulo, a=r1, b=0", "KILN-I031"},
       {v3, T, "register_alu dst=r1, op=floor_divide, a=r1, b=0", "KILN-I031"},
       {v3, T, "register_alu dst=r1, op=add, a=r1, b=0", ""},
       {v3, T, "register_alu dst=r1, op=less, a=r1, b=0, type=f32", ""},
       {v3, T, "register_alu dst=r1, op=modulo, a=r1, b=0, type=u32",
        "KILN-I031"},
       {v3, T, "register_alu dst=r1, op=modulo, a=r1, b=2, type=f32",
        "KILN-I077"},
       {v3, T, "register_alu dst=r1, op=left_shift, a=r1, b=2, type=f32",
        "KILN-I077"},
       {v3, T, "register_alu dst=r1, op=left_shift, a=r1, b=2, type=u32", ""},
       {v3, T, "loop r1 = 0 to 4 step 1", ""},
       {v3, T, "loop r1 = 0 to 4 step 0", "KILN-I029"}});
}
