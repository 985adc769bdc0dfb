//===- types.h - Element types and static shapes --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extent is a Hana constant (`128_c`) or a number known while recording. A
// tile carries its constant extents in its type, as in Shape<128, dynamic>.
// Where both sides of an operation have constant extents, the C++ compiler
// checks them, with a message of one line:
//
//   static assertion failed ... shapes_differ<Got<256>, Want<128>>
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_TYPES_H
#define KILN_DSL_TYPES_H

#include "kiln/isa/dtype.h"
#include "kiln/isa/dtype_list.h"
#include "kiln/isa/rounding.h"

#include <boost/hana/integral_constant.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace kiln {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// One type per element type of the instruction set: f32, bf16, ..
#define KILN_DSL_ELEMENT(name, ...)                                            \
  struct name {                                                                \
    static constexpr isa::DType dtype = isa::DType::name;                      \
  };
KILN_ISA_DTYPES(KILN_DSL_ELEMENT)
#undef KILN_DSL_ELEMENT

template <class T>
concept ElementType = requires {
  { T::dtype } -> std::convertible_to<isa::DType>;
};

inline constexpr double inf = std::numeric_limits<double>::infinity();

/// Makes `128_c` a constant extent.
namespace literals {
using namespace boost::hana::literals;
} // namespace literals
using namespace literals;

//===----------------------------------------------------------------------===//
// Static shapes
//===----------------------------------------------------------------------===//

/// An extent that is known only while recording.
inline constexpr std::int64_t dynamic = -1;

template <std::int64_t... N> struct Shape {
  static constexpr std::size_t rank = sizeof...(N);
};

/// Names for the two sides of a shape error in the C++ compiler's message.
template <std::int64_t... N> struct Got {};
template <std::int64_t... N> struct Want {};

/// Instantiated only so that a failed static_assert names it. `agree` says
/// whether the two agree; an extent of -1 is known only while recording.
template <class Got, class Want> struct shapes_differ;
template <std::int64_t... G, std::int64_t... W>
struct shapes_differ<Got<G...>, Want<W...>> {
  static constexpr bool agree = [] {
    if constexpr (sizeof...(G) != sizeof...(W))
      return false;
    else
      return ((G == W || G == dynamic || W == dynamic) && ...);
  }();
};
/// The same with broadcasting: an extent of 1 repeats.
template <class Got, class Want> struct shapes_do_not_broadcast;
template <std::int64_t... G, std::int64_t... W>
struct shapes_do_not_broadcast<Got<G...>, Want<W...>> {
  static constexpr bool agree = [] {
    if constexpr (sizeof...(G) != sizeof...(W))
      return false;
    else
      return ((G == W || G == dynamic || W == dynamic || G == 1 || W == 1) &&
              ...);
  }();
};

namespace dsl {

template <class E>
concept ConstantExtent = !std::integral<std::remove_cvref_t<E>> && requires {
  { std::remove_cvref_t<E>::value } -> std::convertible_to<std::int64_t>;
};
template <class E>
concept Extent = ConstantExtent<E> || std::integral<std::remove_cvref_t<E>>;

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
constexpr std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}

/// The extent's constant value, or `dynamic`.
template <Extent E> constexpr std::int64_t staticExtent() {
  if constexpr (ConstantExtent<E>)
    return std::remove_cvref_t<E>::value;
  else
    return dynamic;
}
template <Extent E> constexpr std::int64_t extentValue(const E &extent) {
  if constexpr (ConstantExtent<E>)
    return E::value;
  else
    return static_cast<std::int64_t>(extent);
}

template <class S> struct ShapeOf;
template <std::int64_t... N> struct ShapeOf<Shape<N...>> {
  static constexpr std::size_t rank = sizeof...(N);
  static constexpr std::int64_t extents[sizeof...(N) + 1] = {N..., 0};
  using AsGot = Got<N...>;
  using AsWant = Want<N...>;
};

/// Builds Shape<F::at(0), F::at(1), ...> of a given rank.
template <class F, class Sequence> struct MakeShape;
template <class F, std::size_t... I>
struct MakeShape<F, std::index_sequence<I...>> {
  using type = Shape<F::at(I)...>;
};
template <std::size_t Rank, class F>
using ShapeFrom = typename MakeShape<F, std::make_index_sequence<Rank>>::type;

template <class S, std::size_t Dim, std::int64_t N> struct ReplaceRule {
  static constexpr std::int64_t at(std::size_t i) {
    return i == Dim ? N : ShapeOf<S>::extents[i];
  }
};
template <class S, std::size_t Dim, std::int64_t N>
using ReplaceExtent = ShapeFrom<S::rank, ReplaceRule<S, Dim, N>>;

template <class S, std::size_t Dim> struct EraseRule {
  static constexpr std::int64_t at(std::size_t i) {
    return ShapeOf<S>::extents[i < Dim ? i : i + 1];
  }
};
template <class S, std::size_t Dim>
using EraseExtent = ShapeFrom<S::rank - 1, EraseRule<S, Dim>>;

struct DynamicRule {
  static constexpr std::int64_t at(std::size_t) { return dynamic; }
};
template <std::size_t Rank> using DynamicShape = ShapeFrom<Rank, DynamicRule>;

template <class A, class B> struct BroadcastRule {
  static constexpr std::int64_t at(std::size_t i) {
    const std::int64_t a = ShapeOf<A>::extents[i], b = ShapeOf<B>::extents[i];
    return a == 1 ? b : b == 1 ? a : a == dynamic ? b : a;
  }
};
/// The static shape of a broadcasting operation.
template <class A, class B>
using BroadcastShape = ShapeFrom<A::rank, BroadcastRule<A, B>>;

} // namespace dsl
} // namespace kiln

#endif // KILN_DSL_TYPES_H
