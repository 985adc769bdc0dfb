//===- new_rows.h - Where new keys and values go in a cache ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One transfer for the keys and one for the values write the rows of all
// sequences. A transfer for each sequence would wait for the one before: two of
// them may name the same row, and then the last one counts.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_NEW_ROWS_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_NEW_ROWS_H

#include "kiln/kiln.h"
#include "support/list.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kiln::kernels {

/// Of a cache [parts, kv_heads, rows, d], whose parts are pages or sequences.
struct NewRows {
  std::int64_t batch, kv_heads, tokens, max_keys, parts, rows;
  bool paged, slotted;

  std::int64_t all() const { return parts * kv_heads * rows; }
  /// Tiles have no division, but they shift, and f32 counts up to 2^24. A
  /// sequence has a row of the tiles that instructions fill. trn1 has no such
  /// transfers.
  bool possible() const {
    return target().generation != nc::Generation::v2 && all() <= 1 << 24 &&
           batch <= 128 &&
           (!paged || std::has_single_bit(static_cast<std::uint64_t>(rows)));
  }
  static auto within(const auto &t, std::int64_t count) {
    return max(min(t, double(count - 1)), 0.0);
  }

  /// [batch, 1]: what the table says of page number `page` of the sequence.
  auto named(const auto &page, auto table) const {
    const std::int64_t pages = max_keys / rows;
    auto number = sbuf<f32>(batch, pages);
    nc::iota(number, {{1, pages}}, {.channel_multiplier = 0});
    return row_sum(
        where(abs(number - page) < 0.5, cast<f32>(load(table)), 0.0));
  }
  /// [batch, kv_heads]: the row of new token n of each sequence and head, from
  /// the slot or the length. It is none, if the slot is negative.
  auto find(std::int64_t n, auto lengths, auto table, auto slots) const {
    auto at = sbuf<i32>(batch, 1_c);
    auto part = sbuf<f32>(batch, 1_c), row = sbuf<f32>(batch, 1_c);
    auto head = sbuf<f32>(batch, kv_heads);
    auto found = sbuf<i32>(batch, kv_heads);
    if (slotted)
      at = load(slots.cols_at(n, 1_c));
    else if (tokens == 1)
      at = within(cast<f32>(load(lengths)), max_keys);
    else
      at = within(cast<f32>(load(lengths)), max_keys - tokens + 1) + double(n);
    nc::iota(head, {{rows, kv_heads}}, {.channel_multiplier = 0});
    if (paged) {
      const int bits = std::countr_zero(static_cast<std::uint64_t>(rows));
      row = cast<f32>(bitwise_and(at, int(rows - 1)));
      part = cast<f32>(right_shift(at, bits));
      if (!slotted)
        part = named(part, table);
      part = within(part, parts);
    } else {
      row = within(cast<f32>(at), max_keys);
      nc::iota(part, {{0, 1}}, {.channel_multiplier = 1});
    }
    found = where(cast<f32>(at) < 0.0, -1.0,
                  part * double(kv_heads * rows) + row + head);
    return found;
  }

  /// k, v: [batch, kv_heads * tokens, d]. Returns what writes them.
  auto prepare(auto lengths, auto table, auto slots, auto k, auto v,
               auto k_cache, auto v_cache) const {
    const std::int64_t d = k.dim(2), pairs = batch * kv_heads * tokens;
    // Each in a statement of its own: compilers differ in the lines of
    // captures.
    List<decltype(find(0, lengths, table, slots))> found;
    for (std::int64_t n = 0; n < tokens; ++n)
      found.push_back(find(n, lengths, table, slots));
    const auto newK = load(k.reshape(pairs, d));
    const auto newV = load(v.reshape(pairs, d));
    return [=, *this] {
      const auto put = [&](const auto &places) {
        const auto each = [&](auto cache, const auto &x) {
          store_rows(cache.reshape(all(), d), places, x, nc::OobMode::skip);
        };
        each(k_cache, newK);
        each(v_cache, newV);
      };
      if (kv_heads * tokens == 1)
        return put(found[0]);
      auto list = hbm<i32>("places", batch, kv_heads * tokens);
      for (std::int64_t n = 0; n < tokens; ++n)
        store(list.slice(1, n, kv_heads, tokens),
              found[static_cast<std::size_t>(n)]);
      put(load(list.reshape(pairs, 1_c)));
    };
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_NEW_ROWS_H
