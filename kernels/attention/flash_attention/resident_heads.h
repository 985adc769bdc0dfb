//===- resident_heads.h - Heads with all operands on chip -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_HEADS_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_HEADS_H

#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// Rows of `to` from `row`, out of tiles side by side: whole ones by one
/// transfer. Of a ragged last tile, the last rows count.
void storeTiles(auto to, Index row, int count, const auto &out, int width) {
  const int tile = 128, whole = count / tile, left = count % tile;
  if (whole > 0)
    store(to.rows_at(row, whole * tile)
              .reshape(whole, tile, width)
              .permute(1, 0, 2),
          out.cols_at(0, whole * width).reshape(tile, whole, width));
  if (left > 0)
    store(to.rows_at(row + whole * tile, left),
          out.cols(whole, width).rows_at(tile - left, left));
}

/// Keys, values and the state of several heads that share them.
template <class T, class Queries, class Output, class Sums>
struct ResidentHeads {
  template <class E> using Columns = Buffer<E, Shape<dynamic, dynamic>>;
  static constexpr int tile = 128; ///< Queries.

  int head_dim, block;
  double scale, lowest;
  Columns<T> qT, kT, v; ///< Tiles of v side by side, each with ones behind it.
  /// Tiles of queries side by side. Behind the output of each is the sum of its
  /// exponentials.
  Columns<f32> m, acc, l; ///< l: the sums before they are rounded, for lse.
  Queries q;              ///< The heads one below the other, as in o.
  Output o;
  bool sink, lse; ///< As in prefill_attention.
  Columns<f32> logits;
  Index first; ///< The logit of the first head.
  Sums rowsOfSums;

  int wide() const { return head_dim + 1; }
  /// pT v for `size` keys from `key`, both multiples of the tile.
  auto values(auto &pT, Index key, int size) const {
    const auto product = [&](int x) {
      return matmul(pT.rows_at(x, tile), v.cols((key + x) / tile, wide()));
    };
    auto sum = product(0);
    for (int x = tile; x < size; x += tile)
      sum = sum + product(x);
    return sum;
  }
  auto scores(Index c, Index key, int size) const {
    return matmul(qT.cols(c, tile), kT.cols_at(key, size));
  }

  /// The first scores of tile c.
  void begin(Index c, Index key, int size, const auto &s) const {
    auto m_new = scale * row_max(s);
    auto e = exp(scale * s - m_new);
    if (lse)
      l.cols(c, 1) = row_sum(e);
    auto pT = transpose(cast<T>(e)); // [size, n]
    acc.cols(c, wide()) = values(pT, key, size);
    m.cols(c, 1) = m_new;
  }
  /// The scores of further keys.
  void step(Index c, Index key, const auto &s) const {
    auto m_new = max(m.cols(c, 1), scale * row_max(s));
    auto alpha = exp(m.cols(c, 1) - m_new);
    auto e = exp(scale * s - m_new);
    if (lse)
      l.cols(c, 1) = alpha * l.cols(c, 1) + row_sum(e);
    auto pT = transpose(cast<T>(e)); // [size, n]
    acc.cols(c, wide()) =
        alpha * acc.cols(c, wide()) + values(pT, key, int(s.dim(1)));
    m.cols(c, 1) = m_new;
  }
  /// `count` rows of o from `row`, of head h. Tile x of them is column
  /// columnOf(x), and together(x) of them lie `stride` columns apart. Where
  /// copies of the last tile follow, each gives a share of its columns: no
  /// state is in vain.
  void finish(Index h, Index row, auto columnOf, auto together, int stride,
              int count, int copies) const {
    const int last = (count - 1) / tile, all = last + copies;
    auto out = sbuf<T>(tile, (last + 1) * head_dim);
    auto logs = sbuf<f32>(tile, last + 1);
    for (int x = 0, n = 1; x < all; x += n) {
      n = plain::min(together(x), all - x);
      const Index c = columnOf(x);
      const auto sums =
          acc.slice(1_c, c * wide() + head_dim, n, stride * wide());
      const auto most = m.slice(1_c, c, n, stride);
      auto factor = reciprocal(sums), log_sum = copy(most);
      const auto exact = [&] { return l.slice(1_c, c, n, stride); };
      if (lse)
        log_sum = most + log(exact());
      if (sink) {
        const auto logit = logits.cols(first + h, 1);
        auto m_new = max(most, logit);
        auto alpha = exp(most - m_new), weight = exp(logit - m_new);
        factor = alpha / (alpha * sums + weight);
        if (lse)
          log_sum = m_new + log(alpha * exact() + weight);
      }
      for (int i = 0; i < n; ++i) {
        const int copy = plain::max(x + i - last, 0), to = x + i - copy;
        const int shares = to < last ? 1 : copies;
        const int from = head_dim * copy / shares;
        if (const int size = head_dim * (copy + 1) / shares - from)
          out.cols_at(to * head_dim + from, size) =
              acc.cols_at((c + i * stride) * wide() + from, size) *
              factor.cols(i, 1);
        if (lse && copy == 0)
          logs.cols(to, 1) = log_sum.cols(i, 1);
        else if (lse) // The same.
          logs.cols(to, 1) = max(logs.cols(to, 1), log_sum.cols(i, 1));
      }
    }
    storeTiles(o, row, count, out, head_dim);
    if (lse)
      storeTiles(rowsOfSums(), row, count, logs, 1);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_HEADS_H
