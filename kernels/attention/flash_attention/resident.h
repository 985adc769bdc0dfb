//===- resident.h - Attention with all operands on chip -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dao et al. 2022, algorithm 1, has blocks of keys outside and tiles of queries
// inside. Where keys, values and the state of all tiles fit in SBUF, both are
// one loop here: neighbouring iterations belong to different tiles, so they
// overlap, and one loop fills and drains the engines once.
//
// With a causal mask, each tile sees another number of blocks. The tiles are
// folded: four of the first half of 1024 queries go with the four of a second
// half that are as far from the end. Both together see the same number of whole
// blocks, whichever pair it is. The diagonal takes half a block of the one and
// a block of the other.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H

#include "kiln/kiln.h"

#include <algorithm>
#include <string_view>

namespace kiln::kernels {

/// Keys, values and the state of several heads that share them.
template <class T, class Queries, class Output> struct ResidentHeads {
  template <class E> using Columns = Buffer<E, Shape<dynamic, dynamic>>;
  static constexpr int tile = 128; ///< Queries.

  int head_dim, block;
  double scale, lowest;
  Columns<T> qT, kT, v;   ///< Tiles of v side by side.
  Columns<f32> m, l, acc; ///< Tiles of queries side by side.
  Queries q;              ///< The heads one below the other, as in o.
  Output o;

  /// pT v for `size` keys from `key`, both multiples of the tile.
  auto values(auto &pT, Index key, int size) const {
    const auto product = [&](int x) {
      return matmul(pT.rows_at(x, tile), v.cols((key + x) / tile, head_dim));
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
    auto p = exp(scale * s - m_new);
    l.cols(c, 1) = row_sum(p);
    auto pT = transpose(cast<T>(p)); // [size, n]
    acc.cols(c, head_dim) = values(pT, key, size);
    m.cols(c, 1) = m_new;
  }
  /// The scores of a further block.
  void step(Index c, Index key, const auto &s) const {
    auto m_new = max(m.cols(c, 1), scale * row_max(s));
    auto p = exp(scale * s - m_new);
    auto alpha = exp(m.cols(c, 1) - m_new);
    l.cols(c, 1) = alpha * l.cols(c, 1) + row_sum(p);
    auto pT = transpose(cast<T>(p)); // [block, n]
    acc.cols(c, head_dim) =
        alpha * acc.cols(c, head_dim) + values(pT, key, block);
    m.cols(c, 1) = m_new;
  }
  /// Rows of o from `row`: of four tiles from `first` and four from `second`,
  /// by one transfer.
  void finish(Index row, Index first, Index second, std::int64_t count) const {
    constexpr int most = 8;
    const auto ready = [&](int x) {
      const Index c = x < most / 2 ? first + x : second + (x - most / 2);
      return acc.cols(c, head_dim) / l.cols(c, 1);
    };
    if (count == most * tile) {
      auto out = sbuf<T>(tile, most * head_dim);
      for (int x = 0; x < most; ++x)
        out.cols(x, head_dim) = ready(x);
      store(
          o.rows_at(row, count).reshape(most, tile, head_dim).permute(1, 0, 2),
          out.reshape(tile, most, head_dim));
      return;
    }
    for (int x = 0; x * tile < count; ++x) {
      const std::int64_t left = std::min<std::int64_t>(tile, count - x * tile);
      auto out = ready(x);
      store(o.rows_at(row + x * tile, left), out.rows_at(0, left));
    }
  }
};

template <class T> struct ResidentAttention {
  int heads, kv_heads, seq_q, seq_k, head_dim;
  bool causal;
  double scale, lowest;
  int block; ///< Keys.

  static constexpr int tile = 128, half = 512, fold = 1024; ///< Queries.
  static constexpr int piece = 2048; ///< Keys that are loaded at once.
  /// Of a partition, for what stays. The rest is for what is on its way.
  static constexpr std::int64_t budget = std::int64_t{168} * 1024;

  /// Of a head: whole folds, or tiles.
  int folds() const { return isa::ceilDiv(seq_q, fold); }
  int queryTiles() const {
    return causal ? folds() * (fold / tile) : isa::ceilDiv(seq_q, tile);
  }
  int blocks() const { return isa::ceilDiv(seq_k, block); }
  int keyTiles() const { return blocks() * block / tile; }

  /// Heads with the same keys whose state is on chip at a time; 0 if this is no
  /// way to compute it.
  int headsAtOnce() const {
    const std::int64_t bytes = isa::sizeInBytes(T::dtype);
    const std::int64_t copies = kv_heads > 1 ? 2 : 1; // Loads run ahead.
    const std::int64_t keys =
        copies * (seq_k + std::int64_t{keyTiles()} * head_dim) * bytes;
    const std::int64_t state =
        std::int64_t{queryTiles()} * (tile * bytes + 4 * head_dim + 8);
    if (block > fold || block % tile != 0 || !(causal ? canFold() : pays()))
      return 0;
    const int group = heads / kv_heads;
    for (int some = group; some > 0; --some)
      if (group % some == 0 && keys + some * state <= budget)
        return isWhole(some) ? some : 0;
    return 0;
  }
  /// Few queries do not fill the engines. Long sequences fill them with the
  /// tiles one after the other.
  bool pays() const {
    return seq_q >= fold && seq_k > fold && seq_k < 8 * fold;
  }
  bool canFold() const {
    return seq_q > fold / 4 * 3 && seq_k >= seq_q &&
           (seq_k - seq_q) % fold == 0 && block == fold;
  }
  /// The state of queries behind the last one, which nobody reads, is not
  /// overwritten by that of other heads.
  bool isWhole(int some) const {
    return !causal || seq_q % fold == 0 || (kv_heads == 1 && some == heads);
  }

  void operator()(auto q, auto k, auto v, auto o) const {
    const int some = headsAtOnce(), parts = heads / kv_heads / some;
    const int n = some * queryTiles();
    auto qT = sbuf<T>(head_dim, n * tile);
    auto m = sbuf<f32>(tile, n), l = sbuf<f32>(tile, n);
    auto acc = sbuf<f32>(tile, n * head_dim);
    loop("kv_head", kv_heads, [&](Index g) {
      auto kT = sbuf<T>(head_dim, keyTiles() * tile);
      auto vs = sbuf<T>(tile, keyTiles() * head_dim);
      loadKeys(k[g], v[g], kT, vs);
      loop("heads", parts, [&](Index i) {
        const auto rows = [&](auto x) {
          return x.reshape(heads / some, some * seq_q, head_dim)[g * parts + i];
        };
        const ResidentHeads<T, decltype(rows(q)), decltype(rows(o))> part{
            head_dim, block, scale, lowest, qT,      kT,
            vs,       m,     l,     acc,    rows(q), rows(o)};
        causal ? attendFolded(part, some) : attend(part, some);
      });
    });
  }

  void loadKeys(auto k, auto v, auto &kT, auto &vs) const {
    // Folded tiles begin at both ends.
    const int pieces = isa::ceilDiv(seq_k, piece);
    for (int x = 0; x < pieces; ++x) {
      const int place = !causal ? x : x % 2 == 0 ? x / 2 : pieces - 1 - x / 2;
      const int key = place * piece, n = std::min(piece, seq_k - key);
      kT.cols_at(key, n) = load_transposed(k.rows_at(key, n));
      if (const int count = n / tile)
        vs.cols_at(key / tile * head_dim, count * head_dim)
            .reshape(tile, count, head_dim) =
            load(v.rows_at(key, count * tile)
                     .reshape(count, tile, head_dim)
                     .permute(1, 0, 2));
    }
    const int whole = seq_k / tile, rest = seq_k % tile;
    if (const int unused = blocks() * block - seq_k) { // They count as zeros.
      kT.cols_at(seq_k, unused) = zeros<T>(head_dim, unused);
      const int columns = (keyTiles() - whole) * head_dim;
      vs.cols_at(whole * head_dim, columns) = zeros<T>(tile, columns);
    }
    if (rest > 0)
      vs.cols(whole, head_dim).rows_at(0, rest) =
          load(v.rows_at(whole * tile, rest));
  }

  void attend(const auto &part, int some) const {
    const int n = some * queryTiles(), rest = seq_k % block;
    loop("head", some, [&](Index h) {
      const Index column = h * (queryTiles() * tile);
      part.qT.cols_at(column, seq_q) =
          load_transposed(part.q.rows_at(h * seq_q, seq_q));
      if (const int unused = queryTiles() * tile - seq_q)
        part.qT.cols_at(column + seq_q, unused) = zeros<T>(head_dim, unused);
    });
    part.m.cols_at(0, n) = full<f32>(lowest, tile, n);
    part.l.cols_at(0, n) = zeros<f32>(tile, n);
    part.acc.cols_at(0, n * head_dim) = zeros<f32>(tile, n * head_dim);
    // Behind a block of zeros what hides the keys behind the last one.
    auto one = ones<T>(1, tile);
    auto hidden = sbuf<T>(1, 2 * block);
    hidden = cast<T>(keep(zeros<f32>(1, 2 * block),
                          row_at(block + rest) > col_at(0), lowest));
    loop("kv", n * blocks(), [&](Index t) {
      const Index c = t % n, j = t / n, key = j * block;
      if (rest == 0)
        part.step(c, key, part.scores(c, key, block));
      else
        part.step(
            c, key,
            part.scores(c, key, block) +
                matmul(one, hidden.cols(max(j + 2 - blocks(), 0), block)));
    });
    loop("head", some, [&](Index h) {
      tiles("o", seq_q, fold, [&](Index row, std::int64_t count) {
        const Index c = h * queryTiles() + row / tile;
        part.finish(h * seq_q + row, c, c + 4, count);
      });
    });
  }

  /// body(fold, row, rows) for the folds of all heads.
  void forFolds(std::string_view name, int some, auto body) const {
    const int last = seq_q - (folds() - 1) * fold;
    if (last == fold) {
      loop(name, some * folds(), [&](Index f) { body(f, f * fold, fold); });
      return;
    }
    loop(name, some, [&](Index h) {
      loop("fold", folds() - 1,
           [&](Index f) { body(h * folds() + f, h * seq_q + f * fold, fold); });
      body(h * folds() + folds() - 1, h * seq_q + (folds() - 1) * fold, last);
    });
  }

  /// Queries behind the last one see keys behind the last one: zeros, which no
  /// other query sees.
  void attendFolded(const auto &part, int some) const {
    const int all = some * folds(), n = 4 * all;
    const int clear = (seq_k - seq_q) / fold; // Blocks that all tiles see.
    const bool isRagged = seq_q % fold != 0;
    const auto late = [&](Index f) { return n + (all - 1 - f) * 4; };
    const auto fill = [&](Index c, Index row, int rows) {
      const auto q = part.qT.cols_at(c * tile, half);
      if (rows > 0)
        q.cols_at(0, rows) = load_transposed(part.q.rows_at(row, rows));
      if (rows < half)
        q.cols_at(rows, half - rows) = zeros<T>(head_dim, half - rows);
    };
    if (isRagged)
      forFolds("q", some, [&](Index f, Index row, int rows) {
        fill(f * 4, row, std::min(rows, half));
        fill(late(f), row + half, std::max(rows - half, 0));
      });
    // Column 896 + c - r is what the product with the identity adds to the
    // score of row r and column c.
    auto unit = identity<T>(tile);
    auto hidden = sbuf<T>(tile, 1920);
    hidden =
        cast<T>(keep(zeros<f32>(tile, 1920), row_at(896) >= col_at(0), lowest));
    const auto diagonal = [&](Index c, Index row, Index key, Index seen,
                              int size) {
      if (!isRagged)
        part.qT.cols(c, tile) = load_transposed(part.q.rows_at(row, tile));
      part.begin(c, key, size,
                 part.scores(c, key, size) +
                     matmul(unit, hidden.cols_at(896 - seen, size)));
    };
    loop("kv diagonal", n, [&](Index u) {
      const Index f = u / 4, b = f % folds(), r = u % 4 * tile;
      diagonal(u, f * fold + r, (clear + b) * fold, r, half);
      diagonal(n + u, (all - 1 - f) * fold + half + r,
               (clear + folds() - 1 - b) * fold, half + r, fold);
    });
    loop("kv", n * (folds() - 1 + 2 * clear), [&](Index t) {
      const Index j = t / n, u = t % n, early = u / 4 % folds() + clear;
      const Index c = u + min(max(j - early + 1, 0), 1) * n;
      const Index key = max(early - 1 - j, j - early) * fold;
      part.step(c, key, part.scores(c, key, block));
    });
    forFolds("o", some, [&](Index f, Index row, int rows) {
      part.finish(row, f * 4, late(f), rows);
    });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H
