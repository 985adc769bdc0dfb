//===- mask.h - Conditions on row and column numbers ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// row(i) is the number of a row of block i of a larger matrix: i * rows + r;
// row_at(start) is start + r. col works alike. A comparison of two affine
// expressions of these is a mask; keep() applies it without materialising it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_MASK_H
#define KILN_DSL_MASK_H

#include "kiln/dsl/ops.h"

namespace kiln {

namespace dsl {

/// row * r + col * c + offset + rowBlocks * R + colBlocks * C, where the tile
/// that it is applied to has R rows and C columns.
struct Position {
  std::int64_t row = 0, col = 0;
  Index offset = 0, rowBlocks = 0, colBlocks = 0;

  Position() = default;
  Position(const Index &offset) : offset(offset) {}
  template <Extent E> Position(const E &value) : offset(value) {}

  friend Position operator+(const Position &a, const Position &b) {
    return a.plus(b, 1);
  }
  friend Position operator-(const Position &a, const Position &b) {
    return a.plus(b, -1);
  }
  friend Position operator*(const Position &a, std::int64_t factor) {
    return Position().plus(a, factor);
  }
  friend Position operator*(std::int64_t factor, const Position &a) {
    return Position().plus(a, factor);
  }

private:
  Position plus(const Position &b, std::int64_t factor) const {
    Position result = *this;
    const Index f = factor;
    result.row += factor * b.row;
    result.col += factor * b.col;
    result.offset = offset + b.offset * f;
    result.rowBlocks = rowBlocks + b.rowBlocks * f;
    result.colBlocks = colBlocks + b.colBlocks * f;
    return result;
  }
};

/// `difference compare 0`.
struct Mask {
  Position difference;
  const char *compare;

  friend Mask operator!(const Mask &mask) {
    constexpr const char *pairs[][2] = {{"less", "greater_equal"},
                                        {"greater_equal", "less"},
                                        {"greater", "less_equal"},
                                        {"less_equal", "greater"}};
    for (const auto &pair : pairs)
      if (std::string_view(pair[0]) == mask.compare)
        return {mask.difference, pair[1]};
    return {mask.difference,
            std::string_view(mask.compare) == "equal" ? "not_equal" : "equal"};
  }
};

inline Mask operator<(const Position &a, const Position &b) {
  return {a - b, "less"};
}
inline Mask operator<=(const Position &a, const Position &b) {
  return {a - b, "less_equal"};
}
inline Mask operator>(const Position &a, const Position &b) {
  return {a - b, "greater"};
}
inline Mask operator>=(const Position &a, const Position &b) {
  return {a - b, "greater_equal"};
}
inline Mask operator==(const Position &a, const Position &b) {
  return {a - b, "equal"};
}
inline Mask operator!=(const Position &a, const Position &b) {
  return {a - b, "not_equal"};
}

inline MaskValue valueOf(const Mask &mask) {
  const Position &p = mask.difference;
  return {p.row,
          p.col,
          p.offset.value(),
          p.rowBlocks.value(),
          p.colBlocks.value(),
          mask.compare};
}

template <class A, class B>
using SelectedType =
    std::conditional_t<std::same_as<A, B>, A, ArithmeticType<A, B>>;

} // namespace dsl

/// The number of a tile's row in block `i` of a larger matrix.
inline dsl::Position row(const Index &i) {
  dsl::Position position;
  position.row = 1;
  position.rowBlocks = i;
  return position;
}
inline dsl::Position row_at(const Index &start) {
  dsl::Position position(start);
  position.row = 1;
  return position;
}
inline dsl::Position col(const Index &j) {
  dsl::Position position;
  position.col = 1;
  position.colBlocks = j;
  return position;
}
inline dsl::Position col_at(const Index &start) {
  dsl::Position position(start);
  position.col = 1;
  return position;
}

/// x where the mask holds, else `otherwise`.
template <dsl::TileLike X>
auto keep(const X &x, const dsl::Mask &mask, double otherwise,
          dsl::Where where = dsl::Where::current()) {
  static_assert(X::StaticShape::rank == 2,
                "kiln: a mask applies to a tile of two dimensions");
  return dsl::TileOf<typename X::Element, typename X::StaticShape>::fromId(
      dsl::recording(where).keep(x.viewOf(where), dsl::valueOf(mask), otherwise,
                                 where));
}

/// x where the mask tile is not zero, else y; an extent of 1 repeats.
template <dsl::TileLike M, dsl::TileLike X, dsl::TileLike Y>
auto where(const M &mask, const X &x, const Y &y,
           dsl::Where location = dsl::Where::current()) {
  using T = dsl::SelectedType<typename X::Element, typename Y::Element>;
  using Sx = typename X::StaticShape;
  using Sy = typename Y::StaticShape;
  static_assert(std::same_as<typename M::Element, u8>,
                "kiln: where() takes a mask, the result of a comparison");
  static_assert(
      shapes_do_not_broadcast<typename dsl::ShapeOf<Sy>::AsGot,
                              typename dsl::ShapeOf<Sx>::AsWant>::agree,
      "kiln: where() takes two tiles of equal shapes");
  using S = dsl::BroadcastShape<Sx, Sy>;
  return dsl::TileOf<T, dsl::BroadcastShape<typename M::StaticShape, S>>::
      fromId(dsl::recording(location).choose(
          mask.viewOf(location), x.viewOf(location), y.viewOf(location),
          T::dtype, location));
}
template <dsl::TileLike M, dsl::TileLike X>
auto where(const M &mask, const X &x, double y,
           dsl::Where location = dsl::Where::current()) {
  static_assert(std::same_as<typename M::Element, u8>,
                "kiln: where() takes a mask, the result of a comparison");
  using T = typename X::Element;
  return dsl::TileOf<T, dsl::BroadcastShape<typename M::StaticShape,
                                            typename X::StaticShape>>::
      fromId(dsl::recording(location).choose(
          mask.viewOf(location), x.viewOf(location), y, T::dtype, location));
}
template <dsl::TileLike M, dsl::TileLike Y>
auto where(const M &mask, double x, const Y &y,
           dsl::Where location = dsl::Where::current()) {
  return where(dsl::compareScalar("equal", mask, 0.0, location), y, x,
               location);
}

/// The same for a condition on row and column numbers.
template <dsl::TileLike X>
auto where(const dsl::Mask &mask, const X &x, double y,
           dsl::Where location = dsl::Where::current()) {
  return keep(x, mask, y, location);
}
template <dsl::TileLike X, dsl::TileLike Y>
auto where(const dsl::Mask &mask, const X &x, const Y &y,
           dsl::Where location = dsl::Where::current()) {
  using T = dsl::SelectedType<typename X::Element, typename Y::Element>;
  static_assert(
      shapes_differ<
          typename dsl::ShapeOf<typename Y::StaticShape>::AsGot,
          typename dsl::ShapeOf<typename X::StaticShape>::AsWant>::agree,
      "kiln: where() takes two tiles of equal shapes");
  return dsl::TileOf<T, typename X::StaticShape>::fromId(
      dsl::recording(location).choose(dsl::valueOf(mask), x.viewOf(location),
                                      y.viewOf(location), T::dtype, location));
}

} // namespace kiln

#endif // KILN_DSL_MASK_H
