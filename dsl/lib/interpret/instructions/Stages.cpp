//===- Stages.cpp - One operator of an engine, rounded --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::interpret {

using isa::AluOp;

namespace {

/// Operators of which the double result, rounded to fp32, is the fp32 result:
/// 53 bits are more than twice 24 and 2.
bool roundsOnce(AluOp op) { return op != AluOp::power && op != AluOp::rsqrt; }

} // namespace

Number stage(AluOp op, const Number &a, const Number &b) {
  const Number result = apply(op, a, b);
  if (roundsOnce(op) && isExact(a) && (isUnary(op) || isExact(b)))
    return exactly(roundTo(DType::f32, result.value));
  return roundTo(DType::f32, result);
}

Number fusedStage(const Number &a, const Number &b, const Number &c) {
  if (isExact(a) && isExact(b) && isExact(c))
    return exactly(std::fma(static_cast<float>(a.value),
                            static_cast<float>(b.value),
                            static_cast<float>(c.value)));
  return roundTo(DType::f32, multiplyAdd(a, b, c));
}

Number quotient(const Number &a, double count) {
  if (isUnknown(a))
    return unknown();
  if (isExact(a))
    return exactly(roundTo(DType::f32, a.value / count));
  const double ends[] = {low(a) / count, high(a) / count};
  const auto [least, most] = std::minmax(ends[0], ends[1]);
  return roundTo(DType::f32, within(a.value / count, least, most));
}

double identityOf(AluOp op) {
  switch (op) {
  case AluOp::multiply:
  case AluOp::logical_and:
    return 1;
  case AluOp::maximum:
    return -infinity;
  case AluOp::minimum:
  case AluOp::abs_min:
    return infinity;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Bits of integers
//===----------------------------------------------------------------------===//

namespace {

unsigned widthOf(DType dtype) { return 8 * isa::sizeInBytes(dtype); }
std::uint32_t maskOf(unsigned width) {
  return width == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << width) - 1;
}
/// The bits of an integer, as many as `width`.
std::uint32_t bitsOf(double integer, unsigned width) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(integer)) &
         maskOf(width);
}
double read(std::uint32_t bits, DType dtype) {
  const unsigned width = widthOf(dtype);
  const bool isNegative =
      isa::info(dtype).isSigned && (bits >> (width - 1) & 1) != 0;
  return static_cast<double>(bits) -
         (isNegative ? std::ldexp(1.0, static_cast<int>(width)) : 0);
}

std::uint32_t operate(AluOp op, std::uint32_t a, std::uint32_t b,
                      unsigned width) {
  switch (op) {
  case AluOp::invert:
    return ~a & maskOf(width);
  case AluOp::bitwise_and:
    return a & b;
  case AluOp::bitwise_or:
    return a | b;
  case AluOp::bitwise_xor:
    return a ^ b;
  case AluOp::left_shift:
    return b >= width ? 0 : (a << b) & maskOf(width);
  case AluOp::right_shift:
    return b >= width ? 0 : a >> b;
  default:
    return 0;
  }
}

/// The range of uncertain bits, as unsigned numbers.
struct BitRange {
  std::uint32_t low, high;
};
BitRange rangeOf(const Number &n, DType dtype) {
  const unsigned width = widthOf(dtype);
  const double least = std::ceil(low(n)), most = std::floor(high(n));
  // Both signs: the bits of -1 are above those of 1.
  if (isUnknown(n) || (least < 0 && most >= 0) ||
      most - least >= std::ldexp(1.0, static_cast<int>(width)))
    return {0, maskOf(width)};
  return {bitsOf(least, width), bitsOf(most, width)};
}

} // namespace

Number anyInteger(DType dtype) {
  const double count = std::ldexp(1.0, static_cast<int>(widthOf(dtype)));
  const double least = isa::info(dtype).isSigned ? -count / 2 : 0;
  const double most = dtype == DType::boolean ? 1 : least + count - 1;
  return within(std::floor((least + most) / 2), least, most);
}

Number bitwise(AluOp op, const Number &a, DType aType, const Number &b,
               DType bType, DType result) {
  const unsigned width = widthOf(aType);
  if (isExact(a) && (isUnary(op) || isExact(b)))
    return exactly(
        read(operate(op, bitsOf(a.value, width),
                     isUnary(op) ? 0 : bitsOf(b.value, widthOf(bType)), width),
             result));
  // Some operators keep what is known about an uncertain operand.
  const BitRange x = rangeOf(a, aType);
  BitRange y{};
  if (op == AluOp::invert)
    y = {~x.high & maskOf(width), ~x.low & maskOf(width)};
  else if (op == AluOp::right_shift && isExact(b))
    y = {operate(op, x.low, bitsOf(b.value, width), width),
         operate(op, x.high, bitsOf(b.value, width), width)};
  else if (op == AluOp::bitwise_and)
    y = {0, std::min(x.high, rangeOf(b, bType).high)};
  else
    return anyInteger(result);
  const double least = read(y.low, result), most = read(y.high, result);
  if (least > most)
    return anyInteger(result);
  return within(std::floor((least + most) / 2), least, most);
}

} // namespace kiln::interpret
