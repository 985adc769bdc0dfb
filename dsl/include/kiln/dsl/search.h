//===- search.h - The largest of each row, and where they are -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions search 8 to 16384 columns. Shorter rows are padded. Longer
// rows are searched in pieces, and then the best elements of all pieces are
// searched. Padding, and elements that were already taken, are NaN, which is
// below everything, even -inf, so that no search finds them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_SEARCH_H
#define KILN_DSL_SEARCH_H

#include "kiln/dsl/rows.h"

#include <limits>

namespace kiln {

namespace dsl {

inline constexpr std::int64_t leastSearched = 8, mostSearched = 16384;
/// The place of a value that is not found, such as NaN.
inline constexpr double noPlace = 4294967295.0;

template <class X>
void checkSearched(const char *call, const X &x, const Where &where) {
  const std::int64_t cols = extentOf(x, 1, where);
  if (cols < leastSearched || cols > mostSearched)
    failHere("KILN-A161", {call, " searches a tile with ", cols, " columns"},
             "give it 8 to 16384 columns; row_argmax and top_k take any number",
             where);
}
template <class X, class V>
void checkValues(const char *call, const X &x, const V &values,
                 const Where &where) {
  checkSearched(call, x, where);
  checkRows(call, x, values, where);
  if (extentOf(values, 1, where) != 8)
    failHere(
        "KILN-A161",
        {call, " looks for ", extentOf(values, 1, where), " values per row"},
        "give it the eight of row_max8", where);
}

} // namespace dsl

/// The eight largest elements of each row, descending; 8 to 16384 columns.
template <dsl::TileLike X>
auto row_max8(const X &x, dsl::Where where = dsl::Where::current()) {
  dsl::checkSearched("row_max8", x, where);
  nc::Call call("max8", where);
  call.view("src", dsl::operandOf(x, where));
  return dsl::applied<f32, 8>(call, x, 8, where);
}
/// The places of eight values in their row; equal values get successive places.
template <dsl::TileLike X, dsl::TileLike V>
auto row_find8(const X &x, const V &values,
               dsl::Where where = dsl::Where::current()) {
  dsl::checkValues("row_find8", x, values, where);
  nc::Call call("nc_find_index8", where);
  call.view("data", dsl::operandOf(x, where))
      .view("vals", dsl::operandOf(values, where));
  return dsl::applied<u32, 8>(call, x, 8, where);
}
/// x with the first match of each of eight values replaced.
template <dsl::TileLike X, dsl::TileLike V>
auto row_replace8(const X &x, const V &values, double by,
                  dsl::Where where = dsl::Where::current()) {
  dsl::checkValues("row_replace8", x, values, where);
  nc::Call call("nc_match_replace8", where);
  call.view("data", dsl::operandOf(x, where))
      .view("vals", dsl::operandOf(values, where))
      .number("imm", by);
  return dsl::appliedTo<f32>(call, x, where);
}

namespace dsl {

/// The largest elements of each row, written from column `at` on.
template <class X> struct Search {
  static constexpr std::int64_t rowsOf = staticRows<typename X::StaticShape>;
  using Values = TileOf<f32, Shape<rowsOf, dynamic>>;
  using Places = TileOf<u32, Shape<rowsOf, dynamic>>;
  Where where;
  std::int64_t rows;

  Values values(double fill, std::int64_t cols) const {
    return Values::fromId(
        recording(where).fill(fill, f32::dtype, {rows, cols}, where));
  }
  Places places(double fill, std::int64_t cols) const {
    return Places::fromId(
        recording(where).fill(fill, u32::dtype, {rows, cols}, where));
  }
  template <class To, class From>
  void assign(To &to, std::int64_t at, std::int64_t n, const From &from) const {
    to.cols_at(at, n, where) = {from, where};
  }

  /// 8 to 16384 columns; places count from `base`.
  template <class V, class P, class D>
  void eights(V &best, P &found, std::int64_t at, const D &data,
              std::int64_t count, std::int64_t base) const {
    const auto step = [&](const auto &from, std::int64_t done) {
      const std::int64_t n = smaller(count - done, 8);
      const auto eight = row_max8(from, where);
      const auto where8 = row_find8(from, eight, where);
      assign(best, at + done, n, eight.cols_at(0, n, where));
      const auto part = where8.cols_at(0, n, where);
      if (base == 0)
        assign(found, at + done, n, part);
      else
        assign(found, at + done, n,
               scalar("add", part, static_cast<double>(base), false, where));
      return eight;
    };
    if (count <= 8) {
      step(data, 0);
      return;
    }
    auto rest = Values::fromId(cast<f32>(data, where).temporaryId());
    for (std::int64_t done = 0; done < count; done += 8) {
      const auto eight = step(rest, done);
      if (done + 8 < count)
        rest = {row_replace8(rest, eight,
                             std::numeric_limits<double>::quiet_NaN(), where),
                where};
    }
  }

  /// Up to 16384 columns.
  template <class V, class P, class D>
  void run(V &best, P &found, std::int64_t at, const D &data,
           std::int64_t count, std::int64_t base) const {
    const std::int64_t cols = extentOf(data, 1, where);
    if (cols >= leastSearched)
      return eights(best, found, at, data, count, base);
    Values padded =
        values(std::numeric_limits<double>::quiet_NaN(), leastSearched);
    assign(padded, 0, cols, data);
    eights(best, found, at, padded, count, base);
  }

  /// Any number of columns.
  template <class V, class P, class D>
  void any(V &best, P &found, const D &data, std::int64_t count) const {
    const std::int64_t cols = extentOf(data, 1, where);
    if (cols <= mostSearched)
      return run(best, found, 0, data, count, 0);
    const std::int64_t runs = isa::ceilDiv(cols, mostSearched);
    const std::int64_t width = isa::ceilDiv(cols, runs);
    std::int64_t total = 0;
    for (std::int64_t first = 0; first < cols; first += width)
      total += smaller(count, smaller(width, cols - first));
    Values some = values(0, total);
    // One past the last: the place of a value that is not found.
    Places where8 = places(noPlace, total + 1);
    std::int64_t at = 0;
    for (std::int64_t first = 0; first < cols; first += width) {
      const std::int64_t n = smaller(width, cols - first);
      const std::int64_t k = smaller(count, n);
      run(some, where8, at, data.cols_at(first, n, where), k, first);
      at += k;
    }
    Places chosen = places(0, count);
    Search<Values>{where, rows}.any(best, chosen, some, count);
    const auto inside =
        scalar("minimum", chosen, static_cast<double>(total), false, where);
    assign(found, 0, count, gather(where8, inside, where));
  }
};

} // namespace dsl

/// The lowest place of the largest element of each row: u32 [R, 1].
template <dsl::TileLike X>
auto row_argmax(const X &x, dsl::Where where = dsl::Where::current()) {
  const std::int64_t cols = dsl::extentOf(x, 1, where);
  constexpr std::int64_t R = dsl::staticRows<typename X::StaticShape>;
  using Place = dsl::TileOf<u32, Shape<R, 1>>;
  if (cols >= dsl::leastSearched && cols <= dsl::mostSearched) {
    const auto places = row_find8(x, row_max8(x, where), where);
    return Place::fromId(
        copy(places.cols_at(0, 1_c, where), where).temporaryId());
  }
  const dsl::Search<X> search{where, dsl::extentOf(x, 0, where)};
  auto best = search.values(0, 1);
  auto place = search.places(0, 1);
  search.any(best, place, x, 1);
  return Place::fromId(copy(place, where).temporaryId());
}

/// The result of top_k: values in descending order, and their places. Equal
/// values are in order of their places.
template <class V, class P> struct TopK {
  V values;
  P places;
};
/// The k largest elements of each row.
template <dsl::TileLike X, dsl::Extent K>
auto top_k(const X &x, const K &k, dsl::Where where = dsl::Where::current()) {
  const std::int64_t count = dsl::extentValue(k);
  const std::int64_t cols = dsl::extentOf(x, 1, where);
  if (count < 1 || count > cols)
    dsl::failHere("KILN-A162",
                  {"top_k finds ", count, " values in rows of ", cols},
                  {"ask for 1 to ", cols}, where);
  const std::int64_t rows = dsl::extentOf(x, 0, where);
  constexpr std::int64_t R = dsl::staticRows<typename X::StaticShape>;
  using Values = dsl::TileOf<f32, Shape<R, dsl::staticExtent<K>()>>;
  using Places = dsl::TileOf<u32, Shape<R, dsl::staticExtent<K>()>>;
  auto &recorder = dsl::recording(where);
  TopK<Values, Places> best{
      Values::fromId(recorder.fill(0.0, f32::dtype, {rows, count}, where)),
      Places::fromId(recorder.fill(0.0, u32::dtype, {rows, count}, where))};
  dsl::Search<X>{where, rows}.any(best.values, best.places, x, count);
  return best;
}

} // namespace kiln

#endif // KILN_DSL_SEARCH_H
