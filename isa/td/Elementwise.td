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
    EnumOperand<"op", AluOp, "binary operator">
  ];
  let Checks = ["sameElements", "notBothPsum", "gpsimdNoPsum", "binaryOperators"];
  let Cost = "tensorTensor";
  let Summary = "Element-wise binary operation on two tiles.";
  let Equation = "dst = cast(data1 op data2)";
  let Example = "tensor_tensor dst=sbuf[p0:128, 0x0: f32 4x128, 128x1], data1=psum[p0:128, 0x0: f32 512x1], data2=sbuf[p0:128, 0x800: f32 4x1, 128x0], op=multiply";
}

def TensorScalar : Instruction<"tensor_scalar", 33, Elementwise> {
  let Engines = ["vector", "scalar", "gpsimd"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data", "input">,
    EnumOperand<"op0", AluOp, "first operator">,
    OptionalScalarIn<"operand0", "immediate or [P, 1] tile; absent for a unary op0">,
    Flag<"reverse0", "operand0 op0 data">,
    OptionalEnumOperand<"op1", AluOp, "second operator">,
    OptionalScalarIn<"operand1", "immediate or [P, 1] tile">,
    Flag<"reverse1", "operand1 op1 (result of op0)">
  ];
  let Checks = ["sameElements", "gpsimdNoPsum", "tensorScalarOps", "tensorScalarEngines"];
  let Cost = "tensorScalar";
  let Summary = "One or two operations with one value per partition.";
  let Equation = "dst = cast((data op0 operand0) op1 operand1), rounded to fp32 after each operator";
  let Description = [{
    Vector: every operator but rsqrt. Scalar (trn2): multiply, add, or multiply then add; trn3 also subtract for add.
    GpSimd: only rsqrt. A unary operator takes no operand.
  }];
  let Example = "tensor_scalar dst=sbuf[p0:128, 0x0: bf16 512x1], data=psum[p0:128, 0x0: f32 512x1], op0=multiply, operand0=0.125, op1=subtract, operand1=sbuf[p0:128, 0x800: f32], reverse1";
}

def ScalarTensorTensor : Instruction<"scalar_tensor_tensor", 34, Elementwise> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "destination">, TileIn<"data", "input">,
    EnumOperand<"op0", AluOp, "first operator">,
    ScalarIn<"operand0", "immediate or [P, 1] tile", AnyDType>,
    EnumOperand<"op1", AluOp, "second operator">,
    TileIn<"operand1", "tile">,
    Flag<"reverse0", "operand0 op0 data">, Flag<"reverse1", "operand1 op1 (result of op0)">
  ];
  let Checks = ["sameElements", "notBothPsum", "binaryOperators"];
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
    OptionalScalarIn<"bias", "added after scaling; an immediate needs v3+", AnyDType>,
    DefaultScalarIn<"scale", "multiplies the input", "1.0f">,
    OptionalEnumOperand<"reduce_op", AluOp, "only add">,
    OptionalOut<"reduce_res", "[P, 1], receives the Scalar accumulator">,
    EnumOperand<"reduce_cmd", ReduceCommand, "use of the Scalar accumulator", "ReduceCommand::idle">
  ];
  let Checks = ["sameElements", "activationReduce", "activationBias"];
  let Cost = "activation";
  let Summary = "A function of scale * data + bias, with an optional row sum.";
  let Equation = "y = op(fma(data, scale, bias)); dst = cast(y); acc += y";
  let Description = [{
    The Scalar engine computes one function of a fused multiply-add. With reduce_cmd reduce or reset_reduce the fp32 values
    before the cast are added to the engine's 128 accumulators in element order; reduce_res reads them out after that.
  }];
  let Example = "activation dst=sbuf[p0:128, 0x0: bf16 512x1], op=exp, data=psum[p0:128, 0x0: f32 512x1], bias=sbuf[p0:128, 0x400: f32], scale=0.125, reduce_op=add, reduce_res=sbuf[p0:128, 0x404: f32], reduce_cmd=reset_reduce";
}

def TensorReduce : Instruction<"tensor_reduce", 48, Reduction> {
  let Engines = ["vector"];
  let Operands = [
    TileOut<"dst", "as many elements as the kept free dimensions have">,
    EnumOperand<"op", AluOp, "reduction operator">,
    TileIn<"data", "input">,
    Int<"axes", "how many trailing free dimensions are reduced, 1 to 4", "1">,
    Flag<"negate", "multiply the result by -1">
  ];
  let Checks = ["reduceShapes", "reductionOperator"];
  let Cost = "reduce";
  let Summary = "Reduces trailing free dimensions.";
  let Equation = "dst[p, outer] = cast((negate ? -1 : 1) * reduce(op, data[p, outer, inner..])), in order";
  let Description = [{
    The last `axes` free dimensions of data are reduced in order, in fp32, starting from the identity of the operator (subtract: from
    the first element).
  }];
  let Example = "tensor_reduce dst=sbuf[p0:128, 0x0: f32 4x1], op=maximum, data=psum[p0:128, 0x0: f32 4x128, 128x1], negate";
}
