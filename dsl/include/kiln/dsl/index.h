//===- index.h - Integers that depend on recorded loops -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_INDEX_H
#define KILN_DSL_INDEX_H

#include "kiln/dsl/recording.h"
#include "kiln/dsl/types.h"

#include <boost/hana/div.hpp>
#include <boost/hana/minus.hpp>
#include <boost/hana/mod.hpp>
#include <boost/hana/mult.hpp>
#include <boost/hana/one.hpp>
#include <boost/hana/plus.hpp>
#include <boost/hana/zero.hpp>

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
  Index(const E &constant) : content{dsl::extentValue(constant), dsl::none} {}
  Index(const dsl::IndexValue &value) : content(value) {}

  bool isConstant() const { return content.node == dsl::none; }
  std::int64_t constantValue() const { return content.constant; }
  const dsl::IndexValue &value() const { return content; }

  friend Index operator+(dsl::Located<Index> a, const Index &b) {
    return make(Kind::add, a.value, b, a.where);
  }
  template <dsl::Extent E>
  friend Index operator+(const E &a, dsl::Located<Index> b) {
    return make(Kind::add, b.value, a, b.where);
  }
  friend Index operator-(dsl::Located<Index> a, const Index &b) {
    return make(Kind::add, a.value, negated(b, a.where), a.where);
  }
  template <dsl::Extent E>
  friend Index operator-(const E &a, dsl::Located<Index> b) {
    return make(Kind::add, negated(b.value, b.where), a, b.where);
  }
  friend Index operator-(dsl::Located<Index> a) {
    return negated(a.value, a.where);
  }
  friend Index operator*(dsl::Located<Index> a, const Index &b) {
    return make(Kind::multiply, a.value, b, a.where);
  }
  template <dsl::Extent E>
  friend Index operator*(const E &a, dsl::Located<Index> b) {
    return make(Kind::multiply, b.value, a, b.where);
  }
  friend Index operator/(dsl::Located<Index> a, const Index &b) {
    return make(Kind::floorDivide, a.value, b, a.where);
  }
  friend Index operator%(dsl::Located<Index> a, const Index &b) {
    return make(Kind::modulo, a.value, b, a.where);
  }
  friend Index min(const Index &a, const Index &b) {
    return make(Kind::minimum, a, b, dsl::Where::current());
  }
  friend Index max(const Index &a, const Index &b) {
    return make(Kind::maximum, a, b, dsl::Where::current());
  }

private:
  using Kind = program::IndexKind;
  static Index make(Kind kind, const Index &a, const Index &b,
                    const dsl::Where &where) {
    return dsl::recording(where).compute(kind, a.content, b.content, where);
  }
  static Index negated(const Index &a, const dsl::Where &where) {
    return make(Kind::multiply, a, -1, where);
  }

  dsl::IndexValue content;
};

} // namespace kiln

// Hana's operators match every expression that contains a constant, including
// `i * 128_c`; these specialisations redirect it to Index.
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
