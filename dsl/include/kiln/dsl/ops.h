//===- ops.h - Loads, stores, products, reductions, masks -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_OPS_H
#define KILN_DSL_OPS_H

#include "kiln/dsl/arithmetic.h"
#include "kiln/dsl/order.h"

namespace kiln {

namespace dsl {

template <bool TransposeA, bool TransposeB, class A, class B>
auto product(const A &a, const B &b, const Where &where) {
  using X = ShapeOf<typename A::StaticShape>;
  using Y = ShapeOf<typename B::StaticShape>;
  static_assert(X::rank == 2 && Y::rank == 2,
                "kiln: matmul takes tiles of two dimensions");
  static_assert(shapes_differ<Got<Y::extents[TransposeB ? 1 : 0]>,
                              Want<X::extents[TransposeA ? 0 : 1]>>::agree,
                "kiln: matmul must contract equal extents");
  return TileOf<f32, Shape<X::extents[TransposeA ? 1 : 0],
                           Y::extents[TransposeB ? 0 : 1]>>::
      fromId(recording(where).matmul(a.viewOf(where), b.viewOf(where),
                                     TransposeA, TransposeB, where));
}

template <class S>
using Transposed = Shape<ShapeOf<S>::extents[1], ShapeOf<S>::extents[0]>;

template <class T, class X>
auto reduceRows(const char *name, const X &x, const Where &where) {
  static_assert(X::StaticShape::rank == 2,
                "kiln: a row reduction takes a tile of two dimensions");
  return TileOf<T, Shape<ShapeOf<typename X::StaticShape>::extents[0], 1>>::
      fromId(recording(where).reduce(name, x.viewOf(where), T::dtype, where));
}

} // namespace dsl

//===----------------------------------------------------------------------===//
// Moving data
//===----------------------------------------------------------------------===//

/// A tile with the elements of an HBM view. A view of one dimension is one row:
/// [N] gives a tile [1, N].
template <dsl::ReadableHbm V>
auto load(const V &view, dsl::Where where = dsl::Where::current()) {
  if constexpr (V::StaticShape::rank == 1)
    return load(
        view.reshape(boost::hana::llong_c<1>, view.dim(0, where), where),
        where);
  else
    return dsl::TileOf<typename V::Element, typename V::StaticShape>::fromId(
        dsl::recording(where).move(dsl::OpKind::load, view.viewOf(where),
                                   V::Element::dtype, where));
}

/// The transposed matrix: view [R, C] gives a tile [C, R].
template <dsl::ReadableHbm V>
auto load_transposed(const V &view, dsl::Where where = dsl::Where::current()) {
  static_assert(V::StaticShape::rank == 2,
                "kiln: load_transposed takes a view of two dimensions");
  return dsl::TileOf<typename V::Element,
                     dsl::Transposed<typename V::StaticShape>>::
      fromId(dsl::recording(where).move(dsl::OpKind::loadTransposed,
                                        view.viewOf(where), V::Element::dtype,
                                        where));
}

/// Writes a tile to HBM, rounded to the view's element type.
template <dsl::WritableHbm V, dsl::TileLike X>
Operation store(const V &view, const X &tile,
                dsl::Where where = dsl::Where::current()) {
  // As in a load, one dimension is one row.
  if constexpr (V::StaticShape::rank == 1 && X::StaticShape::rank == 2)
    return store(
        view.reshape(boost::hana::llong_c<1>, view.dim(0, where), where), tile,
        where);
  else {
    static_assert(
        shapes_differ<
            typename dsl::ShapeOf<typename X::StaticShape>::AsGot,
            typename dsl::ShapeOf<typename V::StaticShape>::AsWant>::agree,
        "kiln: a stored tile must have the shape of the view");
    return Operation(dsl::recording(where).store(view.viewOf(where),
                                                 tile.viewOf(where), where));
  }
}

template <dsl::TileLike X>
auto transpose(const X &x, dsl::Where where = dsl::Where::current()) {
  static_assert(X::StaticShape::rank == 2,
                "kiln: transpose takes a tile of two dimensions");
  return dsl::TileOf<typename X::Element,
                     dsl::Transposed<typename X::StaticShape>>::
      fromId(dsl::recording(where).move(dsl::OpKind::transpose, x.viewOf(where),
                                        X::Element::dtype, where));
}

/// The elements rounded (f32 to bf16: to nearest, ties to even) to type T.
template <ElementType T, dsl::TileLike X>
auto cast(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::TileOf<T, typename X::StaticShape>::fromId(
      dsl::recording(where).move(dsl::OpKind::cast, x.viewOf(where), T::dtype,
                                 where));
}

/// A snapshot of a view or buffer.
template <dsl::TileLike X>
auto copy(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::TileOf<typename X::Element, typename X::StaticShape>::fromId(
      dsl::recording(where).move(dsl::OpKind::copy, x.viewOf(where),
                                 X::Element::dtype, where));
}

template <ElementType T, dsl::Extent R, dsl::Extent C>
auto full(double value, const R &rows, const C &cols,
          dsl::Where where = dsl::Where::current()) {
  return dsl::TileOf<T, dsl::ExtentShape<R, C>>::fromId(
      dsl::recording(where).fill(
          value, T::dtype, {dsl::extentValue(rows), dsl::extentValue(cols)},
          where));
}
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto ones(const R &rows, const C &cols,
          dsl::Where where = dsl::Where::current()) {
  return full<T>(1.0, rows, cols, where);
}
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto zeros(const R &rows, const C &cols,
           dsl::Where where = dsl::Where::current()) {
  return full<T>(0.0, rows, cols, where);
}

//===----------------------------------------------------------------------===//
// Products and reductions. The result is f32.
//===----------------------------------------------------------------------===//

/// Contracts the rows (partitions) of both: aT b. The tensor engine does this
/// without moving data. a is [K, M], b is [K, N], the result is [M, N].
template <dsl::TileLike A, dsl::TileLike B>
auto matmul(const A &a, const B &b, dsl::Where where = dsl::Where::current()) {
  return dsl::product<true, false>(a, b, where);
}
/// a [K, M], b [K, N]: the same as matmul.
template <dsl::TileLike A, dsl::TileLike B>
auto matmul_tn(const A &a, const B &b,
               dsl::Where where = dsl::Where::current()) {
  return dsl::product<true, false>(a, b, where);
}
/// a [M, K], b [K, N]: the matrix product as in a textbook.
template <dsl::TileLike A, dsl::TileLike B>
auto matmul_nn(const A &a, const B &b,
               dsl::Where where = dsl::Where::current()) {
  return dsl::product<false, false>(a, b, where);
}
/// a [M, K], b [N, K].
template <dsl::TileLike A, dsl::TileLike B>
auto matmul_nt(const A &a, const B &b,
               dsl::Where where = dsl::Where::current()) {
  return dsl::product<false, true>(a, b, where);
}
/// a [K, M], b [N, K].
template <dsl::TileLike A, dsl::TileLike B>
auto matmul_tt(const A &a, const B &b,
               dsl::Where where = dsl::Where::current()) {
  return dsl::product<true, true>(a, b, where);
}

/// [R, C] to [R, 1].
template <dsl::TileLike X>
auto row_sum(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::reduceRows<f32>("add", x, where);
}
template <dsl::TileLike X>
auto row_prod(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::reduceRows<f32>("multiply", x, where);
}
template <dsl::TileLike X>
auto row_max(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::reduceRows<f32>("maximum", x, where);
}
template <dsl::TileLike X>
auto row_min(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::reduceRows<f32>("minimum", x, where);
}
/// Whether a mask holds anywhere (everywhere) in its row: a mask [R, 1].
template <dsl::TileLike X>
auto row_any(const X &mask, dsl::Where where = dsl::Where::current()) {
  static_assert(std::same_as<typename X::Element, u8>,
                "kiln: row_any takes a mask, the result of a comparison");
  return dsl::reduceRows<u8>("maximum", mask, where);
}
template <dsl::TileLike X>
auto row_all(const X &mask, dsl::Where where = dsl::Where::current()) {
  static_assert(std::same_as<typename X::Element, u8>,
                "kiln: row_all takes a mask, the result of a comparison");
  return dsl::reduceRows<u8>("minimum", mask, where);
}

} // namespace kiln

#endif // KILN_DSL_OPS_H
