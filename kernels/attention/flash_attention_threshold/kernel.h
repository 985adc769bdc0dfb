//===- kernel.h - Attention that does not follow the maximum --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(s - c) / sum exp(s - c) is the same for every c. c is the maximum of the
// row so that nothing overflows, but bf16 has the exponents of f32: it is as
// precise at 2^60 as at 1. So c is one number for 256 queries, taken from the
// first keys, and stays. As it is one for all queries, scores can have keys as
// rows: their exponentials are an operand of the second product as they are.
// No transpose, no maximum of the other keys, and nothing is rescaled.
//
// The row sum tells whether c was right for a query. Where it was not, the
// tile is computed once more, by flash_attention. A register decides that.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_THRESHOLD_KERNEL_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_THRESHOLD_KERNEL_H

#include "attention/flash_attention/kernel.h"
#include "kiln/kiln.h"
#include "support/plain.h"

namespace kiln::kernels {
/// o = softmax(scale q k^T) v for each head; causal if asked for.
template <class T> struct FlashAttentionThreshold {
  BOOST_HANA_DEFINE_STRUCT(FlashAttentionThreshold, (int, heads),
                           (int, kv_heads), (int, seq_q), (int, seq_k),
                           (int, head_dim), (bool, causal), (float, scale),
                           (int, threshold));

  static FlashAttentionThreshold defaults() {
    return {1, 1, 1024, 1024, 128, false, 0.0f, 64};
  }

  static constexpr int tile = 128;
  static constexpr int group = 256;  ///< Queries that have the same reference.
  static constexpr int block = 512;  ///< Keys.
  static constexpr int sample = 32;  ///< Keys that the references come from.
  static constexpr int piece = 1024; ///< Queries that are loaded at once.

  void describe(Signature &s) const {
    s.summary("attention with a fixed reference; recomputes tiles whose sums "
              "leave the range");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("seq-q", "queries, a multiple of 512");
    s.doc("seq-k", "keys, a multiple of 512");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("causal", "query i sees keys up to i; as many keys as queries");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.doc("threshold", "a sum of exponentials may be 2^-this to 2^this");
    s.argument("q", {heads, seq_q, head_dim});
    s.argument("k", {kv_heads, seq_k, head_dim});
    s.argument("v", {kv_heads, seq_k, head_dim});
    s.argument("o", {heads, seq_q, head_dim});
    s.argument("outside", {heads, seq_q / tile});
    s.flops(4.0 * heads * pairs() * head_dim);
  }
  double pairs() const {
    return causal ? 0.5 * seq_q * (seq_q + 1.0) : double(seq_q) * seq_k;
  }
  double factor() const {
    return scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  }

  /// What the parameters must be.
  void check() const {
    require(head_dim <= 128,
            {"head-dim is <|", head_dim, "|>, expected [|at most 128|]"});
    require(heads % kv_heads == 0,
            {"heads is <|", heads, "|>, no [|multiple of kv-heads, which is ",
             kv_heads, "|]"});
    require(seq_q % block == 0 && seq_k % block == 0,
            {"seq-q and seq-k are <|", seq_q, " and ", seq_k,
             "|>, expected [|multiples of ", block, "|]"},
            "use the kernel flash_attention for other lengths");
    require(!causal || seq_q == seq_k,
            {"causal is given with seq-k <|", seq_k, "|>, expected [|", seq_q,
             "|], the number of queries"},
            "use the kernel flash_attention for other lengths");
    require(threshold > 0 && threshold <= 96,
            {"threshold is <|", threshold, "|>, expected [|1 to 96|]"});
    require(scale >= 0, {"scale is <|", scale, "|>, expected [|0 or more|]"},
            "negate q instead");
  }

  /// outside: how many queries of each tile had a sum out of range. If it is
  /// not 0, the tile was computed again.
  void operator()(In<T, 3> q, In<T, 3> k, In<T, 3> v, Out<T, 3> o,
                  Out<i32, 2> outside) const {
    check();
    // Without a mask, the queries of heads with the same keys are those of one.
    const int parts = causal ? heads : kv_heads;
    const int rows = heads / parts * seq_q, shared = parts / kv_heads;
    const int tiles = rows / tile;
    const auto rowsOf = [&](auto x, Index h) {
      return x.reshape(parts, rows, head_dim)[h];
    };
    auto counts = sbuf<f32>(1, parts * tiles);
    const auto forHeads = [&](auto body) {
      loop("kv_head", kv_heads, [&](Index g) {
        loop("group", shared, [&](Index i) { body(g * shared + i, g); });
      });
    };
    forHeads([&](Index h, Index g) {
      attend(rows, rowsOf(q, h), k[g], v[g], rowsOf(o, h),
             counts.cols(h, tiles));
    });

    auto count = sbuf<i32>(1, parts * tiles), left = sbuf<i32>(1, 1);
    left = cast<i32>(row_sum(min(counts, 1.0)));
    count = cast<i32>(counts);
    store(outside.reshape(1, parts * tiles), count);
    // All at once costs less than many one by one, unless they are masked.
    const FlashAttention<T> all = {heads,  kv_heads, seq_q, seq_k, head_dim,
                                   causal, scale,    0,     0};
    const Index some = nc::register_load(left);
    const int most = parts * tiles / (causal ? 1 : 8);
    if (!causal)
      when("all", some > most, [&] { all(q, k, v, o); });
    when("some", some > 0 && some <= most, [&] {
      FlashAttention<T> one = all;
      one.seq_q = rows;
      forHeads([&](Index h, Index g) {
        loop("tile", tiles, [&](Index c) {
          const auto there = count.cols_at(h * tiles + c, 1_c);
          when("outside", nc::register_load(there) > 0, [&] {
            one.attend(c * tile, std::int64_t{tile}, rowsOf(q, h), k[g], v[g],
                       rowsOf(o, h));
          });
        });
      });
    });
  }

  int wide() const { return head_dim + 1; }

  /// What hides later keys. Row r, column j: key r of a tile, query j of a
  /// group that begins with it, and the same for the next tile.
  auto laterKeys() const {
    auto hidden = sbuf<T>(tile, 2 * group);
    for (int x = 0; causal && x < 2; ++x)
      hidden.cols(x, group) =
          cast<T>(keep(zeros<f32>(tile, group), col_at(0) >= row_at(x * tile),
                       FlashAttention<T>::lowest));
    return hidden;
  }

  /// Of `all` columns of scores. The Vector engine of trn3 has an exponential,
  /// too, but scales nothing.
  auto exponential(const auto &s, const auto &reference, int all) const {
    const int part = target().generation == nc::Generation::v4 ? group : 0;
    auto p = sbuf<T>(tile, all);
    p.cols_at(0, all - part) =
        cast<T>(exp(factor() * s.cols_at(0, all - part) + reference));
    if (part > 0) {
      auto t = factor() * s.cols_at(all - part, part) + reference;
      nc::exponential(p.cols_at(all - part, part), t);
    }
    return p;
  }

  /// Divides the c-th `count` queries by their sums.
  void storeOutput(const auto &acc, Index c, int count, auto o) const {
    const auto sums = acc.cols(c, count / tile * wide());
    auto out = sbuf<T>(tile, count / tile * head_dim);
    auto r = reciprocal(sums.slice(1_c, head_dim, count / tile, wide()));
    for (int i = 0; i < count / tile; ++i)
      out.cols_at(i * head_dim, head_dim) =
          sums.cols_at(i * wide(), head_dim) * r.cols_at(i, 1);
    storeTiles(o, c * count, count, out, head_dim);
  }

  void attend(int rows, auto q, auto k, auto v, auto o, auto counts) const {
    const int groups = rows / group, tiles = rows / tile;
    auto qT = sbuf<T>(head_dim, rows), kT = sbuf<T>(head_dim, seq_k);
    auto vs = sbuf<T>(tile, seq_k / tile * wide());
    auto acc = sbuf<f32>(tile, tiles * wide());
    auto reference = sbuf<f32>(tile, groups);
    load(rows, q, k, v, qT, kT, vs);
    refer(rows, qT, kT, reference);
    acc.cols_at(0, tiles * wide()) = zeros<f32>(tile, tiles * wide());
    auto unit = identity<T>(tile);
    auto hidden = laterKeys();
    /// `size` keys from `key`; of the last `masked`, later ones are hidden.
    const auto step = [&](Index c, Index key, int size, int masked) {
      auto s = psum<f32>(tile, size / tile * group);
      for (int x = 0; x < size; x += tile) {
        const auto part = s.cols_at(x / tile * group, group);
        const int place = (x - size + masked) / tile;
        nc::nc_matmul(part, kT.cols_at(key + x, tile), qT.cols(c, group));
        if (x >= size - masked)
          nc::nc_matmul(part, unit, hidden.cols(place, group),
                        {.accumulate = true});
      }
      auto p = exponential(s, reference.cols(c, 1), size / tile * group);
      for (int i = 0; i < group / tile; ++i) {
        const auto product = [&](int x) {
          return matmul(p.cols_at(x * group + i * tile, tile),
                        vs.cols(key / tile + x, wide()));
        };
        auto sum = product(0);
        for (int x = 1; x < size / tile; ++x)
          sum = sum + product(x);
        auto to = acc.cols(c * (group / tile) + i, wide());
        to = to + sum;
      }
    };
    if (causal) {
      // An early group and one as far from the end see as many whole blocks as
      // any such pair.
      const int half = groups / 2;
      loop("kv", half * (half - 1), [&](Index t) {
        const Index u = t % half, j = t / half, early = u / 2;
        const Index isLate = min(max(j - early + 1, 0), 1);
        step(max(u, isLate * groups - 1 - u),
             max(early - 1 - j, j - early) * block, block, 0);
      });
      loop("kv diagonal", half, [&](Index i) {
        step(i * 2, i * block, group, group);
        step(i * 2 + 1, i * block, block, group);
        storeOutput(acc, i, 2 * group, o);
      });
    } else {
      loop("kv", groups * (seq_k / block - 1),
           [&](Index t) { step(t % groups, t / groups * block, block, 0); });
      loop("kv last", groups, [&](Index c) {
        step(c, seq_k - block, block, 0);
        storeOutput(acc, c, group, o);
      });
    }
    counts = outsideOf(acc.slice(1_c, head_dim, tiles, wide()), tiles);
  }

  /// How many sums of each tile are out of range, or not a number.
  auto outsideOf(const auto &sums, int tiles) const {
    const double most = plain::ldexp(1, threshold);
    auto isInside = (sums >= 1 / most) & (sums <= most);
    return col_sum(where(isInside, zeros<f32>(tile, tiles), 1.0));
  }

  /// What the first steps need comes first.
  void load(int rows, auto q, auto k, auto v, auto &qT, auto &kT,
            auto &vs) const {
    vs.slice(1_c, head_dim, seq_k / tile, wide()) =
        cast<T>(full<f32>(1.0, tile, seq_k / tile));
    const auto keys = [&](int x) {
      kT.cols_at(x, block) = load_transposed(k.rows_at(x, block));
    };
    const auto values = [&](int x) {
      vs.cols_at(x / tile * wide(), block / tile * wide())
          .reshape(tile, block / tile, wide())
          .slice(2_c, 0, head_dim) =
          kiln::load(v.rows_at(x, block)
                         .reshape(block / tile, tile, head_dim)
                         .permute(1, 0, 2));
    };
    keys(0);
    for (int x = 0; x < rows; x += piece) {
      const int count = plain::min(piece, rows - x);
      qT.cols_at(x, count) = load_transposed(q.rows_at(x, count));
    }
    values(0);
    for (int x = block; x < seq_k; x += block) {
      keys(x);
      values(x);
    }
  }

  /// Minus the largest score of each group among the first keys, on every
  /// partition.
  void refer(int rows, const auto &qT, const auto &kT, auto &reference) const {
    const int all = 4 * 512 / sample; // Tiles whose samples fill four banks.
    auto most = sbuf<f32>(tile, rows / group);
    for (int first = 0; first < rows / tile; first += all) {
      const int tiles = plain::min(all, rows / tile - first);
      auto s = psum<f32>(tile, tiles * sample);
      for (int x = 0; x < tiles; x += piece / tile) {
        const int some = plain::min(piece / tile, tiles - x);
        const int each = group / tile;
        for (int i = x; i < x + some; ++i)
          nc::nc_matmul(s.cols_at(i * sample, sample),
                        qT.cols_at((first + i) * tile, tile),
                        kT.cols_at(0, sample));
        nc::tensor_reduce(most.cols_at((first + x) / each, some / each),
                          nc::AluOp::maximum,
                          s.cols_at(x * sample, some * sample)
                              .reshape(tile, some / each, each * sample));
      }
    }
    reference = broadcast_to(-factor() * col_max(most), tile, rows / group);
  }

  void reference(Doubles q, Doubles k, Doubles v, Doubles o,
                 Doubles outside) const;
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_THRESHOLD_KERNEL_H
