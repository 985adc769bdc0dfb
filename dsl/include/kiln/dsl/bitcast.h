//===- bitcast.h - The same bytes as elements of another type -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view: nothing is copied or converted. It shows the memory of a tensor, tile
// or buffer, and what is assigned through it is written there.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_BITCAST_H
#define KILN_DSL_BITCAST_H

#include "kiln/dsl/tile.h"

namespace kiln {

namespace dsl {

template <class From, class To, class S> struct BitcastShape {
  static constexpr std::size_t last = ShapeOf<S>::rank - 1;
  static constexpr std::int64_t extent = ShapeOf<S>::extents[last];
  static constexpr std::int64_t bytes =
      extent == dynamic ? 0 : extent * isa::sizeInBytes(From::dtype);
  static constexpr std::int64_t width = isa::sizeInBytes(To::dtype);
  static_assert(bytes % width == 0,
                "kiln: the bytes of a row must be a whole number of elements");
  using type =
      ReplaceExtent<S, last, extent == dynamic ? dynamic : bytes / width>;
};

template <ElementType T>
inline constexpr bool takesAllBits =
    T::dtype != isa::DType::boolean && T::dtype != isa::DType::tf32;

} // namespace dsl

/// The bytes of `x` as elements of T. The last dimension becomes longer or
/// shorter; the first bytes are the low ones. Its elements must be contiguous.
template <ElementType T, class X>
  requires(dsl::TileLike<X> || dsl::HbmLike<X>)
auto bitcast(const X &x, dsl::Where where = dsl::Where::current()) {
  static_assert(dsl::takesAllBits<T>,
                "kiln: bitcast takes every type but bool and tf32");
  using S = typename dsl::BitcastShape<typename X::Element, T,
                                       typename X::StaticShape>::type;
  const dsl::ViewRef view =
      dsl::recording(where).bitcast(x.viewOf(where), T::dtype, where);
  if constexpr (dsl::HbmLike<X>) {
    return dsl::Hbm<T, X::access, S>(view);
  } else {
    dsl::recording(where).markViewed(view);
    return dsl::TileView<T, S>(view);
  }
}

} // namespace kiln

#endif // KILN_DSL_BITCAST_H
