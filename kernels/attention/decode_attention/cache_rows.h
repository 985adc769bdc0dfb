//===- cache_rows.h - Rows of a paged cache that one transfer gathers -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page is some rows of several keys each, back to back in the cache. Up to
// 128 rows make a step: one transfer gathers them, from as many pages as they
// come from. So the time of a step depends little on the size of a page.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_DECODE_ATTENTION_CACHE_ROWS_H
#define KILN_KERNELS_ATTENTION_DECODE_ATTENTION_CACHE_ROWS_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// The largest divisor of n that is at most `most`.
inline std::int64_t divisorUpTo(std::int64_t n, std::int64_t most) {
  std::int64_t divisor = plain::min(n, most);
  while (n % divisor != 0)
    --divisor;
  return divisor;
}

/// Which rows of a cache, [pages, kv-heads, block, head-dim], a step gathers. A
/// contiguous cache of a sequence is a page.
struct CacheRows {
  std::int64_t batch, kv_heads, max_keys, block, pages, head_dim;
  std::int64_t most; ///< Keys of a row.

  using Places = decltype(sbuf<u32>(std::int64_t{}, std::int64_t{}));

  std::int64_t keysOfRow() const { return divisorUpTo(block, most); }
  /// Keys of a row that stand on one another, so that small heads fill the
  /// partitions.
  std::int64_t stacked() const {
    const bool fits = head_dim == 32 || head_dim == 64;
    return fits ? plain::gcd(128 / head_dim, keysOfRow()) : 1;
  }
  std::int64_t rowsOfPage() const { return block / keysOfRow(); }
  /// Rows of a step: of whole pages, or a part of a page.
  std::int64_t rows() const {
    const std::int64_t page = rowsOfPage();
    return page >= 128 ? divisorUpTo(page, 128)
                       : page * divisorUpTo(max_keys / block, 128 / page);
  }
  std::int64_t all() const { return pages * kv_heads * rowsOfPage(); }
  std::int64_t steps() const { return max_keys / (rows() * keysOfRow()); }

  /// A column for each step of each sequence and head: the numbers of its rows.
  /// A page number outside of the cache is moved into it.
  Places places(auto table) const {
    const std::int64_t page = rowsOfPage(), step = rows();
    const std::int64_t wide = plain::max(page, step), parts = wide / step;
    const std::int64_t perLine = wide / page; // pages
    const std::int64_t lines = batch * (max_keys / block) / perLine;
    auto result = sbuf<u32>(step, kv_heads * lines * parts);
    const auto listed = table.reshape(lines, perLine);
    for (std::int64_t first = 0; first < lines; first += 128) {
      const std::int64_t n = plain::min<std::int64_t>(lines - first, 128);
      auto row = sbuf<f32>(n, perLine), places = sbuf<f32>(n, wide);
      auto within = sbuf<f32>(n, wide);
      const auto named = cast<f32>(load(listed.rows_at(first, n)));
      row = max(min(named, double(pages - 1)), 0.0);
      for (std::int64_t g = 0; g < kv_heads; ++g) {
        nc::iota(within, {{0, perLine}, {1, page}}, {.offset = g * page});
        nc::scalar_tensor_tensor(
            places.reshape(n, perLine, page),
            row.reshape(n, perLine, 1_c).broadcast(2, page),
            nc::AluOp::multiply, double(kv_heads * page), nc::AluOp::add,
            within.reshape(n, perLine, page));
        for (std::int64_t k = 0; k < parts; ++k) {
          auto turned = psum<f32>(step, n);
          nc::nc_transpose(turned, places.cols_at(k * step, step));
          nc::tensor_copy(
              result.slice(1, (g * lines + first) * parts + k, n, parts),
              turned);
        }
      }
    }
    return result;
  }
  /// The same of a cache [batch, kv-heads, max-keys, head-dim].
  Places placesInOrder() const {
    const auto step = static_cast<int>(rows()), head = step * int(steps());
    auto result = sbuf<u32>(rows(), batch * kv_heads * steps());
    nc::iota(result,
             {{head, int(kv_heads)},
              {head * int(kv_heads), int(batch)},
              {step, int(steps())}},
             {.channel_multiplier = 1});
    return result;
  }
  auto placesOf(auto places, Index i, Index j) const {
    return places.cols_at((i % kv_heads * batch + i / kv_heads) * steps() +
                              min(j, steps() - 1),
                          1_c);
  }

  /// Column c * rows + r has keys c * stacked and the next ones of row r.
  template <class Cache>
  auto keys(Cache cache, auto places, Index i, Index j) const {
    const std::int64_t lines = stacked() * head_dim;
    const std::int64_t columns = keysOfRow() / stacked();
    auto result = sbuf<typename Cache::Element>(lines, columns * rows());
    nc::dma_transpose(result,
                      cache.reshape(all(), columns, lines).rows_at(0, rows()),
                      {.src_index = placesOf(places, i, j)});
    return result;
  }
  /// [rows, keysOfRow * head-dim].
  void values(auto cache, auto places, Index i, Index j, auto into) const {
    nc::dma_copy(into, cache.reshape(all(), keysOfRow() * head_dim),
                 {.src_index = placesOf(places, i, j)});
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_DECODE_ATTENTION_CACHE_ROWS_H
