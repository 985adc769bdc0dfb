//===- sequence_bounds.h - Which keys have the sequences of some queries --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of queries need not look at a block of keys if the numbers of their
// sequences, from the lowest to the highest one, do not overlap. This is right
// for any numbers, and skips most where sequences lie one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_SEQUENCE_BOUNDS_H
#define KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_SEQUENCE_BOUNDS_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

struct SequenceBounds {
  std::int64_t prior, tokens, block;

  static constexpr std::int64_t tile = 128; ///< Queries.
  std::int64_t blocks() const { return (prior + tokens) / block; }
  std::int64_t queryTiles() const { return isa::ceilDiv(tokens, tile); }

  /// For each tile of queries, in a row: the first block with one of its
  /// sequences, and the one behind the last. sequence: a number for each key.
  auto find(auto sequence) const {
    auto bounds = hbm<i32>("bounds", queryTiles(), 2);
    const auto numbers = [&](std::int64_t from, std::int64_t rows,
                             std::int64_t width) {
      return cast<f32>(
          load(sequence.slice(0, from, rows * width).reshape(rows, width)));
    };
    const auto keys = numbers(0, blocks(), block);
    const auto least = transpose(row_min(keys)),
               most = transpose(row_max(keys));
    const auto findFor = [&](std::int64_t first, std::int64_t rows,
                             std::int64_t width) {
      const auto own = numbers(prior + first * tile, rows, width);
      const auto on = [&](const auto &t) {
        return broadcast_to(t, rows, blocks());
      };
      const auto shared =
          (on(least) <= row_max(own)) & (on(most) >= row_min(own));
      const auto count = cumsum(ones<f32>(rows, blocks()));
      const auto put = [&](std::int64_t column, const auto &x) {
        store(bounds.rows_at(first, rows).cols_at(column, 1_c), cast<i32>(x));
      };
      put(0, row_min(where(shared, count - 1.0, double(blocks()))));
      put(1, row_max(where(shared, count, 0.0)));
    };
    const std::int64_t whole = tokens / tile, rest = tokens % tile;
    if (whole > 0)
      findFor(0, whole, tile);
    if (rest > 0)
      findFor(whole, 1, rest);
    // Registers load from on chip in less time.
    auto near = sbuf<i32>(1_c, 2 * queryTiles());
    nc::dma_copy(near, bounds.reshape(1_c, 2 * queryTiles()));
    return near;
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_SEQUENCE_BOUNDS_H
