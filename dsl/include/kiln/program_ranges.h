//===- program_ranges.h - What an index can be ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROGRAM_RANGES_H
#define KILN_PROGRAM_RANGES_H

#include "kiln/isa/access.h"
#include "kiln/program.h"

#include <algorithm>
#include <cstdint>

namespace kiln::program {

/// Includes both ends.
struct IndexRange {
  std::int64_t low = 0, high = 0;
  bool exact = false; ///< Both ends are reached.
};

/// The range of a register that is loaded from an element of `dtype`.
inline IndexRange rangeOfRegister(DType dtype) {
  const auto bytes = static_cast<unsigned>(isa::sizeInBytes(dtype));
  const bool isSigned = dtype == DType::i8 || dtype == DType::i16 || bytes >= 4;
  const std::int64_t values = std::int64_t{1} << 8 * std::min(bytes, 4u);
  const std::int64_t least = isSigned ? -values / 2 : 0;
  return {least, least + values - 1, false};
}
/// The range of a register that holds the number of a rank.
inline constexpr IndexRange rangeOfRank{0, isa::maxRanks - 1, false};

/// The range of a loop's counter.
inline IndexRange rangeOfCounter(const IndexRange &begin, const IndexRange &end,
                                 std::int64_t step, bool constantBounds) {
  IndexRange range{begin.low, end.high - 1, constantBounds};
  if (range.exact && range.low <= range.high)
    range.high -= (range.high - range.low) % step;
  return range;
}

namespace detail {

/// A text may contain any number, so sums and products saturate.
inline std::int64_t sumOf(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    sum = a < 0 ? -most : most;
  return std::clamp(sum, -most, most);
}
inline std::int64_t productOf(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    product = (a < 0) == (b < 0) ? most : -most;
  return std::clamp(product, -most, most);
}

} // namespace detail

/// The range of `node` if its operands have the ranges `a` and `b`; `b` is
/// ignored if there is only one. `independent`: the operands vary
/// independently.
inline IndexRange rangeOf(const IndexNode &node, const IndexRange &a,
                          const IndexRange &b, bool independent) {
  const auto floorDivide = [](std::int64_t x, std::int64_t y) {
    return x / y - (x % y < 0);
  };
  const std::int64_t by = node.value;
  const bool constants = a.low == a.high || b.low == b.high;
  const bool exact = a.exact && b.exact && constants;
  switch (node.kind) {
  case IndexKind::multiply: {
    const std::int64_t low = detail::productOf(a.low, by);
    const std::int64_t high = detail::productOf(a.high, by);
    return {by >= 0 ? low : high, by >= 0 ? high : low, a.exact};
  }
  case IndexKind::floorDivide:
    return {floorDivide(a.low, by), floorDivide(a.high, by), a.exact};
  case IndexKind::modulo:
    if (a.low >= 0 && a.high < by)
      return a;
    return {0, by - 1, a.exact && detail::sumOf(a.high, -a.low) >= by};
  case IndexKind::add:
    return {detail::sumOf(a.low, b.low), detail::sumOf(a.high, b.high),
            a.exact && b.exact && (constants || independent)};
  case IndexKind::minimum:
    return {std::min(a.low, b.low), std::min(a.high, b.high), exact};
  case IndexKind::maximum:
    return {std::max(a.low, b.low), std::max(a.high, b.high), exact};
  default:
    return {by, by, true}; // A constant.
  }
}

} // namespace kiln::program

#endif // KILN_PROGRAM_RANGES_H
