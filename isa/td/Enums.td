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
  EnumCase<"add", 1, "a + b">,
  EnumCase<"subtract", 2, "a - b">,
  EnumCase<"multiply", 3, "a * b">,
  EnumCase<"maximum", 4, "max(a, b); NaN propagates, max(+0, -0) = +0">,
  EnumCase<"minimum", 5, "min(a, b); NaN propagates">,
  EnumCase<"equal", 6, "a == b ? 1 : 0">,
  EnumCase<"not_equal", 7, "a != b ? 1 : 0">,
  EnumCase<"greater_equal", 8, "a >= b ? 1 : 0">,
  EnumCase<"greater", 9, "a > b ? 1 : 0">,
  EnumCase<"less_equal", 10, "a <= b ? 1 : 0">,
  EnumCase<"less", 11, "a < b ? 1 : 0">,
  EnumCase<"logical_and", 12, "a != 0 && b != 0 ? 1 : 0">,
  EnumCase<"logical_or", 13, "a != 0 || b != 0 ? 1 : 0">,
  EnumCase<"logical_xor", 14, "(a != 0) != (b != 0) ? 1 : 0">,
  EnumCase<"abs", 15, "|a|; unary">,
  EnumCase<"rsqrt", 16, "1 / sqrt(a), correctly rounded; unary, GpSimd">
]>;

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
  EnumCase<"abs", 15, "|x|">
]>;

def ReduceCommand : EnumDef<"ReduceCommand", [
  EnumCase<"idle", 0, "the accumulator is not used">,
  EnumCase<"reset", 1, "only re-initialise it">,
  EnumCase<"reduce", 2, "accumulate onto the current value">,
  EnumCase<"reset_reduce", 3, "re-initialise, then accumulate">
]>;

def DgeMode : EnumDef<"DgeMode", [
  EnumCase<"unknown", 0, "the compiler chooses">,
  EnumCase<"swdge", 1, "descriptors written by GpSimd software">,
  EnumCase<"hwdge", 2, "descriptors written by the hardware block (v3+)">,
  EnumCase<"none", 3, "descriptors prepared by the host; static addresses">
]>;

def RegisterOp : EnumDef<"RegisterOp", [
  EnumCase<"add", 1, "a + b">,
  EnumCase<"subtract", 2, "a - b">,
  EnumCase<"multiply", 3, "a * b">,
  EnumCase<"floor_divide", 4, "floor(a / b)">,
  EnumCase<"modulo", 5, "a - b * floor(a / b)">,
  EnumCase<"minimum", 6, "min(a, b)">,
  EnumCase<"maximum", 7, "max(a, b)">
]>;

#endif // KILN_ISA_ENUMS
