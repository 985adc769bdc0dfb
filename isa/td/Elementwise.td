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
}

def Reciprocal : Instruction<"reciprocal", 35, Elementwise> {
  let Engines = ["vector"];
  let Operands = [TileOut<"dst", "destination">, TileIn<"data", "input">];
  let Checks = ["sameElements"];
  let Cost = "reciprocal";
  let Summary = "Correctly rounded reciprocal.";
  let Equation = "dst = cast(1 / data)";
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
}
