//===- IndexRules.h - Index expressions while recording ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_INDEXRULES_H
#define KILN_DSL_LIB_RECORD_INDEXRULES_H

#include "Recorder.h"

#include <algorithm>

namespace kiln::dsl {

inline bool isConstant(const IndexValue &index) { return index.node == none; }

/// The expression's number in the program.
inline Id idOf(Recorder &recorder, const IndexValue &index) {
  if (!isConstant(index))
    return index.node;
  program::IndexNode value;
  value.value = index.constant;
  return recorder.addIndex(value);
}

/// + and - of anything, * / % by constants, min and max; constants fold.
class IndexArithmetic {
public:
  IndexArithmetic(Recorder &recorder, const Where &where)
      : recorder(recorder), where(where) {}

  IndexValue compute(IndexKind kind, const IndexValue &a, const IndexValue &b) {
    switch (kind) {
    case IndexKind::add:
      return sum(a, b);
    case IndexKind::multiply:
      return product(a, b);
    case IndexKind::floorDivide:
    case IndexKind::modulo:
      return divided(kind, a, b);
    default:
      return extremum(kind, a, b);
    }
  }

  IndexValue sum(const IndexValue &a, const IndexValue &b) {
    if (isConstant(a) && isConstant(b))
      return {a.constant + b.constant};
    if (isConstant(a))
      return sum(b, a);
    if (!isConstant(b))
      return make(IndexKind::add, a, 0, b.node);
    if (b.constant == 0)
      return a;
    // (x + c) + d is x + (c + d).
    const program::IndexNode node = recorder.program.indices[a.node];
    if (node.kind == IndexKind::add) {
      const program::IndexNode right = recorder.program.indices[node.rhs];
      if (right.kind == IndexKind::constant)
        return sum({0, node.lhs}, {right.value + b.constant});
    }
    return make(IndexKind::add, a, 0, idOf(recorder, b));
  }

  IndexValue times(const IndexValue &a, std::int64_t factor) {
    if (isConstant(a))
      return {a.constant * factor};
    if (factor == 0)
      return {};
    if (factor == 1)
      return a;
    const program::IndexNode node = recorder.program.indices[a.node];
    if (node.kind == IndexKind::multiply)
      return times({0, node.lhs}, node.value * factor);
    return make(IndexKind::multiply, a, factor);
  }

private:
  IndexValue make(IndexKind kind, const IndexValue &lhs, std::int64_t value,
                  Id rhs = none) {
    program::IndexNode node;
    node.kind = kind;
    node.value = value;
    node.lhs = idOf(recorder, lhs);
    node.rhs = rhs;
    return {0, recorder.addIndex(node)};
  }

  IndexValue product(const IndexValue &a, const IndexValue &b) {
    if (isConstant(b))
      return times(a, b.constant);
    if (isConstant(a))
      return times(b, a.constant);
    fail("KILN-A006", "the product of two loop indices is not affine",
         "multiply an index by a number that is known while recording", where);
  }

  IndexValue divided(IndexKind kind, const IndexValue &a, const IndexValue &b) {
    if (!isConstant(b) || b.constant <= 0)
      fail("KILN-A006",
           isConstant(b)
               ? "an index is divided by <|" + std::to_string(b.constant) + "|>"
               : "an index is divided by another index",
           "divide by a positive number that is known while recording", where);
    const std::int64_t d = b.constant;
    if (isConstant(a)) {
      const std::int64_t quotient = a.constant / d - (a.constant % d < 0);
      return {kind == IndexKind::modulo ? a.constant - quotient * d : quotient};
    }
    if (d == 1)
      return kind == IndexKind::modulo ? IndexValue{} : a;
    return make(kind, a, d);
  }

  IndexValue extremum(IndexKind kind, const IndexValue &a,
                      const IndexValue &b) {
    if (isConstant(a) && isConstant(b))
      return {kind == IndexKind::minimum ? std::min(a.constant, b.constant)
                                         : std::max(a.constant, b.constant)};
    return make(kind, a, 0, idOf(recorder, b));
  }

  Recorder &recorder;
  Where where;
};

using Range = Recorder::Range;

/// The values that an expression can take. `exact` if both ends are reached, so
/// that an access beyond the end is certain.
inline Range rangeOf(const Recorder &recorder, Id id) {
  const program::IndexNode &node = recorder.program.indices[id];
  using Kind = program::IndexKind;
  if (node.kind == Kind::constant)
    return {node.value, node.value, true};
  if (node.kind == Kind::variable) {
    const auto found = recorder.loopRanges.find(node.lhs);
    return found == recorder.loopRanges.end() ? Range{} : found->second;
  }
  const Range a = rangeOf(recorder, node.lhs);
  if (node.rhs == none)
    return program::rangeOf(node, a, a, false);
  // Two different loops vary independently; deeper sums may not.
  const auto simple = [&](Id operand) {
    const auto *n = &recorder.program.indices[operand];
    while (n->kind == Kind::multiply)
      n = &recorder.program.indices[n->lhs];
    return n->kind == Kind::variable ? n->lhs : none;
  };
  const Id x = simple(node.lhs), y = simple(node.rhs);
  return program::rangeOf(node, a, rangeOf(recorder, node.rhs),
                          x != none && y != none && x != y);
}
inline Range rangeOf(const Recorder &recorder, const IndexValue &index) {
  if (isConstant(index))
    return {index.constant, index.constant, true};
  return rangeOf(recorder, index.node);
}

/// True if the value is known only when the kernel runs.
inline bool isDynamic(const Recorder &recorder, Id id) {
  const program::IndexNode &node = recorder.program.indices[id];
  if (node.kind == IndexKind::constant)
    return false;
  if (node.kind == IndexKind::variable)
    return std::find(recorder.dynamicValues.begin(),
                     recorder.dynamicValues.end(),
                     node.lhs) != recorder.dynamicValues.end();
  return isDynamic(recorder, node.lhs) ||
         (node.rhs != none && isDynamic(recorder, node.rhs));
}
inline bool isDynamic(const Recorder &recorder, const IndexValue &index) {
  return !isConstant(index) && isDynamic(recorder, index.node);
}

inline void checkVisible(const Recorder &recorder, Id id, const Where &where) {
  const program::IndexNode &node = recorder.program.indices[id];
  if (node.kind == program::IndexKind::variable) {
    recorder.checkVisible(node.lhs, where);
    return;
  }
  if (node.lhs != none)
    checkVisible(recorder, node.lhs, where);
  if (node.rhs != none)
    checkVisible(recorder, node.rhs, where);
}
/// An index that addresses memory: its loops are open.
inline void checkAddress(const Recorder &recorder, const IndexValue &index,
                         const Where &where) {
  if (isConstant(index))
    return;
  checkVisible(recorder, index.node, where);
}

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_INDEXRULES_H
