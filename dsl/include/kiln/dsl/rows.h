//===- rows.h - Operations along each row ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running sums, gathers, searches, bits of integers, random numbers: each takes
// one instruction, or a few, per 128 rows.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_ROWS_H
#define KILN_DSL_ROWS_H

#include "kiln/dsl/functions.h"
#include "kiln/dsl/nc.h"

namespace kiln {

namespace dsl {

template <class S>
inline constexpr std::int64_t staticRows = ShapeOf<S>::extents[0];

template <class X> nc::Operand operandOf(const X &x, const Where &where) {
  static_assert(X::StaticShape::rank == 2,
                "kiln: operations along rows take matrices");
  return {x.viewOf(where)};
}
template <class X>
std::int64_t extentOf(const X &x, std::int64_t dim, const Where &where) {
  return recording(where).extent(x.viewOf(where), dim, where);
}

template <class X, class Y>
void checkRows(const char *call, const X &x, const Y &y, const Where &where) {
  const std::int64_t rows = extentOf(x, 0, where),
                     other = extentOf(y, 0, where);
  if (rows != other)
    failHere("KILN-A001",
             {call, " of tiles with ", rows, " and ", other, " rows"},
             "give both the same rows; broadcast_to repeats one row", where);
}

/// The result of `call` with the rows of x and `cols` columns.
template <class T, std::int64_t Cols, class X>
auto applied(nc::Call &call, const X &x, std::int64_t cols,
             const Where &where) {
  return TileOf<T, Shape<staticRows<typename X::StaticShape>, Cols>>::fromId(
      call.apply(T::dtype, {extentOf(x, 0, where), cols}));
}
/// The result has the shape of x.
template <class T, class X>
auto appliedTo(nc::Call &call, const X &x, const Where &where) {
  return TileOf<T, typename X::StaticShape>::fromId(
      call.apply(T::dtype, {extentOf(x, 0, where), extentOf(x, 1, where)}));
}

/// The operand of a scan; integers are converted to f32.
template <class X> auto scanned(const X &x, const Where &where) {
  if constexpr (isa::isFloat(X::Element::dtype))
    return x;
  else
    return cast<f32>(x, where);
}

/// The same if an instruction supports fewer types: f32.
template <class X> auto asF32(const X &x, const Where &where) {
  if constexpr (std::same_as<typename X::Element, f32>)
    return x;
  else
    return cast<f32>(x, where);
}

/// Cumulative instructions do not support tf32.
template <class X> auto accumulated(const X &x, const Where &where) {
  if constexpr (std::same_as<typename X::Element, tf32>)
    return asF32(x, where);
  else
    return scanned(x, where);
}
template <class X>
auto cumulative(nc::AluOp op, const X &given, const Where &where) {
  const auto x = accumulated(given, where);
  nc::Call call("tensor_scalar_cumulative", where);
  call.view("src", operandOf(x, where))
      .choice("op0", nc::AluOp::multiply)
      .choice("op1", op)
      .number("imm0", 1.0);
  return appliedTo<f32>(call, x, where);
}

/// x as a tile of its type with these rows and columns; extents of 1 repeat.
template <class X>
auto repeated(const X &x, std::int64_t rows, std::int64_t cols,
              const Where &where) {
  using T = typename X::Element;
  using Any = TileOf<T, Shape<dynamic, dynamic>>;
  if (extentOf(x, 0, where) == rows && extentOf(x, 1, where) == cols)
    return Any::fromId(copy(x, where).temporaryId());
  return Any::fromId(
      cast<T>(broadcast_to(x, rows, cols, where), where).temporaryId());
}
/// Calls use(a, b) with tiles of one shape.
template <class A, class B, class Use>
auto withOneShape(const A &a, const B &b, const Where &where, const Use &use) {
  static_assert(shapes_do_not_broadcast<
                    typename ShapeOf<typename B::StaticShape>::AsGot,
                    typename ShapeOf<typename A::StaticShape>::AsWant>::agree,
                "kiln: the shapes of two tiles differ");
  const std::int64_t extents[2][2] = {
      {extentOf(a, 0, where), extentOf(a, 1, where)},
      {extentOf(b, 0, where), extentOf(b, 1, where)}};
  if (extents[0][0] == extents[1][0] && extents[0][1] == extents[1][1])
    return use(a, b);
  const std::int64_t rows = larger(extents[0][0], extents[1][0]);
  const std::int64_t cols = larger(extents[0][1], extents[1][1]);
  return use(repeated(a, rows, cols, where), repeated(b, rows, cols, where));
}

template <class A, class B>
auto bits(nc::AluOp op, const A &a, const B &b, const Where &where) {
  using T = typename A::Element;
  using Result =
      TileOf<T,
             BroadcastShape<typename A::StaticShape, typename B::StaticShape>>;
  static_assert(areIntegers<T, typename B::Element> &&
                    isa::sizeInBytes(T::dtype) ==
                        isa::sizeInBytes(B::Element::dtype),
                "kiln: bitwise operations take integers of one width");
  const bool column = extentOf(b, 1, where) == 1 &&
                      extentOf(a, 1, where) != 1 &&
                      extentOf(a, 0, where) == extentOf(b, 0, where);
  if (column) {
    nc::Call call("tensor_scalar", where);
    call.view("data", operandOf(a, where))
        .view("operand0", operandOf(b, where))
        .choice("op0", op);
    return Result::fromId(appliedTo<T>(call, a, where).temporaryId());
  }
  return withOneShape(a, b, where, [&](const auto &x, const auto &y) {
    nc::Call call("tensor_tensor", where);
    call.view("data1", operandOf(x, where))
        .view("data2", operandOf(y, where))
        .choice("op", op);
    return Result::fromId(appliedTo<T>(call, x, where).temporaryId());
  });
}
template <class A>
auto bitsAndNumber(nc::AluOp op, const A &a,
                   const nc::Optional<std::int64_t> &b, const Where &where) {
  using T = typename A::Element;
  static_assert(areIntegers<T, T>, "kiln: bitwise operations take integers");
  nc::Call call("tensor_scalar", where);
  call.view("data", operandOf(a, where)).choice("op0", op);
  if (b)
    call.integer("operand0", *b);
  return appliedTo<T>(call, a, where);
}

} // namespace dsl

//===----------------------------------------------------------------------===//
// Running reductions
//===----------------------------------------------------------------------===//

#define KILN_DSL_CUMULATIVE(name, op)                                          \
  template <dsl::TileLike X>                                                   \
  auto name(const X &x, dsl::Where where = dsl::Where::current()) {            \
    return dsl::cumulative(nc::AluOp::op, x, where);                           \
  }
/// Element j of the result: the sum (..) of elements 0 to j of its row.
KILN_DSL_CUMULATIVE(cumsum, add)
KILN_DSL_CUMULATIVE(cumprod, multiply)
KILN_DSL_CUMULATIVE(cummax, maximum)
KILN_DSL_CUMULATIVE(cummin, minimum)
#undef KILN_DSL_CUMULATIVE

/// r[j] = a[j] * r[j - 1] + b[j]: a linear recurrence. It starts from
/// `initial`, a number or a column with one for each row.
template <dsl::TileLike A, dsl::TileLike B>
auto scan(const A &a, const B &b, const nc::ScalarOrTile &initial = 0.0,
          dsl::Where where = dsl::Where::current()) {
  using Result = dsl::TileOf<f32, dsl::BroadcastShape<typename A::StaticShape,
                                                      typename B::StaticShape>>;
  const auto first = dsl::scanned(a, where);
  const auto second = dsl::scanned(b, where);
  return dsl::withOneShape(
      first, second, where, [&](const auto &x, const auto &y) {
        nc::Call call("tensor_tensor_scan", where);
        call.view("data0", dsl::operandOf(x, where))
            .view("data1", dsl::operandOf(y, where))
            .scalar("initial", initial)
            .choice("op0", nc::AluOp::multiply)
            .choice("op1", nc::AluOp::add);
        return Result::fromId(
            dsl::appliedTo<f32>(call, x, where).temporaryId());
      });
}
template <dsl::TileLike A, dsl::TileLike B, dsl::TileLike I>
  requires(!std::same_as<typename I::Element, f32>)
auto scan(const A &a, const B &b, const I &initial,
          dsl::Where where = dsl::Where::current()) {
  return scan(a, b, nc::ScalarOrTile(dsl::asF32(initial, where)), where);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Selects elements of each row: out[r, j] = x[r, places[r, j]].
template <dsl::TileLike X, dsl::TileLike P>
auto gather(const X &x, const P &places,
            dsl::Where where = dsl::Where::current()) {
  static_assert(std::same_as<typename P::Element, u32>, "kiln: places are u32");
  dsl::checkRows("gather", x, places, where);
  nc::Call call("nc_n_gather", where);
  call.view("data", dsl::operandOf(x, where))
      .view("indices", dsl::operandOf(places, where));
  return dsl::applied<typename X::Element,
                      dsl::ShapeOf<typename P::StaticShape>::extents[1]>(
      call, x, dsl::extentOf(places, 1, where), where);
}

//===----------------------------------------------------------------------===//
// Bits of integers
//===----------------------------------------------------------------------===//

#define KILN_DSL_BITWISE(name)                                                 \
  template <dsl::TileLike A, dsl::TileLike B>                                  \
  auto name(const A &a, const B &b,                                            \
            dsl::Where where = dsl::Where::current()) {                        \
    return dsl::bits(nc::AluOp::name, a, b, where);                            \
  }                                                                            \
  template <dsl::TileLike A>                                                   \
  auto name(const A &a, std::int64_t b,                                        \
            dsl::Where where = dsl::Where::current()) {                        \
    return dsl::bitsAndNumber(nc::AluOp::name, a, b, where);                   \
  }
KILN_DSL_BITWISE(bitwise_and)
KILN_DSL_BITWISE(bitwise_or)
KILN_DSL_BITWISE(bitwise_xor)
KILN_DSL_BITWISE(left_shift)
KILN_DSL_BITWISE(right_shift) // shifts in zeros, for signed types too
#undef KILN_DSL_BITWISE
template <dsl::TileLike A>
auto invert(const A &a, dsl::Where where = dsl::Where::current()) {
  return dsl::bitsAndNumber(nc::AluOp::invert, a, {}, where);
}

//===----------------------------------------------------------------------===//
// Random numbers from the Vector engine's generators, in program order
//===----------------------------------------------------------------------===//

/// Seeds the generators with one 32-bit number: a [1, 1] tile of u32, i32 or
/// f32.
template <dsl::TileLike X>
void random_seed(const X &seed, dsl::Where where = dsl::Where::current()) {
  nc::set_rng_seed(seed, {}, where);
}
/// Random bits.
template <ElementType T, dsl::Extent R, dsl::Extent C>
auto random_bits(const R &rows, const C &cols,
                 dsl::Where where = dsl::Where::current()) {
  static_assert(!isa::isFloat(T::dtype), "kiln: bits are integers");
  nc::Call call("rng", where);
  call.choice("engine", nc::Engine::vector);
  return dsl::TileOf<T, dsl::ExtentShape<R, C>>::fromId(
      call.apply(T::dtype, {dsl::extentValue(rows), dsl::extentValue(cols)}));
}
/// Uniform in [0, 1), multiples of 2^-24.
template <dsl::Extent R, dsl::Extent C>
auto rand(const R &rows, const C &cols,
          dsl::Where where = dsl::Where::current()) {
  const auto high = right_shift(random_bits<u32>(rows, cols, where), 8, where);
  return dsl::scalar("multiply", cast<f32>(high, where), 0x1p-24, false, where);
}
/// Zeroes elements with probability `rate`; the others keep their bits.
template <dsl::TileLike X>
auto dropout(const X &x, const nc::ScalarOrTile &rate,
             dsl::Where where = dsl::Where::current()) {
  nc::Call call("dropout", where);
  call.view("data", dsl::operandOf(x, where)).scalar("prob", rate);
  return dsl::appliedTo<typename X::Element>(call, x, where);
}
template <dsl::TileLike X, dsl::TileLike R>
  requires(!isa::isFloat(R::Element::dtype))
auto dropout(const X &x, const R &rate,
             dsl::Where where = dsl::Where::current()) {
  return dropout(x, nc::ScalarOrTile(dsl::asF32(rate, where)), where);
}

} // namespace kiln

#endif // KILN_DSL_ROWS_H
