//===- index.h - Integers that depend on recorded loops -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_INDEX_H
#define KILN_DSL_INDEX_H

#include "kiln/dsl/recorder.h"
#include "kiln/dsl/types.h"

#include <boost/hana/div.hpp>
#include <boost/hana/minus.hpp>
#include <boost/hana/mod.hpp>
#include <boost/hana/mult.hpp>
#include <boost/hana/one.hpp>
#include <boost/hana/plus.hpp>
#include <boost/hana/zero.hpp>

#include <algorithm>

namespace kiln {

namespace dsl {

/// A first operand that carries the line of the call. Operators cannot have a
/// defaulted location, but a conversion at the call can.
template <class T> struct Located {
  const T &value;
  Where where;
  Located(const T &value, Where where = Where::current())
      : value(value), where(where) {}
};

} // namespace dsl

/// The value of a recorded loop, or arithmetic on it: + and - of anything,
/// * / % by constants, min and max. Division rounds down, also below zero.
class Index {
public:
  template <dsl::Extent E>
  Index(const E &constant) : constant(dsl::extentValue(constant)) {}
  static Index ofNode(dsl::Id node) {
    Index index(0);
    index.node = node;
    return index;
  }

  bool isConstant() const { return node == dsl::none; }
  std::int64_t constantValue() const { return constant; }

  /// The expression's number in the program.
  dsl::Id id() const {
    if (!isConstant())
      return node;
    program::IndexNode value;
    value.value = constant;
    return dsl::Recorder::current().addIndex(value);
  }

  friend Index operator+(dsl::Located<Index> a, const Index &b) {
    return sum(a.value, b);
  }
  template <dsl::Extent E>
  friend Index operator+(const E &a, dsl::Located<Index> b) {
    return sum(b.value, Index(a));
  }
  friend Index operator-(dsl::Located<Index> a, const Index &b) {
    return sum(a.value, times(b, -1));
  }
  template <dsl::Extent E>
  friend Index operator-(const E &a, dsl::Located<Index> b) {
    return sum(times(b.value, -1), Index(a));
  }
  friend Index operator-(dsl::Located<Index> a) { return times(a.value, -1); }
  friend Index operator*(dsl::Located<Index> a, const Index &b) {
    if (b.isConstant())
      return times(a.value, b.constant);
    if (a.value.isConstant())
      return times(b, a.value.constant);
    dsl::fail("KILN-A006", "the product of two loop indices is not affine",
              "multiply an index by a number that is known while recording",
              a.where);
  }
  template <dsl::Extent E>
  friend Index operator*(const E &a, dsl::Located<Index> b) {
    return times(b.value, dsl::extentValue(a));
  }
  friend Index operator/(dsl::Located<Index> a, const Index &b) {
    return divided(program::IndexKind::floorDivide, a, b);
  }
  friend Index operator%(dsl::Located<Index> a, const Index &b) {
    return divided(program::IndexKind::modulo, a, b);
  }
  friend Index min(const Index &a, const Index &b) {
    return extremum(program::IndexKind::minimum, a, b);
  }
  friend Index max(const Index &a, const Index &b) {
    return extremum(program::IndexKind::maximum, a, b);
  }

private:
  using Kind = program::IndexKind;

  static Index make(Kind kind, const Index &lhs, std::int64_t value,
                    dsl::Id rhs = dsl::none) {
    program::IndexNode n;
    n.kind = kind;
    n.value = value;
    n.lhs = lhs.id();
    n.rhs = rhs;
    return ofNode(dsl::Recorder::current().addIndex(n));
  }
  const program::IndexNode &get(dsl::Id id) const {
    return dsl::Recorder::current().program.indices[id];
  }

  static Index sum(const Index &a, const Index &b) {
    if (a.isConstant() && b.isConstant())
      return Index(a.constant + b.constant);
    if (a.isConstant())
      return sum(b, a);
    if (!b.isConstant())
      return make(Kind::add, a, 0, b.node);
    if (b.constant == 0)
      return a;
    // (x + c) + d is x + (c + d).
    const program::IndexNode node = a.get(a.node);
    if (node.kind == Kind::add) {
      const program::IndexNode right = a.get(node.rhs);
      if (right.kind == Kind::constant)
        return sum(ofNode(node.lhs), Index(right.value + b.constant));
    }
    return make(Kind::add, a, 0, b.id());
  }

  static Index times(const Index &a, std::int64_t factor) {
    if (a.isConstant())
      return Index(a.constant * factor);
    if (factor == 0)
      return Index(0);
    if (factor == 1)
      return a;
    const program::IndexNode node = a.get(a.node);
    if (node.kind == Kind::multiply)
      return times(ofNode(node.lhs), node.value * factor);
    return make(Kind::multiply, a, factor);
  }

  static Index divided(Kind kind, const dsl::Located<Index> &a,
                       const Index &b) {
    if (!b.isConstant() || b.constant <= 0)
      dsl::fail("KILN-A006",
                b.isConstant()
                    ? "an index is divided by " + std::to_string(b.constant)
                    : "an index is divided by another index",
                "divide by a positive number that is known while recording",
                a.where);
    const std::int64_t d = b.constant;
    if (a.value.isConstant()) {
      const std::int64_t x = a.value.constant;
      const std::int64_t quotient = x / d - (x % d < 0);
      return Index(kind == Kind::modulo ? x - quotient * d : quotient);
    }
    if (d == 1)
      return kind == Kind::modulo ? Index(0) : a.value;
    return make(kind, a.value, d);
  }

  static Index extremum(Kind kind, const Index &a, const Index &b) {
    if (a.isConstant() && b.isConstant())
      return Index(kind == Kind::minimum ? std::min(a.constant, b.constant)
                                         : std::max(a.constant, b.constant));
    return make(kind, a, 0, b.id());
  }

  std::int64_t constant = 0;
  dsl::Id node = dsl::none;
};

namespace dsl {

using Range = Recorder::Range;

/// The values an expression can take. `exact` when both ends are reached, so
/// that an access beyond the end is certain.
inline Range rangeOf(const Recorder &recorder, Id id) {
  const program::IndexNode &node = recorder.program.indices[id];
  using Kind = program::IndexKind;
  const auto floorDiv = [](std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0);
  };
  if (node.kind == Kind::constant)
    return {node.value, node.value, true};
  if (node.kind == Kind::variable) {
    const auto found = recorder.loopRanges.find(node.lhs);
    return found == recorder.loopRanges.end() ? Range{} : found->second;
  }
  const Range a = rangeOf(recorder, node.lhs);
  switch (node.kind) {
  case Kind::multiply:
    return node.value >= 0
               ? Range{a.low * node.value, a.high * node.value, a.exact}
               : Range{a.high * node.value, a.low * node.value, a.exact};
  case Kind::floorDivide:
    return {floorDiv(a.low, node.value), floorDiv(a.high, node.value), a.exact};
  case Kind::modulo:
    if (a.low >= 0 && a.high < node.value)
      return a;
    return {0, node.value - 1, a.exact && a.high - a.low >= node.value};
  default:
    break;
  }
  const Range b = rangeOf(recorder, node.rhs);
  const bool constants = a.low == a.high || b.low == b.high;
  const bool exact = a.exact && b.exact && constants;
  switch (node.kind) {
  case Kind::add: {
    // Two different loops vary independently; deeper sums may not.
    const auto simple = [&](Id operand) {
      const auto *n = &recorder.program.indices[operand];
      while (n->kind == Kind::multiply)
        n = &recorder.program.indices[n->lhs];
      return n->kind == Kind::variable ? n->lhs : none;
    };
    const Id x = simple(node.lhs), y = simple(node.rhs);
    const bool independent = x != none && y != none && x != y;
    return {a.low + b.low, a.high + b.high,
            a.exact && b.exact && (constants || independent)};
  }
  case Kind::minimum:
    return {std::min(a.low, b.low), std::min(a.high, b.high), exact};
  default:
    return {std::max(a.low, b.low), std::max(a.high, b.high), exact};
  }
}
inline Range rangeOf(const Recorder &recorder, const Index &index) {
  if (index.isConstant())
    return {index.constantValue(), index.constantValue(), true};
  return rangeOf(recorder, index.id());
}

/// min and max may only bound loops: address registers cannot compute them.
inline bool hasExtremum(const Recorder &recorder, Id id) {
  const program::IndexNode &node = recorder.program.indices[id];
  using Kind = program::IndexKind;
  if (node.kind == Kind::minimum || node.kind == Kind::maximum)
    return true;
  if (node.kind == Kind::constant || node.kind == Kind::variable)
    return false;
  return hasExtremum(recorder, node.lhs) ||
         (node.kind == Kind::add && hasExtremum(recorder, node.rhs));
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
/// An index that addresses memory: affine, and its loops are open.
inline void checkAddress(const Index &index, const Where &where) {
  if (index.isConstant())
    return;
  const Recorder &recorder = Recorder::current(where);
  checkVisible(recorder, index.id(), where);
  if (hasExtremum(recorder, index.id()))
    fail("KILN-A007", "min or max of loop indices is used as an address",
         "use min and max in loop bounds only", where);
}

} // namespace dsl
} // namespace kiln

// Hana's operators take every expression with a constant in it, `i * 128_c`
// too; these send it back to Index.
#define KILN_DSL_HANA(operation, symbol)                                       \
  template <> struct boost::hana::operation##_impl<kiln::Index, kiln::Index> { \
    static auto apply(const kiln::Index &a, const kiln::Index &b) {            \
      return a symbol b;                                                       \
    }                                                                          \
  };                                                                           \
  template <class I>                                                           \
  struct boost::hana::operation##                                              \
      _impl<kiln::Index, boost::hana::integral_constant_tag<I>>                \
      : boost::hana::operation##_impl<kiln::Index, kiln::Index> {};            \
  template <class I>                                                           \
  struct boost::hana::operation##                                              \
      _impl<boost::hana::integral_constant_tag<I>, kiln::Index>                \
      : boost::hana::operation##_impl<kiln::Index, kiln::Index> {};
KILN_DSL_HANA(plus, +)
KILN_DSL_HANA(minus, -)
KILN_DSL_HANA(mult, *)
KILN_DSL_HANA(div, /)
KILN_DSL_HANA(mod, %)
#undef KILN_DSL_HANA
template <> struct boost::hana::zero_impl<kiln::Index> {
  static kiln::Index apply() { return kiln::Index(0); }
};
template <> struct boost::hana::one_impl<kiln::Index> {
  static kiln::Index apply() { return kiln::Index(1); }
};

#endif // KILN_DSL_INDEX_H
