//===- Values.cpp - What is known of registers ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "kiln/isa/register_alu.h"

#include <algorithm>

namespace kiln::problems::checker {
namespace {

using isa::RegisterOp;

/// A register wraps: then nothing is known.
Range wrapped(std::int64_t low, std::int64_t high) {
  const Range all;
  return all.contains(low) && all.contains(high) ? Range{low, high} : all;
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Range product(const Range &a, const Range &b) {
  const auto [low, high] = std::minmax(
      {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return wrapped(low, high);
}

Range quotient(const Range &a, const Range &b) {
  if (b.low <= 0)
    return {};
  const auto [low, high] =
      std::minmax({floorDivide(a.low, b.low), floorDivide(a.low, b.high),
                   floorDivide(a.high, b.low), floorDivide(a.high, b.high)});
  return wrapped(low, high);
}

Range remainder(const Range &a, const Range &b) {
  if (b.low <= 0)
    return {};
  if (a.low >= 0 && a.high < b.low)
    return a;
  return {0, b.high - 1};
}

/// The range of a comparison: 0, 1, or either.
Range compared(RegisterOp op, const Range &a, const Range &b) {
  const auto truth = [](bool always, bool never) {
    return Range{always ? 1 : 0, never ? 0 : 1};
  };
  const bool apart = a.high < b.low || b.high < a.low;
  const bool same = a.low == a.high && b.low == b.high && a.low == b.low;
  switch (op) {
  case RegisterOp::equal:
    return truth(same, apart);
  case RegisterOp::not_equal:
    return truth(apart, same);
  case RegisterOp::greater_equal:
    return truth(a.low >= b.high, a.high < b.low);
  case RegisterOp::greater:
    return truth(a.low > b.high, a.high <= b.low);
  case RegisterOp::less_equal:
    return truth(a.high <= b.low, a.low > b.high);
  case RegisterOp::less:
    return truth(a.high < b.low, a.low >= b.high);
  default:
    return {};
  }
}

Range rangeOf(RegisterOp op, const Range &a, const Range &b) {
  switch (op) {
  case RegisterOp::add:
    return wrapped(a.low + b.low, a.high + b.high);
  case RegisterOp::subtract:
    return wrapped(a.low - b.high, a.high - b.low);
  case RegisterOp::multiply:
    return product(a, b);
  case RegisterOp::floor_divide:
    return quotient(a, b);
  case RegisterOp::modulo:
    return remainder(a, b);
  case RegisterOp::minimum:
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case RegisterOp::maximum:
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case RegisterOp::bitwise_and:
    if (a.low >= 0 || b.low >= 0) // Never more than the one that is positive.
      return {0, a.low < 0   ? b.high
                 : b.low < 0 ? a.high
                             : std::min(a.high, b.high)};
    return {};
  case RegisterOp::right_shift:
    if (b.low == b.high && b.low >= 0 && b.low < 32)
      return {a.low >> b.low, a.high >> b.low};
    return {};
  case RegisterOp::bitwise_or:
  case RegisterOp::bitwise_xor:
  case RegisterOp::left_shift:
    return {};
  default:
    return compared(op, a, b);
  }
}

Range rangeOf(const isa::RegisterAlu &alu, const Range &a, const Range &b) {
  // A number above 2^31 is negative in the register that holds it.
  const bool asRead = alu.type == isa::RegisterType::i32 ||
                      (alu.type == isa::RegisterType::u32 && a.low >= 0 &&
                       b.low >= 0 && alu.op != RegisterOp::subtract);
  return asRead ? rangeOf(alu.op, a, b) : Range{};
}

} // namespace

std::uint64_t identityOf(const Value &value) {
  return value.known ? mix(1, static_cast<std::uint32_t>(value.number))
                     : value.identity;
}

Value Registers::read(const isa::RegisterOrInt &operand) const {
  if (const auto *number = std::get_if<std::int32_t>(&operand.value))
    return Value::of(*number);
  return at(std::get<isa::Register>(operand.value));
}

Value Registers::compute(const isa::RegisterAlu &alu) const {
  const auto operand = [&](const isa::RegisterOrInt &field) {
    if (const auto *number = std::get_if<std::int32_t>(&field.value))
      return Value::of(isa::immediateBits(alu.type, *number));
    return read(field);
  };
  const Value a = operand(alu.a), b = operand(alu.b);
  const std::uint64_t identity =
      mix(mix(static_cast<std::uint64_t>(alu.op) << 8 |
                  static_cast<std::uint64_t>(alu.type),
              identityOf(a)),
          identityOf(b));
  if (!a.known || !b.known)
    return Value::unknown(identity, rangeOf(alu, a.range, b.range));
  // The result of a division by zero is undefined.
  const auto result =
      isa::computeRegister(alu.op, alu.type, a.number, b.number);
  return result ? Value::of(*result) : Value::unknown(identity);
}

Value Registers::loaded(const isa::Access &source, std::uint64_t moment) const {
  std::uint64_t identity =
      mix(mix(moment,
              static_cast<std::uint64_t>(source.space) << 32 | source.tensor),
          mix(source.partition, static_cast<std::uint64_t>(source.offset)));
  for (unsigned t = 0; t < source.numTerms; ++t)
    identity = mix(mix(identity, identityOf(at(source.terms[t].reg))),
                   static_cast<std::uint64_t>(source.terms[t].scale));
  switch (source.dtype) {
  case isa::DType::u8:
    return Value::unknown(identity, {0, 255});
  case isa::DType::i8:
    return Value::unknown(identity, {-128, 127});
  case isa::DType::u16:
    return Value::unknown(identity, {0, 65535});
  case isa::DType::i16:
    return Value::unknown(identity, {-32768, 32767});
  default:
    return Value::unknown(identity);
  }
}

} // namespace kiln::problems::checker
