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

namespace kiln {

namespace dsl {

inline Id recordMove(OpKind kind, const View &source, bool transposed,
                     const Where &where) {
  Op op;
  op.kind = kind;
  op.operands = {source};
  std::vector<std::int64_t> shape = source.sizes;
  if (transposed)
    std::swap(shape[0], shape[1]);
  return Recorder::current(where).appendTile(std::move(op), source.dtype,
                                             std::move(shape), where);
}

inline void recordStore(const View &target, View source, const Where &where) {
  if (target.sizes != source.sizes)
    fail("KILN-A005",
         "a tile of shape " + shapeText(source.sizes) +
             " is stored to a view of shape " + shapeText(target.sizes),
         "give both the same shape", where);
  Op op;
  op.kind = OpKind::store;
  source = converted(std::move(source), target.dtype, where);
  op.operands = {target, std::move(source)};
  Recorder::current(where).append(std::move(op), where);
}

inline Id recordFill(double value, DType dtype, std::vector<std::int64_t> shape,
                     const Where &where) {
  for (std::int64_t extent : shape)
    if (extent < 1)
      fail("KILN-A012",
           "a tile has shape " + shapeText(shape) +
               "; every extent must be at least 1",
           "guard the call with a C++ if", where);
  Op op;
  op.kind = OpKind::fill;
  op.attributes["value"] = value;
  return Recorder::current(where).appendTile(std::move(op), dtype,
                                             std::move(shape), where);
}

/// The tensor engine reads one element type: of f32 and a 16-bit type it is
/// the 16-bit one that both are rounded to.
inline DType productType(DType a, DType b, const Where &where) {
  if (a == b)
    return a;
  if (isa::isFloat(a) && isa::isFloat(b)) {
    if (a == DType::f32)
      return b;
    if (b == DType::f32)
      return a;
  }
  fail("KILN-A018",
       "matmul of " + std::string(isa::name(a)) + " and " +
           std::string(isa::name(b)) + " has no common element type",
       "cast one of them", where);
}

inline Id recordMatmul(View a, View b, bool transposeA, bool transposeB,
                       const Where &where) {
  const std::int64_t m = a.sizes[transposeA ? 1 : 0];
  const std::int64_t k = a.sizes[transposeA ? 0 : 1];
  const std::int64_t kb = b.sizes[transposeB ? 1 : 0];
  const std::int64_t n = b.sizes[transposeB ? 0 : 1];
  if (k != kb)
    fail("KILN-A002",
         "matmul contracts " + std::to_string(k) + " (dimension " +
             std::to_string(transposeA ? 0 : 1) + " of " + shapeText(a.sizes) +
             ") with " + std::to_string(kb) + " (dimension " +
             std::to_string(transposeB ? 1 : 0) + " of " + shapeText(b.sizes) +
             ")",
         "matmul(a, b) contracts the rows of both; see matmul_nn, matmul_nt, "
         "matmul_tt for the other orientations",
         where);
  const DType dtype = productType(a.dtype, b.dtype, where);
  if (!isa::isFloat(dtype))
    fail("KILN-A018", "matmul of integers", "cast the operands to f32 first",
         where);
  a = converted(std::move(a), dtype, where);
  b = converted(std::move(b), dtype, where);
  Op op;
  op.kind = OpKind::matmul;
  op.operands = {std::move(a), std::move(b)};
  op.attributes["transpose_a"] = std::int64_t(transposeA);
  op.attributes["transpose_b"] = std::int64_t(transposeB);
  return Recorder::current(where).appendTile(std::move(op), DType::f32, {m, n},
                                             where);
}

template <bool TransposeA, bool TransposeB, class A, class B>
auto product(const A &a, const B &b, const Where &where) {
  using X = ShapeOf<typename A::StaticShape>;
  using Y = ShapeOf<typename B::StaticShape>;
  static_assert(X::rank == 2 && Y::rank == 2, "kiln: matmul takes matrices");
  static_assert(shapes_differ<Got<Y::extents[TransposeB ? 1 : 0]>,
                              Want<X::extents[TransposeA ? 0 : 1]>>::agree,
                "kiln: matmul contracts extents that differ");
  return TileOf<f32, Shape<X::extents[TransposeA ? 1 : 0],
                           Y::extents[TransposeB ? 0 : 1]>>::
      fromId(recordMatmul(a.viewOf(where), b.viewOf(where), TransposeA,
                          TransposeB, where));
}

template <class S>
using Transposed = Shape<ShapeOf<S>::extents[1], ShapeOf<S>::extents[0]>;

template <class X>
auto reduceRows(const char *name, const X &x, const Where &where) {
  static_assert(X::StaticShape::rank == 2, "kiln: row reductions take rank 2");
  Op op;
  op.kind = OpKind::reduce;
  op.attributes["op"] = std::string(name);
  const View view = x.viewOf(where);
  op.operands = {view};
  return TileOf<f32, Shape<ShapeOf<typename X::StaticShape>::extents[0], 1>>::
      fromId(Recorder::current(where).appendTile(std::move(op), isa::DType::f32,
                                                 {view.sizes[0], 1}, where));
}

} // namespace dsl

//===----------------------------------------------------------------------===//
// Moving data
//===----------------------------------------------------------------------===//

/// A tile with the elements of an HBM view.
template <dsl::ReadableHbm V>
auto load(const V &view, dsl::Where where = dsl::Where::current()) {
  static_assert(V::StaticShape::rank >= 2,
                "kiln: a tile has rows and columns; reshape the view");
  return dsl::TileOf<typename V::Element, typename V::StaticShape>::fromId(
      dsl::recordMove(dsl::OpKind::load, view.viewOf(where), false, where));
}

/// The transposed matrix: view [R, C] gives a tile [C, R].
template <dsl::ReadableHbm V>
auto load_transposed(const V &view, dsl::Where where = dsl::Where::current()) {
  static_assert(V::StaticShape::rank == 2, "kiln: only matrices transpose");
  return dsl::TileOf<typename V::Element,
                     dsl::Transposed<typename V::StaticShape>>::
      fromId(dsl::recordMove(dsl::OpKind::loadTransposed, view.viewOf(where),
                             true, where));
}

/// Writes a tile to HBM, rounded to the view's element type.
template <dsl::WritableHbm V, dsl::TileLike X>
void store(const V &view, const X &tile,
           dsl::Where where = dsl::Where::current()) {
  static_assert(
      shapes_differ<
          typename dsl::ShapeOf<typename X::StaticShape>::AsGot,
          typename dsl::ShapeOf<typename V::StaticShape>::AsWant>::agree,
      "kiln: the stored tile and the view have different shapes");
  dsl::recordStore(view.viewOf(where), tile.viewOf(where), where);
}

template <dsl::TileLike X>
auto transpose(const X &x, dsl::Where where = dsl::Where::current()) {
  static_assert(X::StaticShape::rank == 2, "kiln: only matrices transpose");
  return dsl::TileOf<typename X::Element,
                     dsl::Transposed<typename X::StaticShape>>::
      fromId(dsl::recordMove(dsl::OpKind::transpose, x.viewOf(where), true,
                             where));
}

/// The elements rounded (f32 to bf16: to nearest, ties to even) to type T.
template <ElementType T, dsl::TileLike X>
auto cast(const X &x, dsl::Where where = dsl::Where::current()) {
  dsl::View view = x.viewOf(where);
  if (view.dtype == T::dtype)
    return dsl::TileOf<T, typename X::StaticShape>::fromId(
        dsl::recordMove(dsl::OpKind::copy, view, false, where));
  return dsl::TileOf<T, typename X::StaticShape>::fromId(
      dsl::converted(std::move(view), T::dtype, where).value);
}

/// A snapshot of a view or buffer.
template <dsl::TileLike X>
auto copy(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::TileOf<typename X::Element, typename X::StaticShape>::fromId(
      dsl::recordMove(dsl::OpKind::copy, x.viewOf(where), false, where));
}

template <ElementType T, dsl::Extent R, dsl::Extent C>
auto full(double value, const R &rows, const C &cols,
          dsl::Where where = dsl::Where::current()) {
  return dsl::TileOf<T, dsl::ExtentShape<R, C>>::fromId(
      dsl::recordFill(value, T::dtype,
                      {dsl::extentValue(rows), dsl::extentValue(cols)}, where));
}
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto zeros(const R &rows, const C &cols,
           dsl::Where where = dsl::Where::current()) {
  return full<T>(0.0, rows, cols, where);
}

//===----------------------------------------------------------------------===//
// Products and reductions. The result is f32.
//===----------------------------------------------------------------------===//

/// Contracts the rows (partitions) of both: aT b, what the tensor engine does
/// without moving data. a is [K, M], b is [K, N], the result [M, N].
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
  return dsl::reduceRows("add", x, where);
}
template <dsl::TileLike X>
auto row_max(const X &x, dsl::Where where = dsl::Where::current()) {
  return dsl::reduceRows("maximum", x, where);
}

} // namespace kiln

#endif // KILN_DSL_OPS_H
