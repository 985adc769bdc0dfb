//===- Rounding.cpp - Types and their rounding ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace kiln::interpret {

namespace {

/// A float format with a sign: bits of the fraction, the exponent of the
/// smallest normal number, the largest number.
struct Format {
  int fraction;
  int leastExponent;
  double largest;
  bool hasInfinity = true;
};

Format formatOf(DType dtype) {
  switch (dtype) {
  case DType::bf16:
    return {7, -126, 0x1.fep127};
  case DType::f16:
    return {10, -14, 65504};
  case DType::tf32:
    return {10, -126, 0x1.ffcp127};
  case DType::f8e4m3:
    return {3, -6, 240};
  case DType::f8e4m3fn:
  case DType::f8e4m3fn_x4:
    return {3, -6, 448, false};
  case DType::f8e5m2:
  case DType::f8e5m2_x4:
    return {2, -14, 57344};
  case DType::f4e2m1fn_x4:
    return {1, 0, 6, false};
  default:
    return {23, -126, 0x1.fffffep127};
  }
}

/// Of a normal number; less than that of any format for a subnormal one.
int exponentOf(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) -
         1023;
}
/// 2^exponent, for -1022 to 1023.
double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023)
                               << 52);
}

double roundToFloat(const Format &format, double value) {
  const double beyond = format.hasInfinity ? infinity : notANumber;
  if (value != value || value == 0)
    return value;
  if (std::isinf(value))
    return std::copysign(beyond, value);
  const int unit =
      std::max(exponentOf(value), format.leastExponent) - format.fraction;
  // Scaling is exact, and the host rounds to nearest even.
  const double rounded =
      std::nearbyint(value * powerOfTwo(-unit)) * powerOfTwo(unit);
  if (std::fabs(rounded) > format.largest)
    return std::copysign(beyond, value);
  return std::copysign(rounded, value);
}

/// Smallest and largest integer of a type.
struct Range {
  double low, high;
};
Range rangeOf(DType dtype) {
  const isa::DTypeInfo &info = isa::info(dtype);
  const double count = std::ldexp(1.0, static_cast<int>(8 * info.bytes));
  return info.isSigned ? Range{-count / 2, count / 2 - 1} : Range{0, count - 1};
}

} // namespace

double roundTo(DType dtype, double value) {
  if (dtype == DType::boolean)
    return value != 0 ? 1 : 0;
  if (isa::isFloat(dtype))
    return roundToFloat(formatOf(dtype), value);
  if (value != value)
    return 0;
  const Range range = rangeOf(dtype);
  return std::clamp(std::nearbyint(value), range.low, range.high) + 0.0;
}

Number roundTo(DType dtype, const Number &n) {
  if (isUnknown(n)) {
    // An integer is in its range, however it was computed.
    if (isa::isFloat(dtype) || dtype == DType::i32 || dtype == DType::u32)
      return unknown();
    const Range range = dtype == DType::boolean ? Range{0, 1} : rangeOf(dtype);
    return within(range.low, range.low, range.high);
  }
  const double center = roundTo(dtype, n.value);
  if (isExact(n))
    return exactly(center);
  if (dtype == DType::boolean)
    return truthNumber(isNonzero(n), n.value != 0);
  return within(center, roundTo(dtype, low(n)), roundTo(dtype, high(n)));
}

Number convert(const Number &n, DType from, DType to) {
  return from == to ? n : roundTo(to, roundTo(DType::f32, n));
}

Number widen(const Number &n, DType from) {
  return from == DType::f32 ? n : roundTo(DType::f32, n);
}

Number wrap(DType dtype, const Number &n) {
  if (isUnknown(n) || std::fabs(n.value) > 0x1p62)
    return unknown();
  const Range range = rangeOf(dtype);
  const double count = range.high - range.low + 1;
  const double turns = std::floor((n.value - range.low) / count);
  const double center = n.value - turns * count;
  if (center - n.bound < range.low || center + n.bound > range.high)
    return unknown();
  return {center, n.bound};
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {

double decodeFloat(const Format &format, int exponentBits, std::uint32_t bits) {
  const int width = exponentBits + format.fraction;
  const std::uint32_t fraction = bits & ((1u << format.fraction) - 1);
  const std::uint32_t exponent =
      bits >> format.fraction & ((1u << exponentBits) - 1);
  const double sign = bits >> width & 1 ? -1 : 1;
  if (format.hasInfinity && exponent == (1u << exponentBits) - 1)
    return fraction ? notANumber : sign * infinity;
  const double significand =
      fraction + (exponent ? std::ldexp(1.0, format.fraction) : 0);
  const int power = format.leastExponent - format.fraction +
                    static_cast<int>(exponent ? exponent - 1 : 0);
  const double value = std::ldexp(significand, power);
  return value > format.largest ? notANumber : sign * value;
}

} // namespace

double decodeElement(DType dtype, std::uint32_t bits) {
  const Format format = formatOf(dtype);
  switch (dtype) {
  case DType::f32:
    return std::bit_cast<float>(bits);
  case DType::bf16:
    return decodeFloat(format, 8, bits);
  case DType::tf32:
    return decodeFloat(format, 8, bits >> 13);
  case DType::f16:
  case DType::f8e5m2:
  case DType::f8e5m2_x4:
    return decodeFloat(format, 5, bits);
  case DType::f8e4m3:
  case DType::f8e4m3fn:
  case DType::f8e4m3fn_x4:
    return decodeFloat(format, 4, bits);
  case DType::f4e2m1fn_x4:
    return decodeFloat(format, 2, bits);
  case DType::f8e8m0:
    return bits == 255 ? notANumber
                       : std::ldexp(1.0, static_cast<int>(bits) - 127);
  case DType::boolean:
    return bits != 0;
  case DType::i32:
    return static_cast<std::int32_t>(bits);
  case DType::i16:
    return static_cast<std::int16_t>(bits);
  case DType::i8:
    return static_cast<std::int8_t>(bits);
  case DType::u32:
  case DType::u16:
  case DType::u8:
    break;
  }
  return bits;
}

std::vector<double> decode(DType dtype, std::span<const std::byte> bytes) {
  const isa::DTypeInfo &info = isa::info(dtype);
  const unsigned bits = 8 * info.bytes / info.values;
  std::vector<double> numbers;
  numbers.reserve(bytes.size() / info.bytes * info.values);
  for (std::size_t at = 0; at + info.bytes <= bytes.size(); at += info.bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, info.bytes);
    for (unsigned i = 0; i < info.values; ++i)
      numbers.push_back(decodeElement(
          dtype, bits == 32 ? word : word >> i * bits & ((1u << bits) - 1)));
  }
  return numbers;
}

} // namespace kiln::interpret
