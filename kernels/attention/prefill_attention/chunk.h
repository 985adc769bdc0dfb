//===- chunk.h - Attention of a chunk to what came before it --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many earlier keys count is known when the kernel runs. The loop over
// blocks of keys is outside, so that only blocks that count make a trip, and
// the loop over tiles of queries, whose state stays on chip, has a constant
// number of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_CHUNK_H
#define KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_CHUNK_H

#include "attention/flash_attention/resident_heads.h"
#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T> struct ChunkAttention {
  std::int64_t heads, kv_heads, tokens, prior, head_dim;
  bool sink, lse;
  double scale, lowest;
  std::int64_t window = 0; ///< Keys that a query sees, or 0 for all.

  static constexpr std::int64_t tile = 128, block = 512;
  static constexpr std::int64_t budget = 112 << 10; ///< Bytes of a partition.

  std::int64_t group() const { return heads / kv_heads; }
  std::int64_t wide() const { return head_dim + 1; }
  std::int64_t tilesOfHead() const { return isa::ceilDiv(tokens, tile); }
  /// Heads whose state is on chip at a time.
  std::int64_t headsAtOnce() const {
    const std::int64_t bytes =
        tilesOfHead() * (tile * isa::sizeInBytes(T::dtype) + 4 * wide() + 8);
    std::int64_t some = plain::clamp<std::int64_t>(budget / bytes, 1, group());
    while (group() % some != 0)
      --some;
    return some;
  }
  /// The first query of a tile. The last tile ends with the last query: it may
  /// begin before the first one.
  Index start(Index i) const { return min(i * tile, tokens - tile); }

  /// k and v: the earlier keys, then those of the chunk.
  void operator()(auto q, auto k, auto v, auto sinks, auto used, auto o,
                  auto sums) const {
    const auto own = [&](auto x) { return x.slice(1_c, prior, tokens); };
    run(q, k, v, own(k), own(v), sinks, used, o, sums);
  }
  void run(auto q, auto k, auto v, auto newK, auto newV, auto sinks, auto used,
           auto o, auto sums) const {
    const std::int64_t some = headsAtOnce(), parts = group() / some;
    const std::int64_t n = some * tilesOfHead();
    auto unit = identity<T>(tile);
    auto hidden = laterKeys();
    auto left = leftOfWindow();
    const auto shown = [&](const auto &s, Index ahead) {
      return s + matmul(unit, left.cols_at(block - edge(ahead), block));
    };
    auto logits = logitsOf(sinks);
    auto count = sbuf<i32>(tile, 1_c);
    count = load(used.broadcast(0_c, tile));
    const Index counted =
        max(min(nc::register_load(count.rows_at(0, 1_c)), prior), 0);
    loop("heads", kv_heads * parts, [&](Index p) {
      const auto rows = [&](auto x, std::int64_t h) { return x[p * some + h]; };
      auto qT = sbuf<T>(head_dim, n * tile);
      auto m = sbuf<f32>(tile, n);
      auto acc = sbuf<f32>(tile, n * wide());
      auto l = sbuf<f32>(tile, lse ? n : 1);
      for (std::int64_t h = 0; h < some; ++h)
        loadQueries(rows(q, h), h, qT);
      m = full<f32>(lowest, tile, n);
      acc = zeros<f32>(tile, n * wide());
      l = zeros<f32>(tile, lse ? n : 1);
      const auto partOf = [&](auto &kT, auto &vs, std::int64_t h = 0) {
        const auto rowsOfSums = [=] { return rows(sums, h); };
        using Part = ResidentHeads<T, decltype(rows(q, h)),
                                   decltype(rows(o, h)), decltype(rowsOfSums)>;
        return Part{int(head_dim),
                    int(block),
                    scale,
                    lowest,
                    qT,
                    kT,
                    vs,
                    m,
                    acc,
                    l,
                    rows(q, h),
                    rows(o, h),
                    sink,
                    lse,
                    logits,
                    p * some,
                    rowsOfSums};
      };
      const auto all = [&](auto &kT, auto &vs, Index key, auto hide) {
        forTiles(n, partOf(kT, vs), counted - key, hide, shown);
      };
      forPrior(k[p / parts], v[p / parts], counted, count, unit, all);
      forOwn(newK[p / parts], newV[p / parts], some, unit, hidden, shown,
             partOf);
      for (std::int64_t h = 0; h < some; ++h)
        finish(partOf(qT, qT, h), h); // It needs no keys.
    });
  }

  auto logitsOf(auto sinks) const {
    auto logits = sbuf<f32>(tile, sink ? heads : 1);
    if (sink)
      logits = load(sinks.reshape(1, heads).broadcast(0_c, tile));
    return logits;
  }
  /// What a causal mask hides: row r sees column r + block and those before it.
  auto laterKeys() const {
    auto hidden = sbuf<T>(tile, 2 * block + tile);
    hidden = cast<T>(keep(zeros<f32>(tile, 2 * block + tile),
                          row_at(block) >= col_at(0), lowest));
    return hidden;
  }
  /// What a window hides: row r sees column r + block and those behind it. Half
  /// of `lowest`: what is hidden twice stays finite.
  auto leftOfWindow() const {
    auto left = sbuf<T>(tile, window > 0 ? 2 * block + tile : 1);
    if (window > 0)
      left = cast<T>(keep(zeros<f32>(tile, 2 * block + tile),
                          row_at(block - 1) < col_at(0), lowest / 2));
    return left;
  }
  /// The first column that row 0 of a tile sees, in a block whose first key is
  /// `ahead` in front of its first query; it may be outside.
  Index edge(Index ahead) const {
    return max(min(ahead - window + 1, block), -tile);
  }

  /// A block of earlier keys. Its first one is `ahead` keys in front of the
  /// first query.
  void forTiles(std::int64_t n, const auto &part, Index ahead, auto hide,
                const auto &shown) const {
    loop("q", n, [&](Index c) {
      const auto s = hide(part.scores(c, 0, block));
      if (window == 0)
        part.step(c, 0, s);
      else
        part.step(c, 0, shown(s, ahead + start(c % tilesOfHead())));
    });
  }

  /// The keys of the chunk, with the mask.
  void forOwn(auto k, auto v, std::int64_t some, const auto &unit,
              const auto &hidden, const auto &shown, auto partOf) const {
    for (std::int64_t key = 0; key < tokens; key += block) {
      auto kT = sbuf<T>(head_dim, block);
      auto vs = sbuf<T>(tile, block / tile * wide());
      loadBlock(k, v, key, plain::min(tokens - key, block), kT, vs);
      const auto part = partOf(kT, vs);
      // Tiles from `first` on see some keys, and from `clear` on all of them.
      const std::int64_t first = key / tile;
      const std::int64_t clear = tokens - tile < key + block - 1
                                     ? tilesOfHead()
                                     : (key + block) / tile;
      // The window of tiles from `seen` on begins behind the block.
      std::int64_t seen = tilesOfHead();
      while (window > 0 && plain::min((seen - 1) * tile, tokens - tile) >
                               key + block + window - 2)
        --seen;
      const auto step = [&](const auto &part, Index c, Index ahead,
                            const auto &s) {
        if (window == 0 || window >= tokens)
          part.step(c, 0, s);
        else
          part.step(c, 0, shown(s, ahead));
      };
      const auto forTiles = [&](const char *name, std::int64_t from,
                                std::int64_t to, auto use) {
        if (from < to)
          loop(name, some * (to - from), [&](Index t) {
            const Index i = t % (to - from) + from;
            use(t / (to - from) * tilesOfHead() + i, start(i) - key);
          });
      };
      forTiles("q diagonal", first, plain::min(clear, seen),
               [&](Index c, Index ahead) {
                 const auto s =
                     part.scores(c, 0, block) +
                     matmul(unit, hidden.cols_at(block - ahead, block));
                 step(part, c, ahead, s);
               });
      forTiles("q", clear, seen, [&](Index c, Index ahead) {
        step(part, c, ahead, part.scores(c, 0, block));
      });
    }
  }
  void finish(const auto &part, std::int64_t h) const {
    tiles("o", tokens, 8 * tile, [&](Index row, auto size) {
      const Index c = h * tilesOfHead() + row / tile;
      part.finish(
          h, row, [&](int x) { return c + x; }, [](int) { return 2; }, 1,
          int(dsl::extentValue(size)), 1);
    });
  }

  /// Tiles of head h; what is before the first query is 0.
  void loadQueries(auto q, std::int64_t h, auto &qT) const {
    const std::int64_t whole = tokens / tile * tile, piece = 8 * tile;
    const std::int64_t at = h * tilesOfHead() * tile;
    for (std::int64_t x = 0; x < whole; x += piece) {
      const std::int64_t count = plain::min(piece, whole - x);
      qT.cols_at(at + x, count) = load_transposed(q.rows_at(x, count));
    }
    if (whole == tokens)
      return;
    const std::int64_t count = plain::min(tokens, tile);
    if (count < tile)
      qT.cols_at(at + whole, tile - count) = zeros<T>(head_dim, tile - count);
    qT.cols_at(at + whole + tile - count, count) =
        load_transposed(q.rows_at(tokens - count, count));
  }

  /// A block of keys from row `from` on, of which `count` are there.
  void loadBlock(auto k, auto v, Index from, std::int64_t count, auto &kT,
                 auto &vs) const {
    const std::int64_t whole = count / tile, rest = count % tile;
    vs = zeros<T>(tile, block / tile * wide());
    vs.slice(1_c, head_dim, block / tile, wide()) = ones<T>(tile, block / tile);
    if (count < block)
      kT.cols_at(count, block - count) = zeros<T>(head_dim, block - count);
    kT.cols_at(0, count) = load_transposed(k.rows_at(from, count));
    if (whole > 0)
      vs.cols_at(0, whole * wide())
          .reshape(tile, whole, wide())
          .slice(2_c, 0, head_dim) = load(v.rows_at(from, whole * tile)
                                              .reshape(whole, tile, head_dim)
                                              .permute(1, 0, 2));
    if (rest > 0)
      vs.cols_at(whole * wide(), head_dim).rows_at(0, rest) =
          load(v.rows_at(from + whole * tile, rest));
  }

  /// use(keys, values, the first key, what hides scores) for each block of
  /// earlier keys that count. Behind the last one, memory may hold anything.
  void forPrior(auto k, auto v, Index counted, auto &count, const auto &unit,
                auto use) const {
    const std::int64_t whole = prior / block * block, tail = prior - whole;
    const Index inside = min(counted, whole);
    const auto number = max(min(cast<f32>(count), double(prior)), 0.0);
    const auto end = [&](const char *name, Index trips, Index from,
                         std::int64_t rows, const auto &left) {
      loop(name, trips, [&](Index) {
        auto kT = sbuf<T>(head_dim, block);
        auto vs = sbuf<T>(tile, block / tile * wide());
        auto column = sbuf<f32>(tile, block);
        auto row = sbuf<f32>(tile, block / tile);
        nc::iota(column, {{1, block}}, {.channel_multiplier = 0});
        nc::iota(row, {{tile, block / tile}}, {.channel_multiplier = 1});
        auto hidden = sbuf<T>(tile, block);
        hidden = cast<T>(where(column < left, zeros<f32>(tile, block), lowest));
        kT = zeros<T>(head_dim, block);
        vs = zeros<T>(tile, block / tile * wide());
        for (std::int64_t x = 0; x * tile < rows; ++x) {
          const std::int64_t n = plain::min(tile, rows - x * tile);
          const auto some = [&](auto t) {
            return where((row.cols(x, 1_c) < left).rows_at(0, n),
                         load(t.rows_at(from + x * tile, n)), 0.0);
          };
          kT.cols_at(x * tile, n) = transpose(some(k));
          vs.cols_at(x * wide(), head_dim).rows_at(0, n) = some(v);
          vs.cols_at(x * wide() + head_dim, 1) = ones<T>(tile, 1_c);
        }
        use(kT, vs, from,
            [&](const auto &s) { return s + matmul(unit, hidden); });
      });
    };
    if (whole > 0) {
      // The window of the first query reaches the farthest back.
      const Index first =
          window > 0 ? min(max(counted - window + 1, 0), inside) / block : 0;
      loop("prior", first, inside / block, [&](Index j) {
        auto kT = sbuf<T>(head_dim, block);
        auto vs = sbuf<T>(tile, block / tile * wide());
        loadBlock(k, v, j * block, block, kT, vs);
        use(kT, vs, j * block, [](const auto &s) { return s; });
      });
      end("prior end", min(inside % block, 1),
          min(inside / block, whole / block - 1) * block, block,
          mod(min(number, double(whole)), double(block)));
    }
    if (tail > 0)
      end("prior tail", min(max(counted - whole, 0), 1), whole, tail,
          number - double(whole));
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_CHUNK_H
