//===- Elementwise.td - Vector, Scalar, GpSimd arithmetic --*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Enums.td"

def TensorTensor : Instruction<"tensor_tensor", 32, Elementwise> {
  let Engines = ["vector", "gpsimd"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data1", "left operand">, TileIn<"data2", "right operand">,
    EnumOperand<"op", AluOp, "binary operator", "",
      BinaryArithmetic.Names # BinaryBitwise.Names # ["power"]>,
    TileIndex<"dst">, TileIndex<"data1">
  ];
  let Checks = ["sameElements", "notBothPsum", "gpsimdNoPsum", "operatorFamilies", "powerEngine", "tileIndices"];
  let Cost = "tensorTensor";
  let Summary = "Element-wise binary operation on two tiles.";
  let Equation = "dst = cast(data1 op data2)";
  let Description = [{
    Arithmetic converts both inputs to fp32, on gpsimd it is exact 32-bit integer arithmetic where all three tiles are i32 or u32.
    Bitwise operators take the bits of integers of one width, on vector. `power` runs on gpsimd.
  }];
  let Example = "tensor_tensor dst=sbuf[p0:128, 0x0: f32 4x128, 128x1], data1=psum[p0:128, 0x0: f32 512x1], data2=sbuf[p0:128, 0x800: f32 4x1, 128x0], op=multiply";
}

def TensorScalarOps : Cases<BinaryArithmetic.Names # BinaryBitwise.Names #
  UnaryArithmetic.Names # ["rsqrt", "invert"]>;

def TensorScalar : Instruction<"tensor_scalar", 33, Elementwise> {
  let Engines = ["vector", "scalar", "gpsimd"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data", "input">,
    EnumOperand<"op0", AluOp, "first operator", "", TensorScalarOps.Names>,
    OptionalScalarIn<"operand0", "immediate or [P, 1] tile; none or 0 for a unary op0", ScalarDType>,
    Flag<"reverse0", "operand0 op0 data">,
    OptionalEnumOperand<"op1", AluOp, "second operator", TensorScalarOps.Names>,
    OptionalScalarIn<"operand1", "immediate or [P, 1] tile; none or 0 for a unary op1", ScalarDType>,
    Flag<"reverse1", "operand1 op1 (result of op0)">,
    TileIndex<"dst">, TileIndex<"data">
  ];
  let Checks = ["sameElements", "gpsimdNoPsum", "tensorScalarOps", "tensorScalarEngines", "operatorFamilies", "scalarTypes", "tileIndices"];
  let Cost = "tensorScalar";
  let Summary = "One or two operations with one value per partition.";
  let Equation = "dst = cast((data op0 operand0) op1 operand1), rounded to fp32 after each operator";
  let Description = [{
    Both operators are arithmetic (operands in fp32) or both bitwise (operands are integers as wide as data, on vector).
    Vector: every operator but rsqrt. Scalar (trn2): multiply, add, or multiply then add; trn3 also subtract for add.
    GpSimd: only rsqrt. A unary operator takes one input: its operand is absent, or the immediate 0, which is not used.
  }];
  let Example = "tensor_scalar dst=sbuf[p0:128, 0x0: bf16 512x1], data=psum[p0:128, 0x0: f32 512x1], op0=multiply, operand0=0.125, op1=subtract, operand1=sbuf[p0:128, 0x800: f32], reverse1";
}

def ScalarTensorTensor : Instruction<"scalar_tensor_tensor", 34, Elementwise> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data", "input">,
    EnumOperand<"op0", AluOp, "first operator", "", BinaryArithmetic.Names>,
    ScalarIn<"operand0", "immediate or [P, 1] tile", AnyDType>,
    EnumOperand<"op1", AluOp, "second operator", "", BinaryArithmetic.Names>,
    TileIn<"operand1", "tile">,
    Flag<"reverse0", "operand0 op0 data">, Flag<"reverse1", "operand1 op1 (result of op0)">
  ];
  let Checks = ["sameElements", "notBothPsum"];
  let Cost = "tensorTensor";
  let Summary = "A per-partition operation, then a tile operation, in one pass.";
  let Equation = "dst = cast((data op0 operand0) op1 operand1), rounded to fp32 after each operator";
  let Example = "scalar_tensor_tensor dst=sbuf[p0:128, 0x0: f32 64x1], data=sbuf[p0:128, 0x0: f32 64x1], op0=multiply, operand0=sbuf[p0:128, 0x100: f32], op1=add, operand1=psum[p0:128, 0x0: f32 64x1]";
}

def Reciprocal : Instruction<"reciprocal", 35, Elementwise> {
  let Engines = ["vector"];
  let Operands = [TileOut<"dst", "destination">, TileIn<"data", "input">];
  let Checks = ["sameElements"];
  let Cost = "reciprocal";
  let Summary = "Correctly rounded reciprocal.";
  let Equation = "dst = cast(1 / data)";
  let Example = "reciprocal dst=sbuf[p0:128, 0x0: f32], data=sbuf[p0:128, 0x4: f32]";
}

def Activation : Instruction<"activation", 36, Elementwise> {
  let Engines = ["scalar"];
  let Operands = [
    TileOut<"dst", "destination">,
    EnumOperand<"op", ActivationFunction, "function">,
    TileIn<"data", "input">,
    OptionalScalarIn<"bias", "added after scaling; an immediate needs v3+", BiasDType>,
    DefaultScalarIn<"scale", "multiplies the input", "1.0f">,
    OptionalEnumOperand<"reduce_op", AluOp, "only add", ["add"]>,
    OptionalOut<"reduce_res", "[P, 1], receives the Scalar accumulator">,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Scalar accumulator", "ReduceCommand::idle",
      ["idle", "reset", "reduce", "reset_reduce"]>,
    TileIndex<"dst">, TileIndex<"data">
  ];
  let Checks = ["sameElements", "activationBias", "noPrelu", "tileIndices"];
  let State = "accumulator";
  let Cost = "activation";
  let Summary = "A function of scale * data + bias, with an optional row sum.";
  let Equation = "y = op(fma(data, scale, bias)); dst = cast(y); acc += y";
  let Description = [{
    The Scalar engine computes one function of a fused multiply-add. With reduce_cmd reduce or reset_reduce the fp32 values
    before the cast are added to the engine's 128 accumulators in element order; reduce_res reads them out after that.
  }];
  let Example = "activation dst=sbuf[p0:128, 0x0: bf16 512x1], op=exp, data=psum[p0:128, 0x0: f32 512x1], bias=sbuf[p0:128, 0x400: f32], scale=0.125, reduce_op=add, reduce_res=sbuf[p0:128, 0x404: f32], reduce_cmd=reset_reduce";
}

def ActivationReduce : Instruction<"activation_reduce", 37, Elementwise> {
  let Engines = ["scalar"];
  let Operands = [
    TileOut<"dst", "destination">,
    EnumOperand<"op", ActivationFunction, "function">,
    TileIn<"data", "input">,
    EnumOperand<"reduce_op", AluOp, "only add", "AluOp::add", ["add"]>,
    OptionalOut<"reduce_res", "[P, 1], receives the Scalar accumulator">,
    OptionalScalarIn<"bias", "added after scaling; an immediate needs v3+", BiasDType>,
    DefaultScalarIn<"scale", "multiplies the input", "1.0f">,
    TileIndex<"dst">, TileIndex<"data">
  ];
  let Checks = ["sameElements", "activationBias", "noPrelu", "tileIndices"];
  let State = "accumulator";
  let Cost = "activation";
  let Summary = "activation that resets the accumulator and sums its row.";
  let Equation = "y = op(fma(data, scale, bias)); dst = cast(y); acc = sum of y; reduce_res = cast(acc)";
  let Description = [{
    The same as `activation` with reduce_cmd=reset_reduce.
  }];
  let Example = "activation_reduce dst=sbuf[p0:128, 0x0: bf16 512x1], op=exp, data=psum[p0:128, 0x0: f32 512x1], reduce_res=sbuf[p0:128, 0x404: f32], bias=sbuf[p0:128, 0x400: f32], scale=0.125";
}

def Activate2 : Instruction<"activate2", 38, Elementwise> {
  let Engines = ["scalar"];
  let Since = "v4";
  let Operands = [
    TileOut<"dst", "destination">,
    EnumOperand<"op", ActivationFunction, "function">,
    TileIn<"data", "input">,
    OptionalScalarIn<"imm0", "operand of op0", AnyDType>,
    OptionalScalarIn<"imm1", "operand of op1; a tile has the type of imm0", AnyDType>,
    EnumOperand<"op0", AluOp, "first operator", "AluOp::bypass",
      ["multiply", "add", "subtract", "bypass"]>,
    EnumOperand<"op1", AluOp, "second operator", "AluOp::bypass",
      ["add", "subtract", "bypass"]>,
    DefaultScalarIn<"relu_param", "slope of prelu below 0", "0.0f">,
    Flag<"reverse0", "imm0 op0 data">, Flag<"reverse1", "imm1 op1 (result of op0)">,
    OptionalEnumOperand<"reduce_op", AluOp, "how the accumulator takes an element",
      ["add", "maximum", "minimum", "abs_max", "abs_min"]>,
    OptionalOut<"reduce_res", "[P, 1], receives the Scalar accumulator">,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Scalar accumulator", "ReduceCommand::idle",
      ["idle", "reset", "reduce", "reset_reduce"]>,
    TileIndex<"dst">, TileIndex<"data">
  ];
  let Checks = ["sameElements", "activate2Operators", "tileIndices"];
  let State = "accumulator";
  let Cost = "activation";
  let Summary = "A function of two operations on the input, with an optional reduction of the row.";
  let Equation = "y = op((data op0 imm0) op1 imm1; relu_param); dst = cast(y); acc = acc reduce_op y";
  let Description = [{
    Multiply then add is one fused operation; every other pair rounds after each. reset starts the accumulator at 0 for add
    and abs_max, at -inf for maximum, at +inf for minimum and abs_min. It is the accumulator of `activation`.
  }];
  let Example = "activate2 dst=sbuf[p0:128, 0x0: bf16 512x1], op=prelu, data=psum[p0:128, 0x0: f32 512x1], imm0=0.5, imm1=sbuf[p0:128, 0x400: f32], op0=multiply, op1=subtract, relu_param=0.25, reverse1, reduce_op=maximum, reduce_res=sbuf[p0:128, 0x404: f32], reduce_cmd=reset_reduce";
}

def Exponential : Instruction<"exponential", 39, Elementwise> {
  let Engines = ["vector"];
  let Since = "v4";
  let Operands = [
    TileOut<"dst", "destination", ExponentialOut>,
    TileIn<"src", "input", ExponentialIn>,
    DefaultScalarIn<"max_value", "subtracted before", "0.0f">,
    OptionalOut<"reduce_res", "[P, 1], receives the Vector accumulator", FloatDType>,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Vector accumulator", "ReduceCommand::idle",
      ["idle", "reduce", "reset_reduce", "load_reduce"]>,
    OptionalScalarIn<"reduce_init", "what load_reduce starts from">,
    TileIndex<"dst">, TileIndex<"src">
  ];
  let Checks = ["sameElements", "reduceInit", "reduceResult", "tileIndices"];
  let State = "accumulator";
  let Cost = "exponential";
  let Summary = "exp of the distance from a row's maximum, with an optional row sum.";
  let Equation = "y = exp(fp32(src - max_value)); dst = cast(y); acc = acc + y";
  let Description = [{
    reset_reduce starts the Vector accumulator at 0, load_reduce at reduce_init, reduce goes on from its value. After idle it is undefined.
  }];
  let Example = "exponential dst=sbuf[p0:128, 0x0: bf16 512x1], src=psum[p0:128, 0x0: f32 512x1], max_value=sbuf[p0:128, 0x400: f32], reduce_res=sbuf[p0:128, 0x404: f32], reduce_cmd=load_reduce, reduce_init=1.0";
}

def TensorCopyPredicated : Instruction<"tensor_copy_predicated", 23, DataMovement> {
  let Engines = ["vector"];
  let Operands = [
    TileOperand<"dst", ReadWrite, ["sbuf", "psum"], AnyDType, "changed where the predicate holds">,
    TileOrNumber<"src", "tile of dst's type, or a number that is cast to it">,
    TileIn<"predicate", "nonzero copies", PredicateDType>,
    Flag<"reverse_pred", "copy where the predicate is zero">,
    TileIndex<"dst">, TileIndex<"predicate">
  ];
  let Checks = ["sameElements", "notBothPsum", "sameType", "tileIndices"];
  let Cost = "select";
  let Summary = "Copies where a predicate holds and leaves the rest.";
  let Equation = "if (predicate[p, i] != 0) dst[p, i] = src[p, i]";
  let Example = "tensor_copy_predicated dst=sbuf[p0:128, 0x0: f32 64x1], src=psum[p0:128, 0x0: f32 64x1], predicate=sbuf[p0:128, 0x100: u8 64x1], reverse_pred";
}

def Dropout : Instruction<"dropout", 40, Elementwise> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination, of data's type">, TileIn<"data", "input">,
    ScalarIn<"prob", "probability that an element becomes 0; a tile is f32 if data holds integers", FloatDType>
  ];
  let Checks = ["sameElements", "sameType", "dropoutProbability"];
  let State = "random";
  let Cost = "stream";
  let Summary = "Zeroes elements at random; the others keep their bits.";
  let Equation = "u = next 32 random bits of the lane; dst = (u >> 8) * 2^-24 < prob ? 0 : data";
  let Description = [{
    Each element takes one draw of the Vector engine's generator, in element order. What is kept is not scaled by 1 / (1 - prob).
  }];
  let Example = "dropout dst=sbuf[p0:128, 0x0: bf16 512x1], data=sbuf[p0:128, 0x400: bf16 512x1], prob=0.125";
}
