//===- FloatFormat.cpp - Rounding a double once ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/float_format.h"

#include <bit>
#include <limits>

namespace kiln::tool {
namespace {

/// What the largest exponent of a format means.
enum class Top {
  infinity, ///< Infinity and NaNs, as in IEEE 754.
  nan,      ///< Numbers, but for all fraction bits set: NaN.
  numbers   ///< Numbers.
};

/// A binary format of at most 32 bits with a sign.
struct Format {
  int exponentBits;
  int fractionBits;
  Top top = Top::infinity;
  int unusedBits = 0; ///< Below the fraction.
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  std::uint32_t exponentMask() const { return (1u << exponentBits) - 1; }
  std::uint32_t sign() const { return 1u << (exponentBits + fractionBits); }
  /// The first magnitude that is not a finite number.
  std::uint32_t limit() const {
    return top == Top::infinity ? exponentMask() << fractionBits
           : top == Top::nan    ? sign() - 1
                                : sign();
  }
  /// The encoding of a number that is too large.
  std::uint32_t overflow() const {
    return top == Top::numbers ? sign() - 1 : limit();
  }
  std::uint32_t nan() const {
    return top == Top::infinity ? limit() | 1u << (fractionBits - 1)
                                : overflow();
  }
};

Format formatOf(isa::DType dtype) {
  switch (dtype) {
  case isa::DType::bf16:
    return {8, 7};
  case isa::DType::f16:
    return {5, 10};
  case isa::DType::tf32:
    return {8, 10, Top::infinity, 13};
  case isa::DType::f8e4m3:
    return {4, 3};
  case isa::DType::f8e4m3fn:
  case isa::DType::f8e4m3fn_x4:
    return {4, 3, Top::nan};
  case isa::DType::f8e5m2:
  case isa::DType::f8e5m2_x4:
    return {5, 2};
  case isa::DType::f4e2m1fn_x4:
    return {2, 1, Top::numbers};
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

/// An exponent and nothing else; 255 is NaN.
std::uint32_t encodeScale(double value) {
  if (value == 0)
    return 0;
  if (!(value >= 0) || value > 0x1p1023)
    return 255;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  // Halfway between two powers lies at 1.5 of the lower: to nearest, ties to
  // the even exponent.
  const int exponent = static_cast<int>(bits >> doubleFractionBits);
  const std::uint64_t fraction = bits & doubleFractionMask;
  const std::uint64_t half = std::uint64_t{1} << (doubleFractionBits - 1);
  int code = exponent - doubleBias + 127;
  if (fraction > half || (fraction == half && (code & 1)))
    ++code;
  return static_cast<std::uint32_t>(code < 0 ? 0 : code > 254 ? 255 : code);
}

std::uint32_t encodeFormat(double value, const Format &format) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63)
                             << (format.exponentBits + format.fractionBits);
  const int exponent = static_cast<int>((bits >> doubleFractionBits) & 0x7ff);
  const std::uint64_t fraction = bits & doubleFractionMask;

  if (exponent == 0x7ff) // A NaN is quiet, its payload dropped.
    return sign | (fraction != 0 ? format.nan() : format.overflow());
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
  if (rounded >= format.limit())
    return sign | format.overflow();
  return sign | static_cast<std::uint32_t>(rounded);
}

double decodeFormat(std::uint32_t bits, const Format &format) {
  const std::uint64_t sign =
      (bits >> (format.exponentBits + format.fractionBits)) & 1;
  const std::uint32_t exponent =
      (bits >> format.fractionBits) & format.exponentMask();
  std::uint64_t fraction = bits & ((1u << format.fractionBits) - 1);
  std::uint64_t field;
  if ((bits & (format.sign() - 1)) >= format.limit()) {
    field = 0x7ff;
  } else if (exponent != 0) {
    const int moved = static_cast<int>(exponent) - format.bias() + doubleBias;
    field = static_cast<std::uint64_t>(moved);
  } else if (fraction == 0) {
    field = 0;
  } else { // Subnormal: normal in double. Shift the leading one out.
    int lead = std::bit_width(fraction) - 1;
    const int moved =
        lead - format.fractionBits + 1 - format.bias() + doubleBias;
    field = static_cast<std::uint64_t>(moved);
    fraction = (fraction << (format.fractionBits - lead)) &
               ((std::uint64_t{1} << format.fractionBits) - 1);
  }
  return std::bit_cast<double>(
      (sign << 63) | (field << doubleFractionBits) |
      (fraction << (doubleFractionBits - format.fractionBits)));
}

} // namespace

std::uint32_t encodeFloat(double value, isa::DType dtype) {
  if (dtype == isa::DType::f8e8m0)
    return encodeScale(value);
  const Format format = formatOf(dtype);
  return encodeFormat(value, format) << format.unusedBits;
}

double decodeFloat(std::uint32_t bits, isa::DType dtype) {
  if (dtype == isa::DType::f8e8m0)
    return bits == 255
               ? std::numeric_limits<double>::quiet_NaN()
               : std::bit_cast<double>(std::uint64_t{bits + doubleBias - 127}
                                       << doubleFractionBits);
  const Format format = formatOf(dtype);
  return decodeFormat(bits >> format.unusedBits, format);
}

std::uint32_t loadBits(const std::uint8_t *bytes, std::uint64_t index,
                       isa::DType dtype) {
  const unsigned size = bitsOfValue(dtype);
  if (size == 4)
    return bytes[index / 2] >> (index % 2 * 4) & 15u;
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < size / 8; ++i)
    bits |= std::uint32_t{bytes[index * (size / 8) + i]} << (8 * i);
  return bits;
}

void storeBits(std::uint8_t *bytes, std::uint64_t index, isa::DType dtype,
               std::uint32_t bits) {
  const unsigned size = bitsOfValue(dtype);
  if (size == 4) {
    const unsigned shift = index % 2 * 4;
    std::uint8_t &both = bytes[index / 2];
    both = static_cast<std::uint8_t>((both & ~(15u << shift)) | bits << shift);
    return;
  }
  for (unsigned i = 0; i < size / 8; ++i)
    bytes[index * (size / 8) + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

double decodeValue(std::uint32_t bits, isa::DType dtype) {
  if (isa::isFloat(dtype))
    return decodeFloat(bits, dtype);
  const IntegerRange range = rangeOf(dtype);
  const std::int64_t value = bits;
  return static_cast<double>(value > range.high && range.low < 0
                                 ? value - 2 * (range.high + 1)
                                 : value);
}

std::vector<double> decodeValues(std::span<const std::uint8_t> bytes,
                                 isa::DType dtype) {
  std::vector<double> values(bytes.size() * 8 / bitsOfValue(dtype));
  for (std::uint64_t i = 0; i < values.size(); ++i)
    values[i] = decodeValue(loadBits(bytes.data(), i, dtype), dtype);
  return values;
}

std::vector<std::uint8_t> encodeValues(const std::vector<double> &values,
                                       isa::DType dtype) {
  std::vector<std::uint8_t> bytes(values.size() * bitsOfValue(dtype) / 8);
  for (std::uint64_t i = 0; i < values.size(); ++i)
    storeBits(bytes.data(), i, dtype,
              isa::isFloat(dtype) ? encodeFloat(values[i], dtype)
                                  : static_cast<std::uint32_t>(
                                        static_cast<std::int64_t>(values[i])));
  return bytes;
}

} // namespace kiln::tool
