//===- Enums.td - Operators, functions, modes --------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ENUMS
#define KILN_ISA_ENUMS

include "Base.td"

def AluOp : EnumDef<"AluOp", [
  EnumCase<"add", 1, "a + b", ["Reduction"]>,
  EnumCase<"subtract", 2, "a - b", ["Reduction"]>,
  EnumCase<"multiply", 3, "a * b", ["Reduction"]>,
  EnumCase<"maximum", 4, "max(a, b); NaN propagates, max(+0, -0) = +0", ["Reduction"]>,
  EnumCase<"minimum", 5, "min(a, b); NaN propagates", ["Reduction"]>,
  EnumCase<"equal", 6, "a == b ? 1 : 0", ["Comparison"]>,
  EnumCase<"not_equal", 7, "a != b ? 1 : 0", ["Comparison"]>,
  EnumCase<"greater_equal", 8, "a >= b ? 1 : 0", ["Comparison"]>,
  EnumCase<"greater", 9, "a > b ? 1 : 0", ["Comparison"]>,
  EnumCase<"less_equal", 10, "a <= b ? 1 : 0", ["Comparison"]>,
  EnumCase<"less", 11, "a < b ? 1 : 0", ["Comparison"]>,
  EnumCase<"logical_and", 12, "a != 0 && b != 0 ? 1 : 0", ["Reduction"]>,
  EnumCase<"logical_or", 13, "a != 0 || b != 0 ? 1 : 0", ["Reduction"]>,
  EnumCase<"logical_xor", 14, "(a != 0) != (b != 0) ? 1 : 0", ["Reduction"]>,
  EnumCase<"abs", 15, "|a|; unary", ["Unary"]>,
  EnumCase<"rsqrt", 16, "1 / sqrt(a), correctly rounded; unary, GpSimd", ["Unary"]>,
  EnumCase<"power", 17, "a to the power of b; GpSimd">,
  EnumCase<"abs_max", 18, "|a| > |b| ? a : b", [], "v4">,
  EnumCase<"abs_min", 19, "|a| < |b| ? a : b", [], "v4">,
  EnumCase<"square", 20, "a * a; unary", ["Unary"], "v4">,
  EnumCase<"relu", 21, "max(a, 0); unary", ["Unary"], "v4">,
  EnumCase<"reciprocal", 22, "1 / a, correctly rounded; unary", ["Unary"]>,
  EnumCase<"average", 23, "sum / count; only tensor_partition_reduce", ["Reduction"]>,
  EnumCase<"bypass", 24, "a; only activate2">,
  EnumCase<"invert", 25, "~a; unary", ["Bitwise", "Unary"]>,
  EnumCase<"bitwise_and", 26, "a & b", ["Bitwise", "Reduction"]>,
  EnumCase<"bitwise_or", 27, "a | b", ["Bitwise", "Reduction"]>,
  EnumCase<"bitwise_xor", 28, "a ^ b", ["Bitwise", "Reduction"]>,
  EnumCase<"left_shift", 29, "a << b; 0 for a shift by the width or more", ["Bitwise"]>,
  EnumCase<"right_shift", 30, "a >> b with zeros shifted in, also for signed types; 0 for a shift by the width or more", ["Bitwise"]>
]>;

// Lists for the operands of records.
class Cases<list<string> names> { list<string> Names = names; }
def Comparisons : Cases<["equal", "not_equal", "greater_equal", "greater",
  "less_equal", "less"]>;
def OrderedComparisons : Cases<["equal", "less", "less_equal", "greater",
  "greater_equal"]>;
def BinaryArithmetic : Cases<["add", "subtract", "multiply", "maximum",
  "minimum", "logical_and", "logical_or", "logical_xor", "abs_max",
  "abs_min"] # Comparisons.Names>;
def BinaryBitwise : Cases<["bitwise_and", "bitwise_or", "bitwise_xor",
  "left_shift", "right_shift"]>;
def UnaryArithmetic : Cases<["abs", "square", "relu", "reciprocal"]>;
def Reductions : Cases<["add", "subtract", "multiply", "maximum", "minimum",
  "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or",
  "bitwise_xor"]>;

def ActivationFunction : EnumDef<"ActivationFunction", [
  EnumCase<"copy", 1, "x">,
  EnumCase<"square", 2, "x * x">,
  EnumCase<"sigmoid", 3, "1 / (1 + exp(-x))">,
  EnumCase<"relu", 4, "max(x, 0)">,
  EnumCase<"gelu", 5, "x * Phi(x), Phi the normal distribution function">,
  EnumCase<"gelu_apprx_tanh", 6, "0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))">,
  EnumCase<"silu", 7, "x * sigmoid(x)">,
  EnumCase<"tanh", 8, "tanh(x)">,
  EnumCase<"exp", 9, "e^x">,
  EnumCase<"log", 10, "ln(x)">,
  EnumCase<"sqrt", 11, "sqrt(x)">,
  EnumCase<"rsqrt", 12, "1 / sqrt(x)">,
  EnumCase<"reciprocal", 13, "1 / x">,
  EnumCase<"sign", 14, "-1, 0 or 1">,
  EnumCase<"abs", 15, "|x|">,
  EnumCase<"prelu", 16, "x >= 0 ? x : relu_param * x; only activate2">,
  EnumCase<"gelu_dx", 17, "Phi(x) + x * phi(x), the derivative of gelu">,
  EnumCase<"gelu_apprx_sigmoid", 18, "x * sigmoid(1.702 x)">,
  EnumCase<"gelu_apprx_sigmoid_dx", 19, "s + 1.702 x s (1 - s), s = sigmoid(1.702 x)">,
  EnumCase<"silu_dx", 20, "s (1 + x (1 - s)), s = sigmoid(x)">,
  EnumCase<"softplus", 21, "max(x, 0) + log1p(exp(-|x|))">,
  EnumCase<"mish", 22, "x * tanh(softplus(x))">,
  EnumCase<"erf", 23, "erf(x)">,
  EnumCase<"erf_dx", 24, "2 / sqrt(pi) * exp(-x^2)">,
  EnumCase<"sin", 25, "sin(x) in [-pi, pi]; outside, the boundary's cubic continues, without range reduction">,
  EnumCase<"arctan", 26, "arctan(x)">
]>;

def ReduceCommand : EnumDef<"ReduceCommand", [
  EnumCase<"idle", 0, "the accumulator is not used">,
  EnumCase<"reset", 1, "only re-initialise it">,
  EnumCase<"reduce", 2, "accumulate onto the current value">,
  EnumCase<"reset_reduce", 3, "re-initialise, then accumulate">,
  EnumCase<"load_reduce", 4, "load a given value, then accumulate">
]>;

def DgeMode : EnumDef<"DgeMode", [
  EnumCase<"unknown", 0, "the compiler chooses">,
  EnumCase<"swdge", 1, "descriptors written by GpSimd software">,
  EnumCase<"hwdge", 2, "descriptors written by the hardware block (v3+)">,
  EnumCase<"none", 3, "descriptors prepared by the host; static addresses">
]>;

def PerformanceMode : EnumDef<"PerformanceMode", [
  EnumCase<"none", 0, "one row of K per partition">,
  EnumCase<"double_row", 1, "two rows of K per partition, 8-bit floats (v3+)", [], "v3">
]>;

def OobMode : EnumDef<"OobMode", [
  EnumCase<"error", 0, "an index outside the tensor ends the run">,
  EnumCase<"skip", 1, "an index outside the tensor is skipped">
]>;

def SendEngine : EnumDef<"SendEngine", [
  EnumCase<"dma", 0, "the DMA engines">,
  EnumCase<"gpsimd_dma", 1, "GpSimd's own, for up to 256 elements per partition; it starts sooner">
]>;

def RegisterOp : EnumDef<"RegisterOp", [
  EnumCase<"add", 1, "a + b">,
  EnumCase<"subtract", 2, "a - b">,
  EnumCase<"multiply", 3, "a * b">,
  EnumCase<"floor_divide", 4, "floor(a / b); integers", ["Integer", "Division"]>,
  EnumCase<"modulo", 5, "a - b * floor(a / b); integers", ["Integer", "Division"]>,
  EnumCase<"minimum", 6, "min(a, b); NaN propagates">,
  EnumCase<"maximum", 7, "max(a, b); NaN propagates, max(+0, -0) = +0">,
  EnumCase<"equal", 8, "a == b ? 1 : 0">,
  EnumCase<"not_equal", 9, "a != b ? 1 : 0">,
  EnumCase<"greater_equal", 10, "a >= b ? 1 : 0">,
  EnumCase<"greater", 11, "a > b ? 1 : 0">,
  EnumCase<"less_equal", 12, "a <= b ? 1 : 0">,
  EnumCase<"less", 13, "a < b ? 1 : 0">,
  EnumCase<"bitwise_and", 14, "a & b; integers", ["Integer"]>,
  EnumCase<"bitwise_or", 15, "a | b; integers", ["Integer"]>,
  EnumCase<"bitwise_xor", 16, "a ^ b; integers", ["Integer"]>,
  EnumCase<"left_shift", 17, "a << b; 0 unless b is 0 to 31; integers", ["Integer"]>,
  EnumCase<"right_shift", 18, "a >> b; i32 repeats the sign, u32 fills with zeros, also where b is not 0 to 31; integers", ["Integer"]>
]>;

def RegisterType : EnumDef<"RegisterType", [
  EnumCase<"i32", 0, "two's complement; what addresses and bounds of loops read">,
  EnumCase<"u32", 1, "unsigned: other orders, quotients and right shifts">,
  EnumCase<"f32", 2, "the bits of an IEEE number; an integer operand is that number">
]>;

#endif // KILN_ISA_ENUMS
