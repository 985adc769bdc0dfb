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
// folded, see folds.h. The diagonal takes half a block of an early tile and a
// block of a late one; where there are many folds, it takes as many quarters of
// a block as the mask leaves.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H

#include "attention/flash_attention/folds.h"
#include "attention/flash_attention/resident_heads.h"
#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T> struct ResidentAttention {
  int heads, kv_heads, seq_q, seq_k, head_dim; ///< Without mask, any heads.
  bool causal;
  double scale, lowest;
  int block;          ///< Keys.
  bool apart = false; ///< Heads of q and o do not lie one below the other.
  bool sink = false, lse = false; ///< As in prefill_attention; causal.

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
  /// Columns in front of the first key. With them, the diagonals of the folds
  /// are blocks.
  int lead() const {
    return causal ? blockUp(seq_k - seq_q) - (seq_k - seq_q) : 0;
  }
  int end() const { return lead() + seq_k; }
  int blockUp(int n) const { return isa::ceilDiv(n, block) * block; }
  int blocks() const { return isa::ceilDiv(end(), block); }
  /// Keys of a last block that is so short that it pays to have a loop of its
  /// own, without a mask; else 0.
  int rest() const {
    const int keys = isa::ceilDiv(seq_k % block, tile) * tile;
    return !causal && blocks() > 1 && keys <= block / 4 * 3 ? keys : 0;
  }
  int wholeBlocks() const { return rest() > 0 ? blocks() - 1 : blocks(); }
  int keyTiles() const { return (wholeBlocks() * block + rest()) / tile; }

  /// The last 128 queries of a head may begin before its last fold.
  bool isRagged() const { return seq_q % fold != 0; }
  int edge() const { return isRagged() ? fold : fold - tile; }

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
          return some;
    return 0;
  }
  /// Copies of the keys, with the state of so many heads.
  int copiesOf(int some) const {
    return kv_heads > 1 && needed(some, 2) <= budget() ? 2 : 1;
  }
  std::int64_t needed(int some, int copies) const {
    const std::int64_t bytes = isa::sizeInBytes(T::dtype);
    return copies * std::int64_t{keyTiles()} * (tile + wide()) * bytes +
           some * std::int64_t{queryTiles()} * (tile * bytes + 4 * wide() + 4);
  }
  /// Few queries do not fill the engines. Long sequences fill them with the
  /// tiles one after the other.
  bool pays() const { return seq_q > tile && seq_k > tile; }
  bool canFold() const {
    // Sums before rounding would count the columns in front of the first key.
    return seq_q > fold / 4 * 3 && seq_k >= seq_q && block == fold &&
           (!lse || lead() == 0);
  }

  /// The fewer queries a share of a fold has, the fewer hidden keys it looks
  /// at, but few folds do not fill the loops of many shares.
  int shareOf(int some) const { return some * folds() < 16 ? half : quarter; }
  QueryFolds foldsOf(int some) const {
    return {some, seq_q, shareOf(some), (end() - seq_q) / fold};
  }

  void operator()(auto q, auto k, auto v, auto o,
                  In<f32, 2> sinks = In<f32, 2>({}),
                  Out<f32, 3> sums = Out<f32, 3>({})) const {
    auto logits = sbuf<f32>(tile, sink ? heads : 1);
    if (sink)
      logits = load(sinks.reshape(1, heads).broadcast(0_c, tile));
    if (!causal) {
      forParts(q, k, v, o, logits, sums,
               [&](const auto &part, int) { attend(part); });
      return;
    }
    auto unit = identity<T>(tile);
    auto hidden = mask(headsAtOnce());
    forParts(q, k, v, o, logits, sums, [&](const auto &part, int some) {
      beginFolded(part, some, unit, hidden);
      finishFolded(part, some);
    });
  }
  /// What the product with the identity adds to the scores: column edge() + r
  /// and those before it are seen by row r.
  auto mask(int some) const {
    const int width = edge() + (isRagged() ? fold + tile : shareOf(some));
    auto hidden = sbuf<T>(tile, width);
    hidden = cast<T>(
        keep(zeros<f32>(tile, width), row_at(edge()) >= col_at(0), lowest));
    return hidden;
  }
  /// body(heads whose state is on chip, their number), for all heads.
  void forParts(auto q, auto k, auto v, auto o, const auto &logits, auto sums,
                auto body) const {
    const int some = headsAtOnce(), parts = heads / kv_heads / some;
    const int n = some * queryTiles();
    auto qT = sbuf<T>(head_dim, n * tile);
    auto m = sbuf<f32>(tile, n);
    auto acc = sbuf<f32>(tile, n * wide());
    auto l = sbuf<f32>(tile, lse ? n : 1);
    const auto attendTo = [&](Index g, auto &kT, auto &vs) {
      setOnes(vs);
      loadKeys(k[g], v[g], kT, vs);
      loop("heads", parts, [&](Index i) {
        const auto rows = [&](auto x) {
          return x.reshape(heads / some, some * seq_q, x.dim(2))[g * parts + i];
        };
        const auto rowsOfSums = [&] { return rows(sums); };
        const ResidentHeads<T, decltype(rows(q)), decltype(rows(o)),
                            decltype(rowsOfSums)>
            part{head_dim,  block, scale,   lowest,
                 qT,        kT,    vs,      m,
                 acc,       l,     rows(q), rows(o),
                 sink,      lse,   logits,  (g * parts + i) * some,
                 rowsOfSums};
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

  auto keysAndValues() const {
    // Braces, so that one comes after the other with every compiler.
    return std::pair{sbuf<T>(head_dim, keyTiles() * tile),
                     sbuf<T>(tile, keyTiles() * wide())};
  }
  /// Behind each tile of values, ones for its keys and zeros for other columns.
  void setOnes(auto &vs) const {
    // They are exp(0), so that the table of exp is there when the first scores
    // are.
    auto logs = zeros<f32>(tile, keyTiles());
    if (lead() > 0)
      logs = keep(logs, row_at(0) + tile * col_at(0) >= lead(), lowest);
    if (end() < keyTiles() * tile)
      logs = keep(logs, row_at(0) + tile * col_at(0) < end(), lowest);
    vs.slice(1_c, head_dim, keyTiles(), wide()) = cast<T>(exp(logs));
  }
  /// Columns before the first key and behind the last one are copies of the
  /// first, which every query sees, but have neither values nor ones: they
  /// change no maximum and add nothing to a sum.
  void loadKeys(auto k, auto v, auto &kT, auto &vs) const {
    const auto valuesOf = [&](int c, int count) {
      return vs.cols_at(c * wide(), count * wide())
          .reshape(tile, count, wide())
          .slice(2_c, 0, head_dim);
    };
    const auto hide = [&](int from, int to) {
      const int first = from / tile, count = isa::ceilDiv(to, tile) - first;
      if (from < to)
        valuesOf(first, count) =
            zeros<T>(tile, count * head_dim).reshape(tile, count, head_dim);
    };
    hide(0, lead());
    hide(end(), keyTiles() * tile);
    // Folded tiles begin at both ends. A shorter block is the first one.
    const int pieces = isa::ceilDiv(end(), piece), ahead = rest() > 0 ? 1 : 0;
    for (int x = 0; x < pieces; ++x) {
      const int place = !causal      ? (x + pieces - ahead) % pieces
                        : x % 2 == 0 ? x / 2
                                     : pieces - 1 - x / 2;
      const int from = plain::max(place * piece, lead());
      const int to = plain::min((place + 1) * piece, end());
      kT.cols_at(from, to - from) =
          load_transposed(k.rows_at(from - lead(), to - from));
      const int first = isa::ceilDiv(from, tile), last = to / tile;
      if (const int n = first * tile - from)
        valuesOf(first - 1, 1).reshape(tile, head_dim).rows_at(tile - n, n) =
            load(v.rows_at(from - lead(), n));
      if (const int count = last - first)
        valuesOf(first, count) =
            load(v.rows_at(first * tile - lead(), count * tile)
                     .reshape(count, tile, head_dim)
                     .permute(1, 0, 2));
      if (const int n = to - last * tile)
        vs.cols_at(last * wide(), head_dim).rows_at(0, n) =
            load(v.rows_at(last * tile - lead(), n));
    }
    const auto copies = [&](int from, int to) {
      if (from < to)
        kT.cols_at(from, to - from) =
            cast<T>(broadcast_to(kT.cols_at(lead(), 1), head_dim, to - from));
    };
    copies(0, lead());
    copies(end(), keyTiles() * tile);
  }

  /// One block of keys: nothing is rescaled.
  void attendOnce(const auto &part) const {
    // Queries of one head of keys are there before, the first tile early. Those
    // of several are loaded beside the work on the heads before.
    const bool isAlone = kv_heads == 1;
    for (int row = 0, rows = tile; isAlone && row < seq_q; row += rows) {
      rows = row == 0 ? tile : plain::min(piece, seq_q - row);
      part.qT.cols_at(row, rows) = load_transposed(part.q.rows_at(row, rows));
    }
    // The last tile ends with the last query. If others have queries of it,
    // tiles are stored after the loop, or each store would wait for the others.
    const int rest = seq_q % tile, most = rest == 0 ? 0 : queryTiles();
    auto all = sbuf<T>(tile, plain::max(most, 1) * head_dim);
    loop("q", queryTiles(), [&](Index c) {
      const Index row = rest == 0 ? c * tile : min(c * tile, seq_q - tile);
      const auto keys = part.kT.cols_at(0, block);
      auto s = isAlone
                   ? matmul(part.qT.cols_at(row, tile), keys)
                   : matmul(load_transposed(part.q.rows_at(row, tile)), keys);
      auto m = scale * row_max(s);
      auto pT = transpose(cast<T>(exp(scale * s - m))); // [size, n]
      part.m.cols(c, 1) = m;
      auto sum = part.values(pT, 0, block);
      auto out = sum.cols_at(0, head_dim) / sum.cols_at(head_dim, 1);
      if (rest == 0)
        store(part.o.rows_at(row, tile), out);
      else
        all.cols(c, head_dim) = out;
    });
    for (int c = 0; c < most; c += fold / tile) {
      const int tiles = plain::min(fold / tile, most - c);
      storeTiles(part.o, c * tile, plain::min(fold, seq_q - c * tile),
                 all.cols_at(c * head_dim, tiles * head_dim), head_dim);
    }
  }
  void attend(const auto &part) const {
    if (blocks() == 1) {
      attendOnce(part);
      return;
    }
    loadQueries(part);
    const int n = queryTiles();
    if (rest() > 0) {
      const int key = wholeBlocks() * block;
      loop("kv first", n, [&](Index c) {
        part.begin(c, key, rest(), part.scores(c, key, rest()));
      });
    } else {
      beginEmpty(part, 0, n);
    }
    stepBlocks(part, n);
    finishTiles(part);
  }
  void loadQueries(const auto &part) const {
    const int whole = seq_q / tile * tile;
    for (int x = 0; x < whole; x += piece) {
      const int rows = plain::min(piece, whole - x);
      part.qT.cols_at(x, rows) = load_transposed(part.q.rows_at(x, rows));
    }
    if (whole < seq_q)
      part.qT.cols_at(whole, tile) =
          load_transposed(part.q.rows_at(seq_q - tile, tile));
  }
  /// As if columns from .. to - 1 had seen no key.
  void beginEmpty(const auto &part, int from, int to) const {
    const int n = to - from;
    part.m.cols_at(from, n) = full<f32>(lowest, tile, n);
    part.acc.cols_at(from * wide(), n * wide()) = zeros<f32>(tile, n * wide());
  }
  /// The first n columns see whole blocks of keys.
  void stepBlocks(const auto &part, int n) const {
    loop("kv", n * wholeBlocks(), [&](Index t) {
      const Index c = t % n, key = t / n * block;
      part.step(c, key, part.scores(c, key, block));
    });
  }
  /// They see all keys.
  void stepAll(const auto &part, int n) const {
    stepBlocks(part, n);
    const int key = wholeBlocks() * block, size = rest();
    if (size > 0)
      loop("kv last", n,
           [&](Index c) { part.step(c, key, part.scores(c, key, size)); });
  }
  void finishTiles(const auto &part) const {
    tiles("o", seq_q, fold, [&](Index row, auto count) {
      const Index c = row / tile;
      part.finish(
          0, row, [&](int x) { return c + x; }, [](int) { return 2; }, 1,
          int(dsl::extentValue(count)), 1);
    });
  }

  void beginFolded(const auto &part, int some, const auto &unit,
                   const auto &hidden) const {
    const QueryFolds own = foldsOf(some);
    own.forDiagonal([&](Index h, Index p, Index c, int x) {
      const Index f = own.foldOf(p, x), row = own.rowOf(p, x);
      const Index key = (own.clear + f) * fold;
      const int size = (x + 1) * own.share;
      part.qT.cols(c, tile) =
          load_transposed(part.q.rows_at(h * seq_q + row, tile));
      part.begin(
          c, key, size,
          part.scores(c, key, size) +
              matmul(unit, hidden.cols_at(f * fold + edge() - row, size)));
    });
    own.forBlocks([&](Index c, Index b) {
      part.step(c, b * fold, part.scores(c, b * fold, block));
    });
  }
  void finishFolded(const auto &part, int some) const {
    const QueryFolds own = foldsOf(some);
    const auto finish = [&](Index h, Index f, Index row, int rows,
                            bool isLast) {
      const int copies = (fold - rows) / tile + 1;
      part.finish(
          h, row, [&](int i) { return own.columnOf(h, f, isLast, i); },
          [&](int i) { return own.isJoined(isLast, i) ? 2 : 1; }, some, rows,
          isLast ? own.lastTiles() - fold / tile + copies : copies);
    };
    if (!isRagged()) {
      loop("o", some * folds(), [&](Index i) {
        const Index h = some > 1 ? i / folds() : Index(0);
        finish(h, some > 1 ? i % folds() : i, i * fold, fold, false);
      });
      return;
    }
    const int last = folds() - 1;
    loop("o", some, [&](Index h) {
      loop("fold", last,
           [&](Index f) { finish(h, f, h * seq_q + f * fold, fold, false); });
    });
    loop("o last", some, [&](Index h) {
      finish(h, last, h * seq_q + last * fold, seq_q - last * fold, true);
    });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_RESIDENT_H
