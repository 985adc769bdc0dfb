//===- Comparisons.h - Indices compared without overflow -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language compares indices by the sign of their difference. The difference
// of two registers may need 33 bits, and registers have 32.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_COMPARISONS_H
#define KILN_DSL_LIB_RECORD_COMPARISONS_H

#include "IndexRules.h"

#include <limits>
#include <optional>

namespace kiln::dsl {

/// The language writes `max(min(difference, 1), 0)` for 1 if a difference is
/// above 0, else 0. This is the same for differences that do not fit.
class Comparison {
public:
  Comparison(Recorder &recorder, const Where &where)
      : recorder(recorder), arithmetic(recorder, where) {}

  /// The truth, if `max(a, b)` is such a comparison and its difference does not
  /// fit.
  std::optional<IndexValue> ofMaximum(const IndexValue &a,
                                      const IndexValue &b) {
    if (isConstant(a) || !isConstant(b) || b.constant != 0)
      return std::nullopt;
    const program::IndexNode node = nodeOf(a);
    if (node.kind != IndexKind::minimum || constantOf(node.rhs) != 1 ||
        fits({0, node.lhs}))
      return std::nullopt;
    return isPositive(node.lhs);
  }

private:
  program::IndexNode nodeOf(const IndexValue &index) const {
    return recorder.program.indices[index.node];
  }
  std::optional<std::int64_t> constantOf(Id id) const {
    const program::IndexNode &node = recorder.program.indices[id];
    if (node.kind != IndexKind::constant)
      return std::nullopt;
    return node.value;
  }
  bool fits(const IndexValue &index) const {
    using Register = std::numeric_limits<std::int32_t>;
    const Range range = rangeOf(recorder, index);
    return range.low >= Register::min() && range.high <= Register::max();
  }
  /// x, if the node is x * factor with a factor below 0: then x * -factor.
  std::optional<IndexValue> subtracted(Id id) {
    const program::IndexNode node = recorder.program.indices[id];
    if (node.kind != IndexKind::multiply || node.value >= 0)
      return std::nullopt;
    return arithmetic.times({0, node.lhs}, -node.value);
  }

  std::optional<IndexValue> isPositive(Id difference) {
    if (const auto x = subtracted(difference))
      return isBelow(*x, {});
    const program::IndexNode node = recorder.program.indices[difference];
    if (node.kind != IndexKind::add)
      return std::nullopt;
    const IndexValue left{0, node.lhs};
    if (const auto number = constantOf(node.rhs)) {
      if (const auto x = subtracted(node.lhs))
        return isBelow(*x, {*number});
      return isBelow({-*number}, left);
    }
    const auto x = subtracted(node.rhs);
    if (!x)
      return std::nullopt;
    // x < y + 1 is not y < x.
    const program::IndexNode sum = nodeOf(left);
    if (sum.kind == IndexKind::add && constantOf(sum.rhs) == 1 && !fits(left)) {
      const auto above = isBelow({0, sum.lhs}, *x);
      return above ? std::optional(from(1, *above)) : std::nullopt;
    }
    return isBelow(*x, left);
  }

  /// x < y, if both numbers fit when the kernel runs.
  std::optional<IndexValue> isBelow(const IndexValue &x, const IndexValue &y) {
    if (isConstant(y)) {
      if (!fits(y) || !fits({y.constant - 1}))
        return std::nullopt;
      return from(y.constant, clamped(x, y.constant - 1));
    }
    if (isConstant(x)) {
      if (!fits(x) || !fits({x.constant + 1}))
        return std::nullopt;
      return arithmetic.sum(clamped(y, x.constant), {-x.constant});
    }
    // How far the larger one is above x: 0, also in 32 bits, only if it is x.
    const IndexValue larger = arithmetic.compute(IndexKind::maximum, x, y);
    const IndexValue above = arithmetic.sum(larger, arithmetic.times(x, -1));
    const IndexValue some = arithmetic.compute(IndexKind::minimum, above, {1});
    const IndexValue rest =
        arithmetic.compute(IndexKind::minimum, from(-1, above), {0});
    return arithmetic.compute(IndexKind::maximum, some,
                              arithmetic.sum(rest, {1}));
  }

  /// x between number and the next one.
  IndexValue clamped(const IndexValue &x, std::int64_t number) {
    return arithmetic.compute(
        IndexKind::minimum, arithmetic.compute(IndexKind::maximum, x, {number}),
        {number + 1});
  }
  /// number - x.
  IndexValue from(std::int64_t number, const IndexValue &x) {
    return arithmetic.sum(arithmetic.times(x, -1), {number});
  }

  Recorder &recorder;
  IndexArithmetic arithmetic;
};

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_COMPARISONS_H
