//===- window.h - Attention to a window of keys ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every tile of queries looks at the same number of keys, as many as a window
// and a tile take. So there is no loop over keys, all tiles of all heads are
// one loop, and what hides keys is always a part of the same matrix.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_WINDOW_H
#define KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_WINDOW_H

#include "attention/flash_attention/resident_heads.h"
#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

/// Attention of `tokens` queries to a window of keys, for heads that share
/// them.
template <class T> struct WindowAttention {
  template <class E> using Columns = Buffer<E, Shape<dynamic, dynamic>>;

  std::int64_t heads, kv_heads, tokens, prior, head_dim, window;
  bool sink, lse;
  double scale, lowest;

  static constexpr std::int64_t tile = 128;        ///< Queries.
  static constexpr std::int64_t widest = 1152;     ///< Keys of a tile.
  static constexpr std::int64_t budget = 80 << 10; ///< Bytes of a partition.

  static std::int64_t up(std::int64_t n) {
    return isa::ceilDiv(n, tile) * tile;
  }
  std::int64_t group() const { return heads / kv_heads; }
  /// Keys in front of a tile that its queries may see.
  std::int64_t lead() const { return up(window - 1); }
  /// Earlier keys that some query sees, and those beyond whole tiles.
  std::int64_t before() const { return plain::min(prior, lead()); }
  std::int64_t odd() const { return before() % tile; }
  /// Keys that are on chip, zeros behind the last one, and those that a tile
  /// looks at.
  std::int64_t keys() const { return up(before() + tokens); }
  std::int64_t span() const {
    return plain::min(keys(), lead() + up(odd()) + tile);
  }
  /// Tiles that one transfer loads or stores: two where transfers would bind.
  std::int64_t together() const { return span() <= 3 * tile ? 2 : 1; }

  std::int64_t queryTiles() const { return up(tokens) / tile; }
  /// Heads whose output stays on chip until it is stored; 0 if each tile is
  /// stored at once. Ragged heads are one loop that way. Each is stored by its
  /// own instructions: with a second loop, heads of keys would not overlap.
  std::int64_t kept() const {
    const std::int64_t bytes = head_dim * isa::sizeInBytes(T::dtype);
    const std::int64_t most = plain::min<std::int64_t>(group(), 8);
    std::int64_t some = plain::min(most, budget / 2 / bytes / queryTiles());
    while (some > 0 && group() % some != 0)
      --some;
    return tokens > tile && tokens % tile != 0 ? some : 0;
  }

  bool fits() const {
    const std::int64_t values = keys() / tile * head_dim;
    return window > 0 && span() <= widest &&
           (keys() + values) * isa::sizeInBytes(T::dtype) <= budget;
  }

  /// Where a loop over blocks is the other way: there are enough tiles.
  bool pays() const {
    const bool isOne = kv_heads == 1 && tokens % tile == 0;
    return isOne || group() * queryTiles() >= 12;
  }

  /// What a product with the identity adds to the scores. Row r sees columns
  /// r + last - window + 1 to r + last. The last 128 queries of a head may
  /// begin before the last tile.
  auto hiddenUpTo(std::int64_t last) const {
    const std::int64_t all = last + span() + (kept() > 0 ? tile : 0);
    auto hidden = sbuf<T>(tile, all);
    hidden = cast<T>(
        keep(keep(zeros<f32>(tile, all), row_at(last) >= col_at(0), lowest),
             row_at(last - window) < col_at(0), lowest));
    return hidden;
  }

  /// Stores what was kept of the heads from `first` on. `rows` gives the rows
  /// of a tensor that belong to the key head.
  void storeKept(const auto &rows, auto o, auto sums, const auto &outs,
                 const auto &logs, Index first) const {
    for (std::int64_t h = 0; h < kept(); ++h) {
      const auto own = [&](const auto &x, std::int64_t width) {
        return x.cols(h, queryTiles() * width);
      };
      const Index row = (first + h) * tokens;
      storeTiles(rows(o), row, tokens, own(outs, head_dim), head_dim);
      if (lse)
        storeTiles(rows(sums), row, tokens, own(logs, 1), 1);
    }
  }

  void operator()(auto q, auto k, auto v, auto sinks, auto o, auto sums) const {
    const std::int64_t last = lead() + up(odd()) + tile;
    auto hidden = hiddenUpTo(last);
    auto unit = identity<T>(tile);
    auto logits = sbuf<f32>(tile, heads);
    if (sink)
      logits = load(sinks.reshape(1, heads).broadcast(0_c, tile));
    loop("kv_head", kv_heads, [&](Index g) {
      auto kT = sbuf<T>(head_dim, keys());
      auto vs = sbuf<T>(tile, keys() / tile * head_dim);
      loadKeys(k[g], v[g], kT, vs);
      const auto rows = [&](auto x) {
        return x.reshape(kv_heads, group() * tokens, x.dim(2))[g];
      };
      const auto most = plain::max<std::int64_t>(kept() * queryTiles(), 1);
      auto outs = sbuf<T>(tile, most * head_dim);
      auto logs = sbuf<f32>(tile, most);
      // The output of tile i, whose queries begin at `start`, and its sums.
      const auto attend = [&](Index h, Index i, Index start, auto qT, auto n) {
        const Index least = i + (before() - odd() - lead()) / tile;
        Index key = max(least, 0);
        if (odd() > 0)
          key = min(key, (keys() - span()) / tile);
        auto s = matmul(qT, kT.cols_at(key * tile, span())) +
                 matmul(unit.cols_at(0, n),
                        hidden.cols_at(key * tile - start + last - before(),
                                       span()));
        auto m = scale * row_max(s);
        const auto logit = logits.cols(g * group() + h, 1_c).rows_at(0, n);
        if (sink)
          m = max(m, logit);
        auto e = exp(scale * s - m);
        auto l = row_sum(e);
        if (sink)
          l = l + exp(logit - m);
        if (lse && kept() > 0)
          logs.cols(h % kept() * queryTiles() + i, 1) = m + log(l);
        else if (lse)
          store(rows(sums).rows_at(h * tokens + start, n), m + log(l));
        return values(transpose(cast<T>(e)), vs, key) / l;
      };
      if (kept() == 0) {
        forTiles(rows(q), rows(o), attend);
        return;
      }
      const auto attendTo = [&](Index first) {
        loop("q", most, [&](Index t) {
          const Index h = first + t / queryTiles(), i = t % queryTiles();
          const Index start = min(i * tile, tokens - tile);
          auto qT = load_transposed(rows(q).rows_at(h * tokens + start, tile));
          outs.cols(t, head_dim) = attend(h, i, start, qT, tile);
        });
        storeKept(rows, o, sums, outs, logs, first);
      };
      if (kept() == group())
        attendTo(0);
      else
        loop("heads", group() / kept(), [&](Index i) { attendTo(i * kept()); });
    });
  }

  void loadKeys(auto k, auto v, auto &kT, auto &vs) const {
    const std::int64_t count = before() + tokens, whole = count / tile,
                       rest = count % tile, from = prior - before();
    kT.cols_at(0, count) = load_transposed(k.rows_at(from, count));
    if (whole > 0)
      vs.cols_at(0, whole * head_dim).reshape(tile, whole, head_dim) =
          load(v.rows_at(from, whole * tile)
                   .reshape(whole, tile, head_dim)
                   .permute(1, 0, 2));
    if (rest > 0) { // What is behind the last key counts as zeros.
      kT.cols_at(count, tile - rest) = zeros<T>(head_dim, tile - rest);
      vs.cols(whole, head_dim) = zeros<T>(tile, head_dim);
      vs.cols(whole, head_dim).rows_at(0, rest) =
          load(v.rows_at(from + whole * tile, rest));
    }
  }

  auto values(const auto &pT, auto &vs, Index key) const {
    const auto product = [&](std::int64_t x) {
      return matmul(pT.rows_at(x * tile, tile), vs.cols(key + x, head_dim));
    };
    auto sum = product(0);
    for (std::int64_t x = 1; x * tile < span(); ++x)
      sum = sum + product(x);
    return sum;
  }

  /// Stores attend(head, tile, queries, row, n) of all queries.
  void forTiles(auto q, auto o, auto attend) const {
    const auto some = [&](Index h, Index i, Index row, std::int64_t n) {
      auto qT = load_transposed(q.rows_at(row, n));
      if (n == 2 * tile) {
        auto out = sbuf<T>(tile, 2 * head_dim);
        for (int x = 0; x < 2; ++x)
          out.cols(x, head_dim) =
              attend(h, i + x, (i + x) * tile, qT.cols(x, tile), tile);
        store(o.rows_at(row, n).reshape(2, tile, head_dim).permute(1, 0, 2),
              out.reshape(tile, 2, head_dim));
        return;
      }
      for (std::int64_t x = 0; x < n; x += tile) {
        const std::int64_t size = plain::min<std::int64_t>(tile, n - x);
        store(o.rows_at(row + x, size),
              attend(h, i + x / tile, i * tile + x, qT.cols_at(x, size), size));
      }
    };
    const std::int64_t block = together() * tile, blocks = tokens / block;
    if (tokens % block == 0)
      loop("q", group() * blocks, [&](Index t) {
        some(t / blocks, t % blocks * together(), t * block, block);
      });
    else
      loop("group", group(), [&](Index h) {
        tiles("q", tokens, block, [&](Index start, auto n) {
          some(h, start / tile, h * tokens + start, dsl::extentValue(n));
        });
      });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_WINDOW_H
