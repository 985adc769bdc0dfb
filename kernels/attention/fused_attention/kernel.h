//===- kernel.h - Projections and attention, fused ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FUSED_ATTENTION_KERNEL_H
#define KILN_KERNELS_ATTENTION_FUSED_ATTENTION_KERNEL_H

#include "linear/blocked_product.h"
#include "support/list.h"
#include "support/plain.h"
#include "support/weights.h"

#include <array>

namespace kiln::kernels {

/// y = attention(x w_qkv) w_out, causal. 1024 tokens at a time are projected,
/// attend to all tokens up to them, and are projected again. Of all that, only
/// keys and values go through HBM.
template <class T> struct FusedAttention {
  BOOST_HANA_DEFINE_STRUCT(FusedAttention, (int, tokens), (int, hidden),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (float, scale));

  static FusedAttention defaults() { return {1024, 512, 4, 2, 128, 0.0f}; }

  std::int64_t keys() const { return std::int64_t(heads) * head_dim; }
  std::int64_t values() const {
    return keys() + std::int64_t(kv_heads) * head_dim;
  }
  std::int64_t width() const {
    return values() + std::int64_t(kv_heads) * head_dim;
  }

  void describe(Signature &s) const {
    s.summary("QKV projection, causal attention, output projection");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.argument("x", {tokens, hidden});
    weightArgument<T>(s, "w_qkv", hidden, width());
    weightArgument<T>(s, "w_out", keys(), hidden);
    s.argument("y", {tokens, hidden});
    const double weights = double(hidden) * double(width() + keys());
    s.flops(2.0 * tokens * weights +
            2.0 * tokens * (tokens + 1.0) * double(keys()));
  }

  static constexpr int tile = 128, share = 256, half = 512,
                       fold = 1024; ///< Tokens.
  /// Columns of values, with one of ones.
  int wide() const { return head_dim + 1; }
  static constexpr double lowest = -0x1p127; ///< As in flash_attention.
  using Products = BlockedProduct<T>;
  using Pieces = List<Tile<T, -1, -1>>;

  void operator()(In<T, 2> x, In<T, 2> w_qkv, In<T, 2> w_out,
                  Out<T, 2> y) const {
    require(head_dim <= tile,
            {"head-dim is <|", head_dim, "|>, expected [|at most 128|]"});
    require(heads % kv_heads == 0,
            {"heads is <|", heads, "|>, no [|multiple of kv-heads, which is ",
             kv_heads, "|]"});
    if (tokens % fold == 0) {
      run(x, w_qkv, w_out, y);
      return;
    }
    const std::int64_t all = isa::ceilDiv(tokens, fold) * fold;
    auto xs = hbm<T>("x_padded", all, hidden);
    auto ys = hbm<T>("y_padded", all, hidden);
    store(xs.rows_at(0, tokens), load(x));
    store(xs.rows_at(tokens, all - tokens), zeros<T>(all - tokens, hidden));
    run(xs, w_qkv, w_out, ys);
    store(y, load(ys.rows_at(0, tokens)));
  }

  /// Whole folds. The first half of fold f goes with the second half of the one
  /// that is as far from the end: whichever f, both see the same number of
  /// whole blocks of keys.
  void run(In<T, 2> x, In<T, 2> w, In<T, 2> w_out, Out<T, 2> y) const {
    const std::int64_t all = x.dim(0), folds = all / fold;
    auto k = hbm<T>("k", kv_heads, head_dim, all);
    auto v = hbm<T>("v", kv_heads, tile, all / tile * wide());
    auto xT = hbm<T>("x_transposed", hidden, all);
    loop("tokens", folds, [&](Index b) {
      keysAndValues(x.rows(b, fold), xT.cols(b, fold), w, b, k, v);
    });
    auto unit = identity<T>(tile);
    auto mask = sbuf<T>(tile, 1920); // As in ResidentAttention.
    mask =
        cast<T>(keep(zeros<f32>(tile, 1920), row_at(896) >= col_at(0), lowest));
    auto qT = sbuf<T>(head_dim, std::int64_t(heads) * fold);
    const std::int64_t n = 2 * tilesAtOnce();
    auto m = sbuf<f32>(tile, n), acc = sbuf<f32>(tile, n * wide());
    loop("fold", folds, [&](Index f) {
      const std::array<Index, 2> starts{f * fold,
                                        (folds - 1 - f) * fold + half};
      loop("half", 2, [&](Index e) { // Of two numbers, one is far below 0.
        const Index start =
            max(starts[0] - e * (2 * all), starts[1] - (1 - e) * (2 * all));
        queries(xT.cols_at(start, half), w, e, qT);
      });
      loop("kv_head", kv_heads / keyHeads(),
           [&](Index g) { attend(f, folds, g, qT, k, v, m, acc, unit, mask); });
      finish(qT, w_out, starts, y);
    });
  }

  /// Key heads at once: with two, the loops over tiles of queries are longer.
  int keyHeads() const { return tokens <= 4096 && kv_heads % 2 == 0 ? 2 : 1; }
  /// Tiles of queries in half a fold, of the heads that are computed at once.
  std::int64_t tilesAtOnce() const {
    return heads / kv_heads * keyHeads() * (half / tile);
  }

  /// The tile of qT where the queries of head h that are share x of a fold
  /// begin: the shares of the heads that are computed at once lie one behind
  /// the other.
  auto columnOf(auto h, auto x) const {
    const std::int64_t n = tilesAtOnce(), group = n * tile / half;
    return h / group * (2 * n) + x * (n / 2) + h % group * (share / tile);
  }

  void forPieces(auto use) const { Products::forPieces(hidden, half, use); }
  /// Columns of w for `count` heads from column `first`, a few heads at once.
  void forHeads(const char *name, const auto &w, std::int64_t first, int count,
                auto use) const {
    const int few = plain::max(1, 256 / head_dim);
    tiles(name, count, few, [&](Index h, std::int64_t n) {
      const auto its = w.cols_at(h * head_dim + first, n * head_dim);
      Pieces columns;
      forPieces([&](std::int64_t at, std::int64_t size) {
        columns.push_back(load(its.rows_at(at, size)));
      });
      use(columns, h, n);
    });
  }
  /// Some columns of the left operand, times some of the right one.
  static auto product(const Pieces &left, std::int64_t l, std::int64_t height,
                      const Pieces &right, std::int64_t r, std::int64_t width) {
    const auto part = [&](std::size_t i) {
      return matmul(left[i].cols_at(l, height), right[i].cols_at(r, width));
    };
    auto sum = part(0);
    for (std::size_t i = 1; i < left.size(); ++i)
      sum = sum + part(i);
    return sum;
  }

  void keysAndValues(auto x, auto xT, const auto &w, Index b, auto &k,
                     auto &v) const {
    Pieces rows; // [piece, tokens]
    forPieces([&](std::int64_t at, std::int64_t size) {
      rows.push_back(load_transposed(x.cols_at(at, size)));
      store(xT.rows_at(at, size), rows.back());
    });
    forHeads("keys", w, keys(), kv_heads,
             [&](auto &columns, Index h, std::int64_t n) {
               for (std::int64_t i = 0; i < n; ++i)
                 for (int c = 0; c < fold; c += half)
                   store(
                       k[h + i].cols_at(b * fold + c, half),
                       product(columns, i * head_dim, head_dim, rows, c, half));
             });
    forHeads(
        "values", w, values(), kv_heads,
        [&](auto &columns, Index h, std::int64_t n) {
          for (int r = 0; r < fold / tile; ++r) {
            auto out = ones<T>(tile, n * wide());
            out.reshape(tile, n, wide()).slice(2_c, 0, head_dim) =
                cast<T>(product(rows, r * tile, tile, columns, 0, n * head_dim))
                    .reshape(tile, n, head_dim);
            for (std::int64_t i = 0; i < n; ++i)
              store(v[h + i].cols(b * (fold / tile) + r, wide()),
                    out.cols(i, wide()));
          }
        });
  }
  /// Of each key head, qT has the first half of its heads' queries, side by
  /// side, and then the second half.
  void queries(auto xT, const auto &w, Index e, auto &qT) const {
    Pieces rows; // [piece, tokens]
    forPieces([&](std::int64_t at, std::int64_t size) {
      rows.push_back(load(xT.rows_at(at, size)));
    });
    forHeads("queries", w, 0, heads,
             [&](auto &columns, Index first, std::int64_t count) {
               for (std::int64_t i = 0; i < count; ++i) {
                 auto sum = cast<T>(
                     product(columns, i * head_dim, head_dim, rows, 0, half));
                 for (int x = 0; x < half / share; ++x)
                   qT.cols_at(columnOf(first + i, e * (half / share) + x) *
                                  tile,
                              share) = sum.cols(x, share);
               }
             });
  }

  /// The product of probabilities with the values of `size` keys, and the sums
  /// of their rows, which the ones behind the values make.
  auto values(const auto &pT, const auto &vs, Index key, int size) const {
    const auto part = [&](int x) {
      return matmul(pT.rows_at(x, tile), vs.cols((key + x) / tile, wide()));
    };
    auto sum = part(0);
    for (int x = tile; x < size; x += tile)
      sum = sum + part(x);
    return sum;
  }

  /// The queries of the heads that share the g-th key heads become their
  /// output.
  void attend(Index f, std::int64_t folds, Index g, auto &qT, auto k, auto v,
              auto &m, auto &acc, const auto &unit, const auto &mask) const {
    const std::int64_t n = tilesAtOnce(), all = folds * fold;
    const double s0 = scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
    auto kT = sbuf<T>(head_dim, keyHeads() * all);
    auto vs = sbuf<T>(tile, keyHeads() * all / tile * wide());
    for (int i = 0; i < keyHeads(); ++i) {
      kT.cols(i, all) = load(k[g * keyHeads() + i]);
      vs.cols(i, all / tile * wide()) = load(v[g * keyHeads() + i]);
    }
    const auto scores = [&](Index c, Index key, int size) {
      return matmul(qT.cols(g * (2 * n) + c, tile), kT.cols_at(key, size));
    };
    const auto diagonal = [&](Index c, Index key, Index seen, int size) {
      auto s =
          scores(c, key, size) + matmul(unit, mask.cols_at(896 - seen, size));
      auto m_new = s0 * row_max(s);
      auto pT = transpose(cast<T>(exp(s0 * s - m_new))); // [size, tile]
      acc.cols(c, wide()) = values(pT, vs, key, size);
      m.cols(c, 1) = m_new;
    };
    const std::int64_t width = n / 2; // Tiles of a share.
    const auto head = [&](Index u) {
      return u % width / (width / keyHeads()) * all;
    };
    for (int pair = 0; pair < 2; ++pair)
      loop("kv diagonal", width, [&](Index u) {
        const Index row = u % (share / tile) * tile;
        for (int x : {pair, 3 - pair}) {
          const Index start = (x < 2 ? f : folds - 1 - f) * fold;
          diagonal(u + x * width, head(u) + start, x * share + row,
                   (x + 1) * share);
        }
      });
    loop("kv", n * (folds - 1), [&](Index t) {
      const Index j = t / n, u = t % n;
      const Index c = u + min(max(j - f + 1, 0), 1) * n;
      const Index key = head(u) + max(f - 1 - j, j - f) * fold;
      auto s = scores(c, key, fold);
      auto m_new = max(m.cols(c, 1), s0 * row_max(s));
      auto alpha = exp(m.cols(c, 1) - m_new);
      auto pT = transpose(cast<T>(exp(s0 * s - m_new))); // [fold, tile]
      acc.cols(c, wide()) =
          alpha * acc.cols(c, wide()) + values(pT, vs, key, fold);
      m.cols(c, 1) = m_new;
    });
    constexpr int four = half / tile; // Tiles that share a bank of PSUM.
    loop("o", 2 * n / four, [&](Index c) {
      auto turned = psum<f32>(head_dim, half);
      const auto sums = acc.cols(c, four * wide());
      auto factors = reciprocal(sums.slice(1_c, head_dim, four, wide()));
      for (int i = 0; i < four; ++i)
        nc::nc_matmul(
            turned.cols(i, tile),
            cast<T>(sums.cols_at(i * wide(), head_dim) * factors.cols(i, 1)),
            unit);
      qT.cols(g * (2 * n / four) + c, half) = cast<T>(turned);
    });
  }

  void finish(auto &oT, const auto &w, const auto &starts, auto y) const {
    tiles("y", hidden, half, [&](Index at, std::int64_t width) {
      Pieces right;
      for (int h = 0; h < heads; ++h)
        right.push_back(
            load(w.rows_at(h * head_dim, head_dim).cols_at(at, width)));
      for (int r = 0; r < fold / tile; ++r) {
        const int e = r / (half / tile), row = r % (half / tile);
        const int x = r / (share / tile);
        const auto product = [&](int h) {
          return matmul(oT.cols(columnOf(h, x) + r % (share / tile), tile),
                        right[h]);
        };
        auto sum = product(0);
        for (int h = 1; h < heads; ++h)
          sum = sum + product(h);
        store(y.rows_at(starts[e] + row * tile, tile).cols_at(at, width), sum);
      }
    });
  }

  void reference(Doubles x, Doubles w_qkv, Doubles w_out,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FUSED_ATTENTION_KERNEL_H
