//===- functions.h - Functions made of others -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that no engine computes in one step: rounding to integers,
// remainders, powers, angles, means, softmax. Each is defined by the operations
// that it consists of, in f32. The compiler fuses these like a kernel's own
// operations. Their source line is that of the call.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_FUNCTIONS_H
#define KILN_DSL_FUNCTIONS_H

#include "kiln/dsl/mask.h"

namespace kiln {

namespace dsl {

/// Operations at a given source line, named as in the language.
struct Steps {
  Where at;

  template <class A, class B> auto add(const A &a, const B &b) const {
    return binary("add", a, b, at);
  }
  template <class A, class B> auto subtract(const A &a, const B &b) const {
    return binary("subtract", a, b, at);
  }
  template <class A, class B> auto multiply(const A &a, const B &b) const {
    return binary("multiply", a, b, at);
  }
  template <class A> auto plus(const A &a, double b) const {
    return scalar("add", a, b, false, at);
  }
  template <class A> auto times(const A &a, double b) const {
    return scalar("multiply", a, b, false, at);
  }
  template <class A> auto apply(const char *function, const A &a) const {
    return unary(function, a, at);
  }
  template <class A, class B>
  auto compare(const char *op, const A &a, const B &b) const {
    return combine<u8>(OpKind::compare, op, a, b, at);
  }
  template <class A> auto compare(const char *op, const A &a, double b) const {
    return compareScalar(op, a, b, at);
  }
  template <class M, class A, class B>
  auto choose(const M &mask, const A &a, const B &b) const {
    return where(mask, a, b, at);
  }
};

} // namespace dsl

//===----------------------------------------------------------------------===//
// Rounding to integers. A zero result is +0; beyond 2^23 every f32 is an
// integer.
//===----------------------------------------------------------------------===//

/// To the nearest integer, ties to even.
template <dsl::TileLike X>
auto round(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto near = cast<f32>(cast<i32>(x, at), at);
  const auto small = s.compare("less", s.apply("abs", x), 8388608.0);
  return s.choose(small, near, cast<f32>(x, at));
}
template <dsl::TileLike X>
auto floor(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto near = round(x, at);
  return s.subtract(near, s.compare("greater", near, x));
}
template <dsl::TileLike X>
auto ceil(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto near = round(x, at);
  return s.add(near, s.compare("less", near, x));
}
/// Towards 0.
template <dsl::TileLike X>
auto trunc(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto near = round(x, at);
  const auto beyond =
      s.compare("greater", s.apply("abs", near), s.apply("abs", x));
  return s.subtract(near, s.multiply(s.apply("sign", x), beyond));
}

//===----------------------------------------------------------------------===//
// Remainders and powers
//===----------------------------------------------------------------------===//

/// x - y * floor(x / y). It has the sign of y and is smaller than y in
/// magnitude.
template <dsl::TileLike X, dsl::TileLike Y>
auto mod(const X &x, const Y &y, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto quotient = floor(s.multiply(x, s.apply("reciprocal", y)), at);
  const auto first = s.subtract(x, s.multiply(quotient, y));
  // The quotient was rounded, so the floor may be off by one, either way.
  const auto below = s.compare("less", s.multiply(first, y), 0.0);
  const auto second = s.add(first, s.multiply(y, below));
  const auto above =
      s.compare("greater_equal", s.apply("abs", second), s.apply("abs", y));
  return s.subtract(second, s.multiply(y, above));
}
template <dsl::TileLike X>
auto mod(const X &x, double y, dsl::Where at = dsl::Where::current()) {
  require(y != 0, {"mod by <|", y, "|>, expected [|another divisor than 0|]"},
          "give another divisor", at);
  const dsl::Steps s{at};
  const auto quotient = floor(s.times(x, 1 / y), at);
  const auto first = s.subtract(x, s.times(quotient, y));
  const auto below = s.compare("less", s.times(first, y), 0.0);
  const auto second = s.add(first, s.times(cast<f32>(below, at), y));
  const auto above =
      s.compare("greater_equal", s.apply("abs", second), y < 0 ? -y : y);
  return s.subtract(second, s.times(cast<f32>(above, at), y));
}
/// x - y * trunc(x / y), with the sign of x.
template <dsl::TileLike X, dsl::TileLike Y>
auto fmod(const X &x, const Y &y, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  return s.multiply(s.apply("sign", x),
                    mod(s.apply("abs", x), s.apply("abs", y), at));
}
template <dsl::TileLike X>
auto fmod(const X &x, double y, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  return s.multiply(s.apply("sign", x),
                    mod(s.apply("abs", x), y < 0 ? -y : y, at));
}

/// x to the power of y, on GpSimd.
template <dsl::TileLike X, dsl::TileLike Y>
auto power(const X &x, const Y &y, dsl::Where at = dsl::Where::current()) {
  return dsl::combine<f32>(dsl::OpKind::binary, "power", x, y, at);
}
/// For exponents 1, 2, 0.5, -0.5 and -1 this is a copy or a single function.
template <dsl::TileLike X>
auto power(const X &x, double y, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  if (y == 1)
    return cast<f32>(x, at);
  const char *function = y == 2      ? "square"
                         : y == 0.5  ? "sqrt"
                         : y == -0.5 ? "rsqrt"
                         : y == -1   ? "reciprocal"
                                     : nullptr;
  if (function)
    return s.apply(function, x);
  using Tile = dsl::TileOf<f32, typename X::StaticShape>;
  return Tile::fromId(dsl::recording(at).scalar(dsl::OpKind::scalar, "power",
                                                x.viewOf(at), y, false,
                                                isa::DType::f32, at));
}

namespace dsl {
/// Where |x| < |y|, or |x| > |y|. Integers are compared exactly: by -|x|, as
/// i32 does not hold the magnitude of its least number.
template <class X, class Y>
auto compareMagnitudes(bool less, const X &x, const Y &y, const Where &at) {
  const Steps s{at};
  if constexpr (!areIntegers<typename X::Element, typename Y::Element>) {
    return s.compare(less ? "less" : "greater", s.apply("abs", x),
                     s.apply("abs", y));
  } else if constexpr (std::same_as<typename X::Element, u32>) {
    return s.compare(less ? "less" : "greater", x, y);
  } else {
    const auto negated = [&](const auto &tile) {
      return binary("minimum", tile, s.times(tile, -1), at);
    };
    return s.compare(less ? "greater" : "less", negated(x), negated(y));
  }
}
} // namespace dsl

/// The operand with the larger (smaller) magnitude; y if they are equal.
template <dsl::TileLike X, dsl::TileLike Y>
auto abs_max(const X &x, const Y &y, dsl::Where at = dsl::Where::current()) {
  return dsl::Steps{at}.choose(dsl::compareMagnitudes(false, x, y, at), x, y);
}
template <dsl::TileLike X, dsl::TileLike Y>
auto abs_min(const X &x, const Y &y, dsl::Where at = dsl::Where::current()) {
  return dsl::Steps{at}.choose(dsl::compareMagnitudes(true, x, y, at), x, y);
}

/// x, but slope * x where x is below 0.
template <dsl::TileLike X>
auto prelu(const X &x, double slope, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  return s.add(s.apply("relu", x),
               s.times(dsl::scalar("minimum", x, 0.0, false, at), slope));
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

namespace dsl {
/// The reduction leaves up to 0.005 more than pi of 2^13 turns, where the
/// instruction is still a sine, and up to here within [-1, 1].
inline constexpr double farthestAngle = 3.5;

/// x - n * 2 pi, for the integer n that brings the result nearest to 0. 2 pi is
/// split into three parts; the products of n with the first two are exact for
/// |n| up to 2^13. Far beyond that, the remainder may be any number.
template <class X> auto reducedAngle(const X &x, const Where &at) {
  constexpr double parts[] = {6.28125, 0x1.fb4p-10, 0x1.4442d18469899p-22};
  const Steps s{at};
  const auto turns =
      cast<f32>(cast<i32>(s.times(x, 0.15915494309189535), at), at);
  const auto first = s.subtract(x, s.times(turns, parts[0]));
  const auto second = s.subtract(first, s.times(turns, parts[1]));
  return s.subtract(second, s.times(turns, parts[2]));
}
/// The sine of an angle that was reduced from x; NaN if x is infinite.
template <class X, class A>
auto sineOf(const X &x, const A &angle, const Where &at) {
  const Steps s{at};
  return s.apply("sin", s.add(s.times(x, 0.0), angle));
}
} // namespace dsl
template <dsl::TileLike X>
auto sin(const X &x, dsl::Where at = dsl::Where::current()) {
  const auto below = dsl::scalar("minimum", dsl::reducedAngle(x, at),
                                 dsl::farthestAngle, false, at);
  return dsl::sineOf(
      x, dsl::scalar("maximum", below, -dsl::farthestAngle, false, at), at);
}
/// sin(pi / 2 - |x|)
template <dsl::TileLike X>
auto cos(const X &x, dsl::Where at = dsl::Where::current()) {
  const auto size = dsl::Steps{at}.apply("abs", dsl::reducedAngle(x, at));
  const auto near = dsl::scalar("minimum", size, dsl::farthestAngle, false, at);
  return dsl::sineOf(
      x, dsl::scalar("subtract", near, 1.5707963267948966, true, at), at);
}
template <dsl::TileLike X>
auto tan(const X &x, dsl::Where at = dsl::Where::current()) {
  return dsl::divide(sin(x, at), cos(x, at), at);
}

//===----------------------------------------------------------------------===//
// Over rows and columns
//===----------------------------------------------------------------------===//

template <dsl::TileLike X>
auto row_mean(const X &x, dsl::Where at = dsl::Where::current()) {
  const auto count = static_cast<double>(x.dim(1, at));
  return dsl::Steps{at}.times(row_sum(x, at), 1 / count);
}
/// The mean square of the distance from the mean.
template <dsl::TileLike X>
auto row_var(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  return row_mean(s.apply("square", s.subtract(x, row_mean(x, at))), at);
}
/// [R, C] to [1, C], as a product with ones.
template <dsl::TileLike X>
auto col_sum(const X &x, dsl::Where at = dsl::Where::current()) {
  using S = typename X::StaticShape;
  static_assert(S::rank == 2, "kiln: col_sum takes a tile of two dimensions");
  // Products of 16-bit floats with ones are as exact, at four times the rate.
  using E = typename X::Element;
  constexpr bool isShort = std::is_same_v<E, bf16> || std::is_same_v<E, f16>;
  using T = std::conditional_t<isShort, E, f32>;
  using Ones = dsl::TileOf<T, Shape<dsl::ShapeOf<S>::extents[0], 1>>;
  const auto one = Ones::fromId(
      dsl::recording(at).fill(1.0, T::dtype, {x.dim(0, at), 1}, at));
  if constexpr (isShort)
    return matmul(one, x, at);
  else
    return matmul(one, cast<T>(x, at), at);
}

/// exp(x) divided by its row sum, after subtracting the row's largest element.
template <dsl::TileLike X>
auto softmax(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto e = s.apply("exp", s.subtract(x, row_max(x, at)));
  return s.multiply(e, s.apply("reciprocal", row_sum(e, at)));
}
/// x / sqrt(mean(x^2) + epsilon) * weight, weight [1, C].
template <dsl::TileLike X, dsl::TileLike W>
auto rms_norm(const X &x, const W &weight, double epsilon = 1e-6,
              dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto mean = row_mean(s.apply("square", x), at);
  const auto scale = s.apply("rsqrt", s.plus(mean, epsilon));
  return s.multiply(s.multiply(x, scale), weight);
}

//===----------------------------------------------------------------------===//
// Tiles like others
//===----------------------------------------------------------------------===//

template <dsl::TileLike X>
auto full_like(const X &x, double value,
               dsl::Where at = dsl::Where::current()) {
  static_assert(X::StaticShape::rank == 2,
                "kiln: full_like takes a tile of two dimensions");
  return dsl::TileOf<typename X::Element, typename X::StaticShape>::fromId(
      dsl::recording(at).fill(value, X::Element::dtype,
                              {x.dim(0, at), x.dim(1, at)}, at));
}
template <dsl::TileLike X>
auto zeros_like(const X &x, dsl::Where at = dsl::Where::current()) {
  return full_like(x, 0.0, at);
}
template <dsl::TileLike X>
auto ones_like(const X &x, dsl::Where at = dsl::Where::current()) {
  return full_like(x, 1.0, at);
}
/// 1 on the diagonal.
template <ElementType T, dsl::Extent N>
auto identity(const N &n, dsl::Where at = dsl::Where::current()) {
  return keep(ones<T>(n, n, at), row(0) == col(0), 0.0, at);
}
/// x with its extents of 1 repeated, as a new tile: f32, or x's own type if it
/// holds integers.
template <dsl::TileLike X, dsl::Extent R, dsl::Extent C>
auto broadcast_to(const X &x, const R &rows, const C &cols,
                  dsl::Where at = dsl::Where::current()) {
  using T = typename X::Element;
  if constexpr (dsl::areIntegers<T, T>) {
    using Wide = std::conditional_t<std::same_as<T, u32>, u32, i32>;
    return cast<T>(dsl::Steps{at}.add(x, zeros<Wide>(rows, cols, at)), at);
  } else {
    return dsl::Steps{at}.multiply(x, ones<f32>(rows, cols, at));
  }
}

// On masks: the same as & | ^ !.
#define KILN_DSL_LOGICAL(name)                                                 \
  template <dsl::TileLike A, dsl::TileLike B>                                  \
  auto name(const A &a, const B &b, dsl::Where at = dsl::Where::current()) {   \
    static_assert(                                                             \
        std::same_as<typename A::Element, u8> &&                               \
            std::same_as<typename B::Element, u8>,                             \
        "kiln: logical operators take masks, the u8 results of comparisons");  \
    return dsl::combine<u8>(dsl::OpKind::binary, #name, a, b, at);             \
  }
KILN_DSL_LOGICAL(logical_and)
KILN_DSL_LOGICAL(logical_or)
KILN_DSL_LOGICAL(logical_xor)
#undef KILN_DSL_LOGICAL
template <dsl::TileLike A>
auto logical_not(const A &a, dsl::Where at = dsl::Where::current()) {
  static_assert(
      std::same_as<typename A::Element, u8>,
      "kiln: logical operators take masks, the u8 results of comparisons");
  return dsl::compareScalar("equal", a, 0.0, at);
}

} // namespace kiln

#endif // KILN_DSL_FUNCTIONS_H
