//===- Oracle.h - APFloat as the judge of conversions -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each conversion must give, computed by llvm::APFloat, and the values on
// which that is worth asking.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_NUMERICS_ORACLE_H
#define KILN_TEST_RUNTIME_SIM_NUMERICS_ORACLE_H

#include "kiln/isa/dtype.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

using kiln::isa::DType;
using llvm::APFloat;

inline constexpr auto nearest = APFloat::rmNearestTiesToEven;

/// A float type: its semantics, its width, and the unused low bits.
struct Format {
  DType dtype;
  const llvm::fltSemantics *semantics;
  unsigned bits;
  unsigned unused = 0;
};
inline std::vector<Format> floatFormats() {
  return {{DType::bf16, &APFloat::BFloat(), 16},
          {DType::f16, &APFloat::IEEEhalf(), 16},
          {DType::tf32, &APFloat::FloatTF32(), 19, 13},
          {DType::f8e4m3, &APFloat::Float8E4M3(), 8},
          {DType::f8e4m3fn, &APFloat::Float8E4M3FN(), 8},
          {DType::f8e5m2, &APFloat::Float8E5M2(), 8}};
}
struct Integer {
  DType dtype;
  unsigned bits;
  bool isSigned;
};
inline std::vector<Integer> integers() {
  return {{DType::u8, 8, false},   {DType::i8, 8, true},
          {DType::u16, 16, false}, {DType::i16, 16, true},
          {DType::u32, 32, false}, {DType::i32, 32, true}};
}

/// fp32 bits of a pattern; NaN is quiet with the sign kept.
inline std::uint32_t widened(const Format &format, std::uint32_t pattern) {
  APFloat value(*format.semantics,
                llvm::APInt(format.bits, pattern >> format.unused));
  if (value.isNaN())
    return value.isNegative() ? 0xffc00000u : 0x7fc00000u;
  bool lost = false;
  value.convert(APFloat::IEEEsingle(), nearest, &lost);
  return static_cast<std::uint32_t>(value.bitcastToAPInt().getZExtValue());
}

inline std::uint32_t narrowed(const Format &format, float x,
                              llvm::RoundingMode mode = nearest) {
  APFloat value(x);
  bool lost = false;
  value.convert(*format.semantics, mode, &lost);
  if (value.isNaN())
    value = APFloat::getQNaN(*format.semantics, std::signbit(x));
  return static_cast<std::uint32_t>(value.bitcastToAPInt().getZExtValue())
         << format.unused;
}
/// Of the magnitude.
inline std::uint32_t largest(const Format &format) {
  return static_cast<std::uint32_t>(APFloat::getLargest(*format.semantics)
                                        .bitcastToAPInt()
                                        .getZExtValue())
         << format.unused;
}

inline std::int64_t integerOf(float x, const Integer &type) {
  if (std::isnan(x))
    return 0;
  llvm::APSInt result(type.bits, !type.isSigned);
  bool exact = false;
  APFloat(x).convertToInteger(result, nearest, &exact);
  return result.getExtValue();
}
inline float floatOf(std::uint32_t pattern, const Integer &type) {
  APFloat value(APFloat::IEEEsingle());
  llvm::APInt bits(32, pattern);
  value.convertFromAPInt(type.bits < 32 ? bits.trunc(type.bits) : bits,
                         type.isSigned, nearest);
  return value.convertToFloat();
}

/// 2^24 patterns spread over 32 bits, in two halves of one odd stride.
inline constexpr std::uint32_t spreadCount = 1u << 24;
inline std::uint32_t spread(std::uint32_t i) {
  return i * 256u + (i * 2654435761u >> 24);
}

/// Every finite value of the format, the tie above it, and the fp32 numbers
/// beside both, of either sign.
inline std::vector<float> ties(const Format &format) {
  std::vector<float> result;
  const auto around = [&](double x) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    for (const std::uint32_t near : {bits - 1, bits, bits + 1})
      for (const std::uint32_t sign : {0u, 0x80000000u})
        result.push_back(std::bit_cast<float>((near & 0x7fffffffu) | sign));
  };
  const std::uint32_t last = largest(format) >> format.unused;
  for (std::uint32_t pattern = 0; pattern <= last; ++pattern) {
    const auto at = [&](std::uint32_t p) {
      return static_cast<double>(
          std::bit_cast<float>(widened(format, p << format.unused)));
    };
    const double here = at(pattern);
    // Above the largest number, as far as it is from the one below.
    const double next =
        pattern == last ? 2 * here - at(pattern - 1) : at(pattern + 1);
    around(here);
    around((here + next) / 2);
  }
  return result;
}
/// Halves and wholes, and the limits of every width.
inline std::vector<float> integerTies() {
  std::vector<float> result;
  const auto around = [&](float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    for (const std::uint32_t near : {bits - 1, bits, bits + 1})
      for (const std::uint32_t sign : {0u, 0x80000000u})
        result.push_back(std::bit_cast<float>((near & 0x7fffffffu) | sign));
  };
  for (std::uint32_t half = 0; half < 1u << 18; ++half)
    around(static_cast<float>(half) * 0.5f);
  for (int exponent = -2; exponent < 40; ++exponent)
    for (int step = -64; step <= 64; ++step)
      around(std::ldexp(1.0f, exponent) +
             static_cast<float>(step) * std::ldexp(1.0f, exponent - 24));
  return result;
}

} // namespace oracle

#endif // KILN_TEST_RUNTIME_SIM_NUMERICS_ORACLE_H
