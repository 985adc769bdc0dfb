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
// a block of the other; where there are many folds, it takes as many quarters
// of a block as the mask leaves.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H

#include "kiln/kiln.h"
#include "support/plain.h"

#include <string_view>

namespace kiln::kernels {

/// Keys, values and the state of several heads that share them.
template <class T, class Queries, class Output> struct ResidentHeads {
  template <class E> using Columns = Buffer<E, Shape<dynamic, dynamic>>;
  static constexpr int tile = 128; ///< Queries.

  int head_dim, block;
  double scale, lowest;
  Columns<T> qT, kT, v; ///< Tiles of v side by side, each with ones behind it.
  /// Tiles of queries side by side. Behind the output of each is the sum of its
  /// exponentials.
  Columns<f32> m, acc;
  Queries q; ///< The heads one below the other, as in o.
  Output o;

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
    auto pT = transpose(cast<T>(exp(scale * s - m_new))); // [size, n]
    acc.cols(c, wide()) = values(pT, key, size);
    m.cols(c, 1) = m_new;
  }
  /// The scores of a further block.
  void step(Index c, Index key, const auto &s) const {
    auto m_new = max(m.cols(c, 1), scale * row_max(s));
    auto alpha = exp(m.cols(c, 1) - m_new);
    auto pT = transpose(cast<T>(exp(scale * s - m_new))); // [block, n]
    acc.cols(c, wide()) = alpha * acc.cols(c, wide()) + values(pT, key, block);
    m.cols(c, 1) = m_new;
  }
  /// Rows of o from `row`, by one transfer. Tile x of them is column
  /// columnOf(x), and every second one lies behind the one before it.
  void finish(Index row, auto columnOf, std::int64_t count) const {
    constexpr int most = 8;
    if (count == most * tile) {
      auto out = sbuf<T>(tile, most * head_dim);
      for (int x = 0; x < most; x += 2) {
        const auto two = acc.cols_at(columnOf(x) * wide(), 2 * wide());
        auto factor = reciprocal(two.slice(1_c, head_dim, 2, wide()));
        for (int i = 0; i < 2; ++i)
          out.cols(x + i, head_dim) =
              two.cols_at(i * wide(), head_dim) * factor.cols(i, 1);
      }
      store(
          o.rows_at(row, count).reshape(most, tile, head_dim).permute(1, 0, 2),
          out.reshape(tile, most, head_dim));
      return;
    }
    for (int x = 0; x * tile < count; ++x) {
      const std::int64_t left =
          plain::min<std::int64_t>(tile, count - x * tile);
      const Index c = columnOf(x) * wide();
      auto out = acc.cols_at(c, head_dim) / acc.cols_at(c + head_dim, 1);
      store(o.rows_at(row + x * tile, left), out.rows_at(0, left));
    }
  }
};

template <class T> struct ResidentAttention {
  int heads, kv_heads, seq_q, seq_k, head_dim;
  bool causal;
  double scale, lowest;
  int block;          ///< Keys.
  bool apart = false; ///< Heads of q and o do not lie one below the other.

  static constexpr int tile = 128, quarter = 256, half = 512,
                       fold = 1024;  ///< Queries.
  static constexpr int piece = 1024; ///< Keys that are loaded at once.
  /// Bytes of a partition for what stays. The rest is for what is on its way.
  std::int64_t budget() const {
    return std::int64_t{causal ? 168 : 136} * 1024;
  }

  /// Of a head: whole folds, or tiles.
  int folds() const { return isa::ceilDiv(seq_q, fold); }
  int queryTiles() const {
    return causal ? folds() * (fold / tile) : isa::ceilDiv(seq_q, tile);
  }
  int blocks() const { return isa::ceilDiv(seq_k, block); }
  int keyTiles() const { return blocks() * block / tile; }

  int wide() const { return head_dim + 1; }
  /// Heads with the same keys whose state is on chip at a time; 0 if this is no
  /// way to compute it.
  int headsAtOnce() const {
    const int group = heads / kv_heads;
    if (block > fold || block % tile != 0 || !(causal ? canFold() : pays()))
      return 0;
    // With room for two copies of the keys, loads run ahead.
    for (int copies = kv_heads > 1 ? 2 : 1; copies > 0; --copies)
      for (int some = apart ? 1 : group; some > 0; --some)
        if (group % some == 0 && needed(some, copies) <= budget())
          return isWhole(some) ? some : 0;
    return 0;
  }
  /// Copies of the keys, with the state of so many heads.
  int copiesOf(int some) const {
    return kv_heads > 1 && needed(some, 2) <= budget() ? 2 : 1;
  }
  std::int64_t needed(int some, int copies) const {
    const std::int64_t bytes = isa::sizeInBytes(T::dtype);
    return copies * (seq_k + std::int64_t{keyTiles()} * wide()) * bytes +
           some * std::int64_t{queryTiles()} * (tile * bytes + 4 * wide() + 4);
  }
  /// Few queries do not fill the engines. Long sequences fill them with the
  /// tiles one after the other.
  bool pays() const { return seq_q >= fold && seq_k >= fold; }
  bool canFold() const {
    return seq_q > fold / 4 * 3 && seq_k >= seq_q &&
           (seq_k - seq_q) % fold == 0 && block == fold;
  }
  /// The state of queries behind the last one, which nobody reads, is not
  /// overwritten by that of other heads.
  bool isWhole(int some) const {
    return !causal || seq_q % fold == 0 || (kv_heads == 1 && some == heads);
  }

  /// The fewer queries a share of a fold has, the fewer hidden keys it looks
  /// at, but few folds do not fill the loops of many shares.
  int shareOf(int some) const { return some * folds() < 16 ? half : quarter; }

  void operator()(auto q, auto k, auto v, auto o) const {
    if (!causal) {
      forParts(q, k, v, o,
               [&](const auto &part, int some) { attend(part, some); });
      return;
    }
    // What the product with the identity adds to the scores: column
    // fold - tile + r and those before it are seen by row r.
    const int width = fold - tile + shareOf(headsAtOnce());
    auto unit = identity<T>(tile);
    auto hidden = sbuf<T>(tile, width);
    hidden = cast<T>(keep(zeros<f32>(tile, width),
                          row_at(fold - tile) >= col_at(0), lowest));
    forParts(q, k, v, o, [&](const auto &part, int some) {
      attendFolded(part, some, unit, hidden);
    });
  }
  /// body(heads whose state is on chip, their number), for all heads.
  void forParts(auto q, auto k, auto v, auto o, auto body) const {
    const int some = headsAtOnce(), parts = heads / kv_heads / some;
    const int n = some * queryTiles();
    auto qT = sbuf<T>(head_dim, n * tile);
    auto m = sbuf<f32>(tile, n);
    auto acc = sbuf<f32>(tile, n * wide());
    const auto keysAndValues = [&] {
      // Braces, so that one comes after the other with every compiler.
      return std::pair{sbuf<T>(head_dim, keyTiles() * tile),
                       sbuf<T>(tile, keyTiles() * wide())};
    };
    const auto attendTo = [&](Index g, auto &kT, auto &vs) {
      // The ones are exp(0), so that the table of exp is there when the first
      // scores are.
      vs.slice(1_c, head_dim, keyTiles(), wide()) =
          cast<T>(exp(zeros<f32>(tile, keyTiles())));
      loadKeys(k[g], v[g], kT, vs);
      loop("heads", parts, [&](Index i) {
        const auto rows = [&](auto x) {
          return x.reshape(heads / some, some * seq_q, head_dim)[g * parts + i];
        };
        const ResidentHeads<T, decltype(rows(q)), decltype(rows(o))> part{
            head_dim, block, scale, lowest,  qT,     kT,
            vs,       m,     acc,   rows(q), rows(o)};
        body(part, some);
      });
    };
    if (copiesOf(some) > 1) {
      loop("kv_head", kv_heads, [&](Index g) {
        auto [kT, vs] = keysAndValues();
        attendTo(g, kT, vs);
      });
      return;
    }
    auto [kT, vs] = keysAndValues();
    loop("kv_head", kv_heads, [&](Index g) { attendTo(g, kT, vs); });
  }

  void loadKeys(auto k, auto v, auto &kT, auto &vs) const {
    // Folded tiles begin at both ends.
    const int pieces = isa::ceilDiv(seq_k, piece);
    for (int x = 0; x < pieces; ++x) {
      const int place = !causal ? x : x % 2 == 0 ? x / 2 : pieces - 1 - x / 2;
      const int key = place * piece, n = plain::min(piece, seq_k - key);
      kT.cols_at(key, n) = load_transposed(k.rows_at(key, n));
      if (const int count = n / tile)
        vs.cols_at(key / tile * wide(), count * wide())
            .reshape(tile, count, wide())
            .slice(2_c, 0, head_dim) = load(v.rows_at(key, count * tile)
                                                .reshape(count, tile, head_dim)
                                                .permute(1, 0, 2));
    }
    const int whole = seq_k / tile, rest = seq_k % tile;
    if (const int unused = blocks() * block - seq_k) { // They count as zeros.
      kT.cols_at(seq_k, unused) = zeros<T>(head_dim, unused);
      const int count = keyTiles() - whole;
      vs.cols_at(whole * wide(), count * wide())
          .reshape(tile, count, wide())
          .slice(2_c, 0, head_dim) =
          zeros<T>(tile, count * head_dim).reshape(tile, count, head_dim);
    }
    if (rest > 0)
      vs.cols_at(whole * wide(), head_dim).rows_at(0, rest) =
          load(v.rows_at(whole * tile, rest));
  }

  /// One block of keys and whole tiles: nothing is rescaled.
  void attendOnce(const auto &part, int some) const {
    // Queries of one head of keys are there before, the first tile early. Those
    // of several are loaded beside the work on the heads before.
    const bool isAlone = kv_heads == 1;
    for (int row = 0, rows = tile; isAlone && row < some * seq_q; row += rows) {
      rows = row == 0 ? tile : plain::min(piece, some * seq_q - row);
      part.qT.cols_at(row, rows) = load_transposed(part.q.rows_at(row, rows));
    }
    loop("q", some * queryTiles(), [&](Index c) {
      if (!isAlone)
        part.qT.cols(c, tile) = load_transposed(part.q.rows_at(c * tile, tile));
      auto s = part.scores(c, 0, block);
      auto m = scale * row_max(s);
      auto pT = transpose(cast<T>(exp(scale * s - m))); // [size, n]
      part.m.cols(c, 1) = m;
      auto sum = part.values(pT, 0, block);
      store(part.o.rows_at(c * tile, tile),
            sum.cols_at(0, head_dim) / sum.cols_at(head_dim, 1));
    });
  }
  void attend(const auto &part, int some) const {
    if (blocks() == 1 && seq_q % tile == 0) {
      attendOnce(part, some);
      return;
    }
    const int n = some * queryTiles(), rest = seq_k % block;
    loop("head", some, [&](Index h) {
      const Index column = h * (queryTiles() * tile);
      for (int x = 0; x < seq_q; x += piece) {
        const int rows = plain::min(piece, seq_q - x);
        part.qT.cols_at(column + x, rows) =
            load_transposed(part.q.rows_at(h * seq_q + x, rows));
      }
      if (const int unused = queryTiles() * tile - seq_q)
        part.qT.cols_at(column + seq_q, unused) = zeros<T>(head_dim, unused);
    });
    part.m.cols_at(0, n) = full<f32>(lowest, tile, n);
    part.acc.cols_at(0, n * wide()) = zeros<f32>(tile, n * wide());
    // Behind a block of zeros what hides the keys behind the last one.
    auto one = ones<T>(1, tile);
    auto hidden = sbuf<T>(1, 2 * block);
    if (rest > 0)
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
        part.finish(h * seq_q + row, [&](int x) { return c + x; }, count);
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
  void attendFolded(const auto &part, int some, const auto &unit,
                    const auto &hidden) const {
    const int all = some * folds(), n = 4 * all;
    const int clear = (seq_k - seq_q) / fold; // Blocks that all tiles see.
    const bool isRagged = seq_q % fold != 0;
    const int share = shareOf(some), tiles = share / tile;
    const int shares = fold / share;
    const auto place = [&](Index f, int x) {
      return (x < shares / 2 ? f : all - 1 - f) * tiles + x * (tiles * all);
    };
    if (isRagged)
      forFolds("q", some, [&](Index f, Index row, int rows) {
        for (int x = 0; x < shares; ++x)
          fill(part, place(f, x), row + x * share,
               plain::clamp(rows - x * share, 0, share), share);
      });
    for (int first = 0; first < shares / 2; ++first)
      loop("kv diagonal", tiles * all, [&](Index u) {
        const Index r = u % tiles * tile;
        for (int x : {first, first + shares / 2}) {
          const Index f = x < shares / 2 ? u / tiles : all - 1 - u / tiles;
          const Index key = (clear + f % folds()) * fold;
          const Index c = u + tiles * all * x;
          const int size = (x + 1) * share;
          if (!isRagged)
            part.qT.cols(c, tile) =
                load_transposed(part.q.rows_at(f * fold + x * share + r, tile));
          part.begin(c, key, size,
                     part.scores(c, key, size) +
                         matmul(unit, hidden.cols_at(
                                          fold - tile - x * share - r, size)));
        }
      });
    loop("kv", n * (folds() - 1 + 2 * clear), [&](Index t) {
      const Index j = t / n, u = t % n, early = u / tiles % folds() + clear;
      const Index c = u + min(max(j - early + 1, 0), 1) * n;
      const Index key = max(early - 1 - j, j - early) * fold;
      part.step(c, key, part.scores(c, key, block));
    });
    forFolds("o", some, [&](Index f, Index row, int rows) {
      part.finish(
          row, [&](int x) { return place(f, x / tiles) + x % tiles; }, rows);
    });
  }

  /// Queries from tile c on.
  void fill(const auto &part, Index c, Index row, int rows, int count) const {
    const auto q = part.qT.cols_at(c * tile, count);
    if (rows > 0)
      q.cols_at(0, rows) = load_transposed(part.q.rows_at(row, rows));
    if (rows < count)
      q.cols_at(rows, count - rows) = zeros<T>(head_dim, count - rows);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H
