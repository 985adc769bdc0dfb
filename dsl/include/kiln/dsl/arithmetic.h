//===- arithmetic.h - Element-wise operations -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on floating-point tiles gives f32, whatever the operands hold,
// because the engines compute in f32. A result is rounded to a narrower type
// only where the kernel says so (cast, assign, store), so fusing operations
// never changes a result. Integer arithmetic gives i32 (u32 for u32 operands);
// it is exact and wraps. An extent of 1 repeats. Comparisons give u8 masks.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_ARITHMETIC_H
#define KILN_DSL_ARITHMETIC_H

#include "kiln/dsl/tile.h"

namespace kiln {

namespace dsl {

template <class A, class B>
inline constexpr bool areIntegers =
    !isa::isFloat(A::dtype) && !isa::isFloat(B::dtype);

/// The result type of arithmetic on A and B.
template <class A, class B>
using ArithmeticType = std::conditional_t<
    areIntegers<A, B>,
    std::conditional_t<std::same_as<A, u32> && std::same_as<B, u32>, u32, i32>,
    f32>;

template <class T, class A, class B>
auto combine(OpKind kind, const char *name, const A &a, const B &b,
             const Where &where) {
  using X = typename A::StaticShape;
  using Y = typename B::StaticShape;
  static_assert(
      shapes_do_not_broadcast<typename ShapeOf<Y>::AsGot,
                              typename ShapeOf<X>::AsWant>::agree,
      "kiln: two tiles must have equal shapes, or 1 where one repeats");
  static_assert(!areIntegers<typename A::Element, typename B::Element> ||
                    std::same_as<typename A::Element, u32> ==
                        std::same_as<typename B::Element, u32>,
                "kiln: u32 does not mix with signed integers; cast one");
  return TileOf<T, BroadcastShape<X, Y>>::fromId(recording(where).binary(
      kind, name, a.viewOf(where), b.viewOf(where), T::dtype, where));
}
template <class A, class B>
auto divide(const A &a, const B &b, const Where &where) {
  static_assert(!areIntegers<typename A::Element, typename B::Element>,
                "kiln: / takes floats; cast the integers first");
  return combine<f32>(OpKind::binary, "divide", a, b, where);
}
template <class A, class B>
auto binary(const char *name, const A &a, const B &b, const Where &where) {
  return combine<ArithmeticType<typename A::Element, typename B::Element>>(
      OpKind::binary, name, a, b, where);
}
template <class A>
auto scalar(const char *name, const A &a, double value, bool reverse,
            const Where &where) {
  using T = ArithmeticType<typename A::Element, typename A::Element>;
  return TileOf<T, typename A::StaticShape>::fromId(recording(where).scalar(
      OpKind::scalar, name, a.viewOf(where), value, reverse, T::dtype, where));
}
template <class A>
auto divideScalar(const A &a, double value, bool reverse, const Where &where) {
  static_assert(isa::isFloat(A::Element::dtype),
                "kiln: / takes floats; cast the integers first");
  return scalar("divide", a, value, reverse, where);
}
template <class A>
auto compareScalar(const char *name, const A &a, double value,
                   const Where &where) {
  return TileOf<u8, typename A::StaticShape>::fromId(
      recording(where).scalar(OpKind::compare, name, a.viewOf(where), value,
                              false, isa::DType::u8, where));
}
template <class X>
auto unary(const char *name, const X &x, const Where &where) {
  return TileOf<f32, typename X::StaticShape>::fromId(
      recording(where).unary(name, x.viewOf(where), where));
}

/// The target of a compound assignment, with the line of the call. A temporary
/// is a target only if it is a view or a buffer: its memory outlives it.
template <class Self> struct Changed {
  Self *target;
  Where where;
  Changed(Self &target, Where where = Where::current())
      : target(&target), where(where) {}
  Changed(Self &&target, Where where = Where::current())
    requires(!requires { target.temporaryId(); })
      : target(&target), where(where) {}

  template <class X> void set(X &&value) const {
    *target = Assigned<Self>(std::forward<X>(value), where);
  }
};

/// The operators, found through the class of either operand.
template <class Self> struct Arithmetic {
#define KILN_DSL_ARITHMETIC(symbol, name)                                      \
  template <TileLike R>                                                        \
  friend auto operator symbol(Located<Self> a, const R &b) {                   \
    return binary(name, a.value, b, a.where);                                  \
  }                                                                            \
  friend auto operator symbol(Located<Self> a, double b) {                     \
    return scalar(name, a.value, b, false, a.where);                           \
  }                                                                            \
  friend auto operator symbol(double a, Located<Self> b) {                     \
    return scalar(name, b.value, a, true, b.where);                            \
  }
  KILN_DSL_ARITHMETIC(+, "add")
  KILN_DSL_ARITHMETIC(-, "subtract")
  KILN_DSL_ARITHMETIC(*, "multiply")
#undef KILN_DSL_ARITHMETIC
  template <TileLike R> friend auto operator/(Located<Self> a, const R &b) {
    return divide(a.value, b, a.where);
  }
  friend auto operator/(Located<Self> a, double b) {
    return divideScalar(a.value, b, false, a.where);
  }
  friend auto operator/(double a, Located<Self> b) {
    return divideScalar(b.value, a, true, b.where);
  }

  // a += b is a = a + b, rounded to the type of a.
#define KILN_DSL_COMPOUND(symbol, name)                                        \
  template <TileLike R>                                                        \
  friend void operator symbol(Changed<Self> a, const R &b) {                   \
    a.set(binary(name, *a.target, b, a.where));                                \
  }                                                                            \
  friend void operator symbol(Changed<Self> a, double b) {                     \
    a.set(scalar(name, *a.target, b, false, a.where));                         \
  }
  KILN_DSL_COMPOUND(+=, "add")
  KILN_DSL_COMPOUND(-=, "subtract")
  KILN_DSL_COMPOUND(*=, "multiply")
#undef KILN_DSL_COMPOUND
  template <TileLike R> friend void operator/=(Changed<Self> a, const R &b) {
    a.set(divide(*a.target, b, a.where));
  }
  friend void operator/=(Changed<Self> a, double b) {
    a.set(divideScalar(*a.target, b, false, a.where));
  }

#define KILN_DSL_COMPARE(symbol, name, mirrored)                               \
  template <TileLike R>                                                        \
  friend auto operator symbol(Located<Self> a, const R &b) {                   \
    return combine<u8>(OpKind::compare, name, a.value, b, a.where);            \
  }                                                                            \
  friend auto operator symbol(Located<Self> a, double b) {                     \
    return compareScalar(name, a.value, b, a.where);                           \
  }                                                                            \
  friend auto operator symbol(double a, Located<Self> b) {                     \
    return compareScalar(mirrored, b.value, a, b.where);                       \
  }
  KILN_DSL_COMPARE(<, "less", "greater")
  KILN_DSL_COMPARE(<=, "less_equal", "greater_equal")
  KILN_DSL_COMPARE(>, "greater", "less")
  KILN_DSL_COMPARE(>=, "greater_equal", "less_equal")
#undef KILN_DSL_COMPARE

#define KILN_DSL_LOGIC(symbol, name)                                           \
  template <TileLike R>                                                        \
  friend auto operator symbol(Located<Self> a, const R &b) {                   \
    static_assert(                                                             \
        std::same_as<typename Self::Element, u8> &&                            \
            std::same_as<typename R::Element, u8>,                             \
        "kiln: logical operators take masks, the u8 results of comparisons");  \
    return combine<u8>(OpKind::binary, name, a.value, b, a.where);             \
  }
  KILN_DSL_LOGIC(&, "logical_and")
  KILN_DSL_LOGIC(|, "logical_or")
  KILN_DSL_LOGIC(^, "logical_xor")
#undef KILN_DSL_LOGIC

  friend auto operator-(Located<Self> a) {
    return scalar("multiply", a.value, -1.0, false, a.where);
  }
  /// The complement of a mask.
  friend auto operator!(Located<Self> a) {
    static_assert(
        std::same_as<typename Self::Element, u8>,
        "kiln: logical operators take masks, the u8 results of comparisons");
    return compareScalar("equal", a.value, 0.0, a.where);
  }
};

} // namespace dsl

#define KILN_DSL_UNARY(name)                                                   \
  template <dsl::TileLike X>                                                   \
  auto name(const X &x, dsl::Where where = dsl::Where::current()) {            \
    return dsl::unary(#name, x, where);                                        \
  }
KILN_DSL_UNARY(exp)
KILN_DSL_UNARY(log)
KILN_DSL_UNARY(sqrt)
KILN_DSL_UNARY(rsqrt)
KILN_DSL_UNARY(reciprocal)
KILN_DSL_UNARY(square)
KILN_DSL_UNARY(abs)
KILN_DSL_UNARY(sign)
KILN_DSL_UNARY(arctan)
KILN_DSL_UNARY(tanh)
KILN_DSL_UNARY(sigmoid)
KILN_DSL_UNARY(relu)
KILN_DSL_UNARY(softplus)
KILN_DSL_UNARY(mish)
KILN_DSL_UNARY(erf)
KILN_DSL_UNARY(erf_dx)
KILN_DSL_UNARY(silu)
KILN_DSL_UNARY(silu_dx)
KILN_DSL_UNARY(gelu)
KILN_DSL_UNARY(gelu_dx)
KILN_DSL_UNARY(gelu_apprx_tanh)
KILN_DSL_UNARY(gelu_apprx_sigmoid)
KILN_DSL_UNARY(gelu_apprx_sigmoid_dx)
#undef KILN_DSL_UNARY

#define KILN_DSL_EXTREMUM(function, name)                                      \
  template <dsl::TileLike A, dsl::TileLike B>                                  \
  auto function(const A &a, const B &b,                                        \
                dsl::Where where = dsl::Where::current()) {                    \
    return dsl::binary(name, a, b, where);                                     \
  }                                                                            \
  template <dsl::TileLike A>                                                   \
  auto function(const A &a, double b,                                          \
                dsl::Where where = dsl::Where::current()) {                    \
    return dsl::scalar(name, a, b, false, where);                              \
  }                                                                            \
  template <dsl::TileLike A>                                                   \
  auto function(double a, const A &b,                                          \
                dsl::Where where = dsl::Where::current()) {                    \
    return dsl::scalar(name, b, a, false, where);                              \
  }
KILN_DSL_EXTREMUM(max, "maximum")
KILN_DSL_EXTREMUM(min, "minimum")
#undef KILN_DSL_EXTREMUM

// Functions, not operators: C++ may swap the operands of == and lose the line.
#define KILN_DSL_EQUALITY(name)                                                \
  template <dsl::TileLike A, dsl::TileLike B>                                  \
  auto name(const A &a, const B &b,                                            \
            dsl::Where where = dsl::Where::current()) {                        \
    return dsl::combine<u8>(dsl::OpKind::compare, #name, a, b, where);         \
  }                                                                            \
  template <dsl::TileLike A>                                                   \
  auto name(const A &a, double b, dsl::Where where = dsl::Where::current()) {  \
    return dsl::compareScalar(#name, a, b, where);                             \
  }
KILN_DSL_EQUALITY(equal)
KILN_DSL_EQUALITY(not_equal)
#undef KILN_DSL_EQUALITY

} // namespace kiln

#endif // KILN_DSL_ARITHMETIC_H
