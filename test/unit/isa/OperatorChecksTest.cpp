//===- OperatorChecksTest.cpp - Which operators go together ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCases.h"

using namespace kiln::isa;
using namespace kiln::isa::test;

namespace {

std::string tile(const std::string &type, int offset) {
  return "sbuf[p0:4, " + std::to_string(offset) + ": " + type + " 8x1]";
}

std::string tensorTensor(const std::string &op, const std::string &type,
                         const std::string &second = "") {
  return "tensor_tensor dst=" + tile(type, 0) + ", data1=" + tile(type, 64) +
         ", data2=" + tile(second.empty() ? type : second, 128) + ", op=" + op;
}

std::string tensorScalar(const std::string &type, const std::string &rest) {
  return "tensor_scalar dst=" + tile(type, 0) + ", data=" + tile(type, 64) +
         ", " + rest;
}

} // namespace

TEST_CASE("bitwise operators take integers of one width on vector") {
  run({{v3, V, tensorTensor("bitwise_and", "i32"), ""},
       {v3, V, tensorTensor("bitwise_xor", "u8"), ""},
       {v3, V, tensorTensor("left_shift", "u16", "i16"), ""},
       {v3, V, tensorTensor("left_shift", "u16", "i32"), "KILN-I039"},
       {v3, V, tensorTensor("bitwise_or", "f32"), "KILN-I039"},
       {v3, G, tensorTensor("bitwise_or", "i32"), "KILN-I039"},
       {v3, V, tensorScalar("i32", "op0=invert"), ""},
       {v3, V, tensorScalar("i32", "op0=invert, operand0=int(1)"), "KILN-I014"},
       {v3, V, tensorScalar("i32", "op0=bitwise_and, operand0=int(-256)"), ""},
       {v3, V, tensorScalar("i32", "op0=bitwise_and, operand0=255.0"),
        "KILN-I039"},
       {v3, V,
        tensorScalar("i32", "op0=left_shift, operand0=int(1), op1=bitwise_or, "
                            "operand1=sbuf[p0:4, 256: u32]"),
        ""},
       {v3, V,
        tensorScalar("i32", "op0=left_shift, operand0=int(1), op1=bitwise_or, "
                            "operand1=sbuf[p0:4, 256: u16]"),
        "KILN-I039"},
       {v3, V,
        tensorScalar("i32", "op0=left_shift, operand0=int(1), op1=add, "
                            "operand1=1.0"),
        "KILN-I039"},
       {v3, V, tensorScalar("f32", "op0=add, operand0=int(1)"), "KILN-I039"},
       {v3, V, tensorScalar("i32", "op0=add, operand0=sbuf[p0:4, 256: i32]"),
        "KILN-I012"},
       {v3, V,
        "tensor_reduce dst=sbuf[p0:4, 0: u16 1x1], op=bitwise_xor, "
        "data=sbuf[p0:4, 64: u16 8x1]",
        ""},
       {v3, V,
        "tensor_reduce dst=sbuf[p0:4, 0: u16 1x1], op=bitwise_xor, "
        "data=sbuf[p0:4, 64: u16 8x1], negate",
        "KILN-I039"},
       {v3, V,
        "tensor_reduce dst=sbuf[p0:4, 0: bf16 1x1], op=bitwise_xor, "
        "data=sbuf[p0:4, 64: u16 8x1]",
        "KILN-I039"}});
}

TEST_CASE("operators have engines and generations") {
  run({{v3, G, tensorTensor("power", "f32"), ""},
       {v3, V, tensorTensor("power", "f32"), "KILN-I021"},
       {v4, V, tensorTensor("abs_max", "f32"), ""},
       {v3, V, tensorTensor("abs_max", "f32"), "KILN-I001"},
       {v3, V, tensorTensor("square", "f32"), "KILN-I021"},
       {v3, V, tensorTensor("bypass", "f32"), "KILN-I021"},
       {v3, V, tensorTensor("average", "f32"), "KILN-I021"},
       {v4, V, tensorScalar("f32", "op0=square"), ""},
       {v3, V, tensorScalar("f32", "op0=square"), "KILN-I001"},
       {v2, V, tensorScalar("f32", "op0=relu"), "KILN-I001"},
       {v2, V, tensorScalar("f32", "op0=abs"), ""},
       {v2, V, tensorScalar("f32", "op0=reciprocal"), ""},
       {v3, G, tensorScalar("f32", "op0=power, operand0=2.0"), "KILN-I021"}});
}

TEST_CASE("activation functions and the pairs of activate2") {
  auto activate = [](const std::string &rest) {
    return "activate2 dst=" + tile("f32", 0) + ", data=" + tile("f32", 64) +
           ", op=prelu" + rest;
  };
  std::string column = "sbuf[p0:4, 256: f32]", half = "sbuf[p0:4, 260: bf16]";
  run({{v3, S,
        "activation dst=" + tile("f32", 0) +
            ", op=prelu, data=" + tile("f32", 64),
        "KILN-I021"},
       {v3, S,
        "activation dst=" + tile("f32", 0) + ", op=sin, data=" +
            tile("f32", 64) + ", bias=sbuf[p0:4, 256: tf32]",
        "KILN-I012"},
       {v3, S,
        "activation dst=" + tile("f32", 0) +
            ", op=mish, data=" + tile("f32", 64) + ", reduce_cmd=load_reduce",
        "KILN-I022"},
       {v3, S, activate(""), "KILN-I001"},
       {v4, S, activate(""), ""},
       {v4, V, activate(""), "KILN-I002"},
       {v4, S, activate(", op0=multiply, imm0=2.0"), ""},
       {v4, S, activate(", op0=multiply"), "KILN-I014"},
       {v4, S, activate(", imm0=2.0"), "KILN-I014"},
       {v4, S, activate(", reverse0"), "KILN-I014"},
       {v4, S, activate(", op0=subtract, imm0=2.0, reverse0"), ""},
       {v4, S, activate(", op0=add, imm0=2.0, op1=add, imm1=1.0"), "KILN-I069"},
       {v4, S, activate(", op1=add, imm1=1.0"), "KILN-I069"},
       {v4, S, activate(", op0=multiply, imm0=2.0, op1=subtract, imm1=1.0"),
        ""},
       {v4, S, activate(", op0=multiply, imm0=2.0, op1=subtract"), "KILN-I014"},
       {v4, S, activate(", op0=maximum, imm0=2.0"), "KILN-I021"},
       {v4, S,
        activate(", op0=multiply, imm0=" + column +
                 ", op1=add, imm1=" + column),
        ""},
       {v4, S,
        activate(", op0=multiply, imm0=" + column + ", op1=add, imm1=" + half),
        "KILN-I012"},
       {v4, S, activate(", reduce_cmd=reset_reduce"), "KILN-I022"},
       {v4, S, activate(", reduce_cmd=reset_reduce, reduce_op=abs_min"), ""},
       {v4, S, activate(", reduce_cmd=reset_reduce, reduce_op=multiply"),
        "KILN-I022"}});
}

TEST_CASE("element types that hold no numbers are only moved") {
  auto copy = [](const std::string &dst, const std::string &src) {
    return "tensor_copy dst=" + tile(dst, 0) + ", src=" + tile(src, 64);
  };
  run({{v4, V, copy("f8e5m2_x4", "f8e5m2_x4"), ""},
       {v3, V, copy("f8e5m2_x4", "f8e5m2_x4"), "KILN-I012"},
       {v4, V, copy("f8e5m2_x4", "f32"), "KILN-I012"},
       {v4, V, copy("f32", "f8e8m0"), "KILN-I012"},
       {v3, V, copy("f8e4m3fn", "f8e4m3fn"), ""},
       {v3, V, tensorTensor("add", "f8e4m3fn"), "KILN-I012"},
       {v4, V, tensorTensor("add", "f8e4m3fn"), ""},
       {v4, V, tensorTensor("add", "f8e8m0"), "KILN-I012"},
       {v3, V, tensorTensor("add", "bool"), ""},
       {v4, V, "memset dst=" + tile("f8e5m2_x4", 0) + ", value=0.0", ""},
       {v4, V, "memset dst=" + tile("f8e5m2_x4", 0) + ", value=1.0",
        "KILN-I076"}});
}
