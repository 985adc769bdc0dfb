//===- indirect.h - Rows of HBM chosen by a tile of numbers ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page table, a slot mapping, an embedding: the rows that move are data. One
// transfer moves up to 128 of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_INDIRECT_H
#define KILN_DSL_INDIRECT_H

#include "kiln/dsl/functions.h"
#include "kiln/dsl/mask.h"
#include "kiln/dsl/nc.h"
#include "kiln/dsl/ops.h"

namespace kiln {

namespace dsl {

/// DMA reads a list of rows from trn2 on.
inline void checkChoosesRows(const char *call, const Where &where) {
  if (recording(where).targetGeneration() < isa::Generation::v3)
    failHere("KILN-A037",
             {call, " needs [|trn2 or later|], this is compiled for <|trn1|>"},
             "compile for trn2, or load the rows in a loop, each at the index "
             "of nc::register_load",
             where);
}

/// Calls move(first, count, places) for each transfer of rows that `places`
/// lists. Instructions process at most 128 rows, so a taller tile is copied in
/// parts.
template <class P, class Move>
void forIndexedRows(const P &places, const Where &where, const Move &move) {
  static_assert(P::StaticShape::rank == 2 &&
                    (std::same_as<typename P::Element, i32> ||
                     std::same_as<typename P::Element, u32>),
                "kiln: a tile that chooses rows must have two dimensions and "
                "elements of i32 or u32");
  if (const std::int64_t columns = places.dim(1, where); columns != 1)
    failHere("KILN-A001",
             {"rows are chosen by a tile of <|", columns,
              "|> columns, [|1|] is needed"},
             "load the numbers as a column: table.reshape(n, 1)", where);
  constexpr std::int64_t most = 128;
  const std::int64_t rows = places.dim(0, where);
  if (rows <= most)
    return move(0, rows, places);
  for (std::int64_t first = 0; first < rows; first += most) {
    const std::int64_t count = smaller(most, rows - first);
    move(first, count, copy(places.rows_at(first, count, where), where));
  }
}

} // namespace dsl

/// Row r of the result is row places[r, 0] of the table. A number that is not a
/// row of the table ends the run; with OobMode::skip, its row is 0. The result
/// is a buffer with its own memory.
template <dsl::ReadableHbm V, dsl::TileLike P>
auto load_rows(const V &table, const P &places,
               nc::OobMode outside = nc::OobMode::error,
               dsl::Where where = dsl::Where::current()) {
  static_assert(V::StaticShape::rank == 2,
                "kiln: the table must have two dimensions; reshape it");
  using T = typename V::Element;
  using S = Shape<dsl::ShapeOf<typename P::StaticShape>::extents[0],
                  dsl::ShapeOf<typename V::StaticShape>::extents[1]>;
  using Rows = Buffer<T, S>;
  dsl::checkChoosesRows("load_rows", where);
  const std::int64_t total = places.dim(0, where), cols = table.dim(1, where);
  const auto memory = [&](std::int64_t rows) {
    return Rows(dsl::recording(where).declare(isa::Space::sbuf, T::dtype,
                                              {rows, cols}, {}, where));
  };
  Rows all = memory(total);
  dsl::forIndexedRows(
      places, where,
      [&](std::int64_t first, std::int64_t count, const auto &some) {
        Rows part = count == total ? all : memory(count);
        if (outside == nc::OobMode::skip)
          part = dsl::Assigned<Rows>(0.0, where);
        nc::dma_copy(part, table, {.oob_mode = outside, .src_index = some},
                     where);
        if (count != total) {
          auto window = all.rows_at(first, count, where);
          window = dsl::Assigned<decltype(window)>(part, where);
        }
      });
  return all;
}

/// Row places[r, 0] of the table becomes row r of the tile, rounded to the
/// table's type. If a number appears twice, its last row remains. A number that
/// is not a row ends the run; with OobMode::skip, its row is not stored.
template <dsl::WritableHbm V, dsl::TileLike P, dsl::TileLike X>
void store_rows(const V &table, const P &places, const X &tile,
                nc::OobMode outside = nc::OobMode::error,
                dsl::Where where = dsl::Where::current()) {
  static_assert(V::StaticShape::rank == 2 && X::StaticShape::rank == 2,
                "kiln: the tile and the table must have two dimensions; "
                "reshape them");
  dsl::checkChoosesRows("store_rows", where);
  const std::int64_t rows = tile.dim(0, where), cols = tile.dim(1, where);
  if (rows != places.dim(0, where) || cols != table.dim(1, where))
    dsl::failHere("KILN-A001",
                  {"a tile of <|", rows, " x ", cols, "|> is stored to [|",
                   places.dim(0, where), "|] rows of [|", table.dim(1, where),
                   "|]"},
                  "give as many numbers as the tile has rows", where);
  const auto rounded = cast<typename V::Element>(tile, where);
  dsl::forIndexedRows(
      places, where,
      [&](std::int64_t first, std::int64_t count, const auto &some) {
        const nc::DmaCopyOptions options{.oob_mode = outside,
                                         .dst_index = some};
        if (count == rows)
          nc::dma_copy(table, rounded, options, where);
        else
          nc::dma_copy(table, copy(rounded.rows_at(first, count, where), where),
                       options, where);
      });
}

/// Rows start to start + count - 1 of the table, followed by rows of 0, `most`
/// in all. `start` and `count` are [1, 1] tiles of i32, known at run time; a
/// larger count is reduced to `most`. All of these rows must be in the table.
template <dsl::ReadableHbm V, dsl::TileLike S, dsl::TileLike C, dsl::Extent N>
auto load_up_to(const V &table, const S &start, const C &count, const N &most,
                dsl::Where at = dsl::Where::current()) {
  static_assert(std::same_as<typename S::Element, i32> &&
                    std::same_as<typename C::Element, i32>,
                "kiln: start and count must be tiles of i32");
  using T = typename V::Element;
  dsl::checkChoosesRows("load_up_to", at);
  const std::int64_t rows = dsl::extentValue(most), cols = table.dim(1, at);
  using Rows =
      dsl::TileOf<T, Shape<dsl::staticExtent<N>(),
                           dsl::ShapeOf<typename V::StaticShape>::extents[1]>>;
  auto all =
      Rows::fromId(dsl::recording(at).fill(0.0, T::dtype, {rows, cols}, at));
  constexpr std::int64_t lanes = 128;
  const dsl::Steps s{at};
  for (std::int64_t first = 0; first < rows; first += lanes) {
    const std::int64_t size = dsl::smaller(lanes, rows - first);
    auto numbers = sbuf<i32>(size, 1, {}, at);
    nc::iota(numbers, {{0, 1}}, {.offset = first, .channel_multiplier = 1}, at);
    const auto inside =
        dsl::combine<u8>(dsl::OpKind::compare, "less", numbers, count, at);
    // Row 0 always exists, so it replaces the rows that are not wanted.
    const auto places = where(inside, s.add(numbers, start), 0.0, at);
    const auto found = load_rows(table, places, nc::OobMode::error, at);
    auto window = all.rows_at(first, size, at);
    window = dsl::Assigned<decltype(window)>(where(inside, found, 0.0, at), at);
  }
  return all;
}

} // namespace kiln

#endif // KILN_DSL_INDIRECT_H
