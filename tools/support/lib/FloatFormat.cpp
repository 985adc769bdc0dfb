//===- FloatFormat.cpp - Rounding a double once ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/float_format.h"

#include <bit>

namespace kiln::tool {
namespace {

/// An IEEE-like binary format of at most 32 bits.
struct Format {
  int exponentBits;
  int fractionBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  std::uint32_t exponentMask() const { return (1u << exponentBits) - 1; }
};

Format formatOf(isa::DType dtype) {
  switch (dtype) {
  case isa::DType::bf16:
    return {8, 7};
  case isa::DType::f16:
    return {5, 10};
  default:
    return {8, 23};
  }
}

constexpr int doubleFractionBits = 52;
constexpr int doubleBias = 1023;
constexpr std::uint64_t doubleFractionMask =
    (std::uint64_t{1} << doubleFractionBits) - 1;

/// `value / 2^shift`, to nearest, ties to even. 0 < shift < 64.
std::uint64_t shiftRightRounded(std::uint64_t value, int shift) {
  std::uint64_t kept = value >> shift;
  std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
  std::uint64_t half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  return kept;
}

} // namespace

std::uint32_t encodeFloat(double value, isa::DType dtype) {
  const Format format = formatOf(dtype);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63)
                             << (format.exponentBits + format.fractionBits);
  const int exponent = static_cast<int>((bits >> doubleFractionBits) & 0x7ff);
  const std::uint64_t fraction = bits & doubleFractionMask;
  const std::uint32_t infinity = format.exponentMask() << format.fractionBits;

  if (exponent == 0x7ff) {
    if (fraction != 0) // NaN: quiet, payload dropped.
      return sign | infinity | (1u << (format.fractionBits - 1));
    return sign | infinity;
  }
  if (exponent == 0) // Zero, or far below every format's smallest subnormal.
    return sign;

  const std::uint64_t significand =
      fraction | (std::uint64_t{1} << doubleFractionBits);
  int target = exponent - doubleBias + format.bias();
  int shift = doubleFractionBits - format.fractionBits;
  if (target <= 0) { // Subnormal: the same fixed point, more bits dropped.
    shift += 1 - target;
    target = 0;
    if (shift > doubleFractionBits + 1)
      return sign; // Less than half of the smallest subnormal.
    return sign |
           static_cast<std::uint32_t>(shiftRightRounded(significand, shift));
  }
  // The leading one adds itself to the exponent field, and a carry out of the
  // fraction does the right thing there too.
  std::uint64_t rounded =
      shiftRightRounded(significand, shift) +
      (static_cast<std::uint64_t>(target - 1) << format.fractionBits);
  if (rounded >= infinity)
    return sign | infinity;
  return sign | static_cast<std::uint32_t>(rounded);
}

double decodeFloat(std::uint32_t bits, isa::DType dtype) {
  const Format format = formatOf(dtype);
  const std::uint64_t sign =
      (bits >> (format.exponentBits + format.fractionBits)) & 1;
  const std::uint32_t exponent =
      (bits >> format.fractionBits) & format.exponentMask();
  std::uint64_t fraction = bits & ((1u << format.fractionBits) - 1);
  std::uint64_t field;
  if (exponent == format.exponentMask()) {
    field = 0x7ff;
  } else if (exponent != 0) {
    field = static_cast<std::uint64_t>(static_cast<int>(exponent) -
                                       format.bias() + doubleBias);
  } else if (fraction == 0) {
    field = 0;
  } else { // Subnormal: normal in double. Shift the leading one out.
    int lead = std::bit_width(fraction) - 1;
    field = static_cast<std::uint64_t>(lead - format.fractionBits + 1 -
                                       format.bias() + doubleBias);
    fraction = (fraction << (format.fractionBits - lead)) &
               ((std::uint64_t{1} << format.fractionBits) - 1);
  }
  return std::bit_cast<double>(
      (sign << 63) | (field << doubleFractionBits) |
      (fraction << (doubleFractionBits - format.fractionBits)));
}

} // namespace kiln::tool
