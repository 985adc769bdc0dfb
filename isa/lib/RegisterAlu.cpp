//===- RegisterAlu.cpp - What registers compute
//------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/register_alu.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kiln::isa {
namespace {

/// Any width of integers that holds a result before it wraps.
std::int32_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

template <class T>
std::optional<std::int32_t> compare(RegisterOp op, T a, T b) {
  switch (op) {
  case RegisterOp::equal:
    return a == b;
  case RegisterOp::not_equal:
    return a != b;
  case RegisterOp::greater_equal:
    return a >= b;
  case RegisterOp::greater:
    return a > b;
  case RegisterOp::less_equal:
    return a <= b;
  case RegisterOp::less:
    return a < b;
  default:
    return std::nullopt;
  }
}

/// `a` and `b` are the numbers of the registers, wide enough for any product.
std::optional<std::int32_t> computeInteger(RegisterOp op, std::int64_t a,
                                           std::int64_t b) {
  const bool shifts = b >= 0 && b < 32;
  switch (op) {
  case RegisterOp::add:
    return wrapped(a + b);
  case RegisterOp::subtract:
    return wrapped(a - b);
  case RegisterOp::multiply: // Unsigned: the product of two u32 fits.
    return wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(a) *
                                             static_cast<std::uint64_t>(b)));
  case RegisterOp::floor_divide:
  case RegisterOp::modulo: {
    if (b == 0)
      return std::nullopt;
    const std::int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return wrapped(op == RegisterOp::modulo ? a - b * quotient : quotient);
  }
  case RegisterOp::minimum:
    return wrapped(std::min(a, b));
  case RegisterOp::maximum:
    return wrapped(std::max(a, b));
  case RegisterOp::bitwise_and:
    return wrapped(a & b);
  case RegisterOp::bitwise_or:
    return wrapped(a | b);
  case RegisterOp::bitwise_xor:
    return wrapped(a ^ b);
  case RegisterOp::left_shift:
    return shifts ? wrapped(a << b) : 0;
  case RegisterOp::right_shift:
    return wrapped(a >> (shifts ? b : 63));
  default:
    return compare(op, a, b);
  }
}

/// All NaNs are one, so that every host gives the same bits.
std::int32_t bitsOf(float x) {
  return std::bit_cast<std::int32_t>(
      std::isnan(x) ? std::bit_cast<float>(0x7fc00000u) : x);
}

std::optional<std::int32_t> computeFloat(RegisterOp op, float a, float b) {
  switch (op) {
  case RegisterOp::add:
    return bitsOf(a + b);
  case RegisterOp::subtract:
    return bitsOf(a - b);
  case RegisterOp::multiply:
    return bitsOf(a * b);
  case RegisterOp::minimum:
  case RegisterOp::maximum: {
    if (std::isnan(a) || std::isnan(b))
      return bitsOf(a + b);
    // Zeros are equal: the sign decides.
    const bool first = a == b ? std::signbit(b) : a > b;
    return bitsOf(first == (op == RegisterOp::maximum) ? a : b);
  }
  default:
    return compare(op, a, b);
  }
}

} // namespace

std::int32_t immediateBits(RegisterType type, std::int32_t value) {
  return type == RegisterType::f32
             ? std::bit_cast<std::int32_t>(static_cast<float>(value))
             : value;
}

std::optional<std::int32_t> computeRegister(RegisterOp op, RegisterType type,
                                            std::int32_t a, std::int32_t b) {
  switch (type) {
  case RegisterType::f32:
    return computeFloat(op, std::bit_cast<float>(a), std::bit_cast<float>(b));
  case RegisterType::u32:
    return computeInteger(op, static_cast<std::uint32_t>(a),
                          static_cast<std::uint32_t>(b));
  case RegisterType::i32:
    break;
  }
  return computeInteger(op, a, b);
}

} // namespace kiln::isa
