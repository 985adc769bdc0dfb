//===- quantize.h - 8-bit floats with scales ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of tiles hold x as small floats and scales, x = data * scales:
//  * Quantized: data of an 8-bit type, and a scale for all, or for each row.
//    Multiply a product by the scales of its operands;
//  * Scaled (microscaling, MX): a power of two for 32 rows of a column. The
//    tensor engine of trn3 applies them inside the product.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_QUANTIZE_H
#define KILN_DSL_QUANTIZE_H

#include "kiln/dsl/functions.h"

#include <utility>

namespace kiln {

namespace dsl {

/// The largest number of an 8-bit float.
template <ElementType T> constexpr double largestOf() {
  if constexpr (std::same_as<T, f8e4m3>)
    return 240;
  else if constexpr (std::same_as<T, f8e4m3fn>)
    return 448;
  else {
    static_assert(std::same_as<T, f8e5m2>,
                  "kiln: quantize takes the types f8e4m3, f8e4m3fn and f8e5m2");
    return 57344;
  }
}

template <class P>
concept PackedType = std::same_as<P, f8e4m3fn_x4> || std::same_as<P, f8e5m2_x4>;

/// The numbers of x, clipped to the range of T and rounded to T.
template <ElementType T, class X> auto saturated(const X &x, const Where &at) {
  constexpr double most = largestOf<T>();
  const auto low = scalar("minimum", x, most, false, at);
  return cast<T>(scalar("maximum", low, -most, false, at), at);
}

/// The scales that map `most`, the largest magnitudes, to the largest T.
template <ElementType T, class Most>
auto scalesOf(const Most &most, const Where &at) {
  // A row of zeros also gets a scale, whose inverse is finite.
  constexpr double least = 0x1p-100;
  return Steps{at}.times(scalar("maximum", most, least, false, at),
                         1 / largestOf<T>());
}

template <std::int64_t Extent, std::int64_t Parts>
inline constexpr std::int64_t shareOf =
    Extent == dynamic ? dynamic : Extent / Parts;

} // namespace dsl

/// [R, C] to [1, C].
template <dsl::TileLike X>
auto col_max(const X &x, dsl::Where at = dsl::Where::current()) {
  return transpose(row_max(transpose(x, at), at), at);
}
template <dsl::TileLike X>
auto col_min(const X &x, dsl::Where at = dsl::Where::current()) {
  return transpose(row_min(transpose(x, at), at), at);
}

//===----------------------------------------------------------------------===//
// One scale for a tile, or for each row of it
//===----------------------------------------------------------------------===//

/// data * scales is what was quantized, rounded.
template <class Data, class Scales> struct Quantized {
  Data data;     ///< Its type has 8 bits.
  Scales scales; ///< f32, [R, 1] or [1, 1].
};

/// x / scale, clipped to the range of T, for a scale that is known in advance.
template <ElementType T, dsl::TileLike X>
auto quantize(const X &x, double scale, dsl::Where at = dsl::Where::current()) {
  return dsl::saturated<T>(dsl::Steps{at}.times(x, 1 / scale), at);
}

/// The largest magnitude of each row becomes the largest number of T.
template <ElementType T, dsl::TileLike X>
auto quantize_rows(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  auto scales = dsl::scalesOf<T>(row_max(s.apply("abs", x), at), at);
  auto data =
      dsl::saturated<T>(s.multiply(x, s.apply("reciprocal", scales)), at);
  return Quantized<decltype(data), decltype(scales)>{std::move(data),
                                                     std::move(scales)};
}

/// The largest magnitude of the tile becomes the largest number of T.
template <ElementType T, dsl::TileLike X>
auto quantize_all(const X &x, dsl::Where at = dsl::Where::current()) {
  const dsl::Steps s{at};
  const auto most = row_max(s.apply("abs", x), at);
  auto scales = dsl::scalesOf<T>(col_max(most, at), at);
  auto data =
      dsl::saturated<T>(s.multiply(x, s.apply("reciprocal", scales)), at);
  return Quantized<decltype(data), decltype(scales)>{std::move(data),
                                                     std::move(scales)};
}

//===----------------------------------------------------------------------===//
// A scale for 32 rows of a column
//===----------------------------------------------------------------------===//

/// [K, N]: `data` is [K / 4, N] of a packed type, an element of which holds
/// rows 4 r to 4 r + 3; `scales` is [K / 32, N] of f8e8m0. K is a multiple of
/// 128. In HBM the two are tensors of these shapes.
template <class Data, class Scales> struct Scaled {
  static_assert(
      isa::isPacked(Data::Element::dtype) &&
          std::same_as<typename Scales::Element, f8e8m0>,
      "kiln: a scaled tile must have packed floats and f8e8m0 scales");
  Data data;
  Scales scales;

  /// Columns start to start + n - 1.
  template <dsl::Extent N>
  auto cols_at(const Index &start, const N &n,
               dsl::Where at = dsl::Where::current()) const {
    const auto part = data.cols_at(start, n, at);
    const auto its = scales.cols_at(start, n, at);
    return Scaled<std::remove_const_t<decltype(part)>,
                  std::remove_const_t<decltype(its)>>{part, its};
  }
};

/// Packed floats and their scales, as one tile.
template <dsl::TileLike Data, dsl::TileLike Scales>
auto scaled(Data data, Scales scales) {
  return Scaled<Data, Scales>{std::move(data), std::move(scales)};
}

/// x [K, N] with a scale for 32 rows of each column; f32 is rounded to bf16
/// first. On trn3.
template <dsl::PackedType P, dsl::TileLike X>
auto quantize_mx(const X &x, dsl::Where at = dsl::Where::current()) {
  using S = typename X::StaticShape;
  static_assert(S::rank == 2,
                "kiln: quantize_mx takes a tile of two dimensions");
  constexpr std::int64_t k = dsl::ShapeOf<S>::extents[0],
                         n = dsl::ShapeOf<S>::extents[1];
  using Data = dsl::TileOf<P, Shape<dsl::shareOf<k, 4>, n>>;
  using Scales = dsl::TileOf<f8e8m0, Shape<dsl::shareOf<k, 32>, n>>;
  const auto both = [&](const auto &wide) {
    dsl::Recording &recording = dsl::recording(at);
    auto data =
        Data::fromId(recording.quantize(wide.viewOf(at), P::dtype, false, at));
    auto scales =
        Scales::fromId(recording.quantize(wide.viewOf(at), P::dtype, true, at));
    return Scaled<Data, Scales>{std::move(data), std::move(scales)};
  };
  if constexpr (std::same_as<typename X::Element, f16>)
    return both(x);
  else // Rounded once for both.
    return both(cast<bf16>(x, at));
}

/// Contracts the rows of both: aT b, [M, N] of f32; M is even. On trn3.
template <class A, class AScales, class B, class BScales>
auto matmul(const Scaled<A, AScales> &a, const Scaled<B, BScales> &b,
            dsl::Where at = dsl::Where::current()) {
  using X = dsl::ShapeOf<typename A::StaticShape>;
  using Y = dsl::ShapeOf<typename B::StaticShape>;
  static_assert(shapes_differ<Got<Y::extents[0]>, Want<X::extents[0]>>::agree,
                "kiln: matmul must contract equal extents");
  return dsl::TileOf<f32, Shape<X::extents[1], Y::extents[1]>>::fromId(
      dsl::recording(at).scaledMatmul(a.data.viewOf(at), a.scales.viewOf(at),
                                      b.data.viewOf(at), b.scales.viewOf(at),
                                      at));
}

} // namespace kiln

#endif // KILN_DSL_QUANTIZE_H
