//===- Checks.td - Conditions between operands ------------*- tablegen -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record lists its conditions by name. The function of that name is in
// lib/checks, its sentence for the manual is here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_CHECKS
#define KILN_ISA_CHECKS

class Check<string name, string doc> {
  string Name = name;
  string Doc = doc;
}

def : Check<"activate2Operators", "Pairs are multiply with add, subtract or bypass, and add, subtract or bypass with bypass (KILN-I069); an operator other than bypass has its immediate (KILN-I014); two tiles have one type (KILN-I012); reduce_op comes with a command other than idle (KILN-I022).">;
def : Check<"activationBias", "On v2 bias must be a [P, 1] tile, and reciprocal takes none (KILN-I023).">;
def : Check<"copyTypes", "A packed type and f8e8m0 are copied only to themselves (KILN-I012).">;
def : Check<"dmaCounts", "dst and src have the same number of elements (KILN-I006).">;
def : Check<"dmaDge", "hwdge needs v3, the sync or scalar stream and equal element types; none needs addresses without registers (KILN-I026).">;
def : Check<"dmaQueue", "The queue is 0 to 15 (KILN-I028); one stream feeds a queue.">;
def : Check<"dmaTransposeShapes", "src is two-dimensional [P, F], dst is [F, P] of the same type with elements of 2 or 4 bytes; hwdge only for [16, up to 128] of 2-byte elements, swdge never (KILN-I027).">;
def : Check<"dropoutProbability", "A number is 0 to 1 (KILN-I073); a tile is f32 if data is of integers (KILN-I012).">;
def : Check<"gpsimdNoPsum", "In the gpsimd stream no operand is in PSUM (KILN-I003).">;
def : Check<"indexPatternSize", "The sizes of the pattern, 1 to 65536 each, multiply to the elements of dst in a partition (KILN-I025).">;
def : Check<"loopStep", "step is positive, and the body does not write the counter (KILN-I029).">;
def : Check<"matchReplaceShapes", "All operands have the same partitions (KILN-I005), dst has the elements of data (KILN-I006).">;
def : Check<"matmulBank", "dst is aligned to 4 bytes and, before v4, stays within one PSUM bank of 2048 bytes (KILN-I017).">;
def : Check<"matmulShapes", "K up to 128 partitions in both inputs, M up to 128, N up to 512 (v4: 4096, bf16 results 8192), dst is [M, N] (KILN-I015). is_transpose: moving is [K, K], no accumulate (KILN-I018).">;
def : Check<"matmulTypes", "Inputs are floats; f32 and tf32 pair only with each other, f8e4m3 never with f8e4m3fn (KILN-I016). dst is f32, on v4 also bf16; is_transpose on v3 and later keeps the type of stationary (KILN-I017).">;
def : Check<"memsetValue", "A tile of a packed type or of f8e8m0 takes only 0, all bits zero (KILN-I076).">;
def : Check<"negateArithmetic", "negate needs an arithmetic operator (KILN-I039).">;
def : Check<"noPrelu", "prelu is for activate2, which has its slope (KILN-I021).">;
def : Check<"notBothPsum", "At most one full-tile input is in PSUM (KILN-I011).">;
def : Check<"operatorFamilies", "Operators are all arithmetic or all bitwise. Bitwise: integers of one width, on vector or in tensor_partition_reduce (KILN-I039).">;
def : Check<"partitionReduceShapes", "dst has one partition and the elements of data (KILN-I024).">;
def : Check<"powerEngine", "power runs on gpsimd (KILN-I021).">;
def : Check<"rangeSelect", "on_false_value is the lowest finite fp32 value, and indices stay below 2^24 (KILN-I070).">;
def : Check<"reduceInit", "load_reduce has its starting value, other commands have none (KILN-I022).">;
def : Check<"reduceResult", "reduce_res comes with a command other than idle (KILN-I022).">;
def : Check<"reduceShapes", "axes is 1 to the free dimensions of data, dst has the elements of the kept ones and the same partitions (KILN-I024, KILN-I005).">;
def : Check<"registerDivisor", "An immediate divisor is not 0 (KILN-I031).">;
def : Check<"registerElement", "The access is one element of i32 or u8 (KILN-I030).">;
def : Check<"sameElements", "All operands have the same partitions, all full tiles the same elements in a partition (KILN-I005, KILN-I006).">;
def : Check<"samePartitions", "All operands have the same partitions (KILN-I005).">;
def : Check<"sameType", "dst has the element type of the input (KILN-I012).">;
def : Check<"scalarCopyGeneration", "In the scalar stream it needs v3 (KILN-I001).">;
def : Check<"scalarTypes", "Operands of arithmetic operators are f32 (KILN-I012), of bitwise ones integers as wide as data, written int(5) as a number (KILN-I039).">;
def : Check<"tensorScalarEngines", "vector: any operator but rsqrt. gpsimd: only rsqrt, alone. scalar: v3 and later, multiply, add, or multiply then add; v4 also subtract for add (KILN-I021, KILN-I001).">;
def : Check<"tensorScalarOps", "A binary operator has its operand, a unary one has none; operand1 and reverse1 need op1 (KILN-I014).">;
def : Check<"transposeShapes", "dst is [F, P] for data [P, F] of the same type. tensor: SBUF to PSUM, up to 128 x 128; vector: up to 32 x 32 (KILN-I018, KILN-I004, KILN-I017).">;
def : Check<"unaryOperand", "A binary operator has its operand, a unary one has none (KILN-I014).">;

#endif // KILN_ISA_CHECKS
