//===- rows.h - Operations along each row ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running sums, gathers, searches, bits of integers, random numbers: each is
// one instruction on each 128 rows, or a few of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_ROWS_H
#define KILN_DSL_ROWS_H

#include "kiln/dsl/mask.h"
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

template <class X>
auto cumulative(nc::AluOp op, const X &x, const Where &where) {
  nc::Call call("tensor_scalar_cumulative", where);
  call.view("src", operandOf(x, where))
      .choice("op0", nc::AluOp::multiply)
      .choice("op1", op)
      .number("imm0", 1.0);
  return appliedTo<f32>(call, x, where);
}

template <class A, class B>
auto bits(nc::AluOp op, const A &a, const B &b, const Where &where) {
  using T = typename A::Element;
  static_assert(areIntegers<T, typename B::Element> &&
                    isa::sizeInBytes(T::dtype) ==
                        isa::sizeInBytes(B::Element::dtype),
                "kiln: bitwise operations take integers of one width");
  const bool column = extentOf(b, 1, where) == 1 && extentOf(a, 1, where) != 1;
  nc::Call call(column ? "tensor_scalar" : "tensor_tensor", where);
  call.view(column ? "data" : "data1", operandOf(a, where))
      .view(column ? "operand0" : "data2", operandOf(b, where))
      .choice(column ? "op0" : "op", op);
  return appliedTo<T>(call, a, where);
}
template <class A>
auto bitsAndNumber(nc::AluOp op, const A &a,
                   const std::optional<std::int64_t> &b, const Where &where) {
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

/// r[j] = a[j] * r[j - 1] + b[j], from `initial`: a linear recurrence.
template <dsl::TileLike A, dsl::TileLike B>
auto scan(const A &a, const B &b, double initial = 0,
          dsl::Where where = dsl::Where::current()) {
  nc::Call call("tensor_tensor_scan", where);
  call.view("data0", dsl::operandOf(a, where))
      .view("data1", dsl::operandOf(b, where))
      .number("initial", initial)
      .choice("op0", nc::AluOp::multiply)
      .choice("op1", nc::AluOp::add);
  return dsl::appliedTo<f32>(call, a, where);
}

//===----------------------------------------------------------------------===//
// Search and gather
//===----------------------------------------------------------------------===//

/// The eight largest of each row, descending; 8 to 16384 columns.
template <dsl::TileLike X>
auto row_max8(const X &x, dsl::Where where = dsl::Where::current()) {
  nc::Call call("max8", where);
  call.view("src", dsl::operandOf(x, where));
  return dsl::applied<f32, 8>(call, x, 8, where);
}
/// Where eight values stand in their row, successive places for equal ones.
template <dsl::TileLike X, dsl::TileLike V>
auto row_find8(const X &x, const V &values,
               dsl::Where where = dsl::Where::current()) {
  nc::Call call("nc_find_index8", where);
  call.view("data", dsl::operandOf(x, where))
      .view("vals", dsl::operandOf(values, where));
  return dsl::applied<u32, 8>(call, x, 8, where);
}
/// x with the first match of each of eight values replaced.
template <dsl::TileLike X, dsl::TileLike V>
auto row_replace8(const X &x, const V &values, double by,
                  dsl::Where where = dsl::Where::current()) {
  nc::Call call("nc_match_replace8", where);
  call.view("data", dsl::operandOf(x, where))
      .view("vals", dsl::operandOf(values, where))
      .number("imm", by);
  return dsl::appliedTo<f32>(call, x, where);
}
/// The lowest place of the largest element of each row: u32 [R, 1].
template <dsl::TileLike X>
auto row_argmax(const X &x, dsl::Where where = dsl::Where::current()) {
  const auto places = row_find8(x, row_max8(x, where), where);
  return copy(places.cols_at(0, 1_c, where), where);
}

/// What top_k finds: values, descending, and their places, lower ones first
/// where values are equal.
template <class V, class P> struct TopK {
  V values;
  P places;
};
/// The k largest of each row, eight at a time.
template <dsl::TileLike X, dsl::Extent K>
auto top_k(const X &x, const K &k, dsl::Where where = dsl::Where::current()) {
  const std::int64_t count = dsl::extentValue(k);
  require(count >= 1, "top_k finds at least one value", "give a larger k",
          where);
  const std::int64_t rows = dsl::extentOf(x, 0, where);
  constexpr std::int64_t R = dsl::staticRows<typename X::StaticShape>;
  using Values = dsl::TileOf<f32, Shape<R, dsl::staticExtent<K>()>>;
  using Places = dsl::TileOf<u32, Shape<R, dsl::staticExtent<K>()>>;
  auto &recorder = dsl::recording(where);
  TopK<Values, Places> best{
      Values::fromId(recorder.fill(0.0, f32::dtype, {rows, count}, where)),
      Places::fromId(recorder.fill(0.0, u32::dtype, {rows, count}, where))};
  dsl::TileOf<f32, typename X::StaticShape> rest = cast<f32>(x, where);
  for (std::int64_t at = 0; at < count; at += 8) {
    const std::int64_t n = count - at < 8 ? count - at : 8;
    const auto values = row_max8(rest, where);
    const auto places = row_find8(rest, values, where);
    const auto assign = [&](auto &to, const auto &from) {
      to.cols_at(at, n, where) = {from.cols_at(0, n, where), where};
    };
    assign(best.values, values);
    assign(best.places, places);
    if (at + 8 < count)
      rest = {row_replace8(rest, values, -inf, where), where};
  }
  return best;
}

/// Elements of each row by their places: out[r, j] = x[r, places[r, j]].
template <dsl::TileLike X, dsl::TileLike P>
auto gather(const X &x, const P &places,
            dsl::Where where = dsl::Where::current()) {
  static_assert(std::same_as<typename P::Element, u32>, "kiln: places are u32");
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
KILN_DSL_BITWISE(right_shift) // zeros come in, for signed types too
#undef KILN_DSL_BITWISE
template <dsl::TileLike A>
auto invert(const A &a, dsl::Where where = dsl::Where::current()) {
  return dsl::bitsAndNumber(nc::AluOp::invert, a, std::nullopt, where);
}

//===----------------------------------------------------------------------===//
// Random numbers, of the Vector engine's generators, in program order
//===----------------------------------------------------------------------===//

/// Starts the generators from one 32-bit number, [1, 1] on chip.
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

} // namespace kiln

#endif // KILN_DSL_ROWS_H
