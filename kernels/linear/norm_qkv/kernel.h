//===- kernel.h - Norm, QKV projection and RoPE ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_QKV_KERNEL_H
#define KILN_KERNELS_LINEAR_NORM_QKV_KERNEL_H

#include "linear/blocked_product.h"
#include "linear/columns_of_weights.h"
#include "normalization/standardised.h"
#include "support/list.h"
#include "support/optional_argument.h"
#include "support/plain.h"
#include "support/share_of_core.h"
#include "support/weights.h"

namespace kiln::kernels {

/// Of the rows that are projected.
KILN_CHOICES(Norm, none, rms, layer)

/// y[T, (Hq + 2 Hkv) d] = rope(norm(x) w + b): RMSNorm or LayerNorm, the
/// projection of queries, keys and values, their bias, the RMSNorm of each head
/// of queries and keys, and their rotation. x may be a sum, z = x + r1 (+ r2),
/// which is an output, too: the residual of what follows.
template <class T> struct NormQkv {
  BOOST_HANA_DEFINE_STRUCT(NormQkv, (int, tokens), (int, hidden), (int, heads),
                           (int, kv_heads), (int, head_dim), (Norm, norm),
                           (bool, bias), (bool, rope), (bool, head_norm),
                           (float, epsilon), (int, residuals), (Scales, scales),
                           (float, unit), (Layout, layout));

  static NormQkv defaults() {
    return {
        512,  1024,  8,     2, 128,          Norm::rms, false,
        true, false, 1e-5f, 0, Scales::none, 1,         Layout::token_major};
  }

  /// Columns before the keys, and before the values.
  std::int64_t keys() const { return std::int64_t(heads) * head_dim; }
  std::int64_t rotated() const {
    return keys() + std::int64_t(kv_heads) * head_dim;
  }
  std::int64_t width() const {
    return rotated() + std::int64_t(kv_heads) * head_dim;
  }

  void describe(Signature &s) const {
    describeWith(s, [&] { weightArgument<T>(s, "w", hidden, width()); });
  }

  void describeWith(Signature &s, auto describeWeights) const {
    s.summary("norm, then queries, keys and values with bias and RoPE");
    s.doc("tokens", "rows of x");
    s.doc("hidden", "model width, columns of x");
    s.doc("heads", "query heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, even and at most 512");
    s.doc("norm", "of each row of x, times gamma; layer: LayerNorm, plus beta");
    s.doc("bias", "add b to every row");
    s.doc("rope", "rotate queries and keys: element i with i + head-dim / 2");
    s.doc("head-norm", "normalise each head of queries and keys, before rope");
    s.doc("epsilon", "added to the mean square, or to the variance");
    s.doc("residuals", "how many tensors are added to x, up to 2");
    describeQuantization(s);
    HeadMajor<T>::document(s);
    s.argument("x", {tokens, hidden});
    optionalArgument(s, residuals > 0, "r1", {tokens, hidden});
    optionalArgument(s, residuals > 1, "r2", {tokens, hidden});
    optionalArgument(s, norm != Norm::none, "gamma", {hidden});
    optionalArgument(s, norm == Norm::layer, "beta", {hidden});
    describeWeights();
    optionalArgument(s, bias, "b", {width()});
    optionalArgument(s, head_norm, "gamma_q", {head_dim});
    optionalArgument(s, head_norm, "gamma_k", {head_dim});
    optionalArgument(s, rope, "cos", {tokens, head_dim / 2});
    optionalArgument(s, rope, "sin", {tokens, head_dim / 2});
    optionalArgument(s, residuals > 0, "z", {tokens, hidden});
    HeadMajor<T>::describe(s, layout, width() / head_dim, tokens, head_dim);
    s.flops(2.0 * tokens * hidden * double(width()));
    s.tokens(tokens);
  }

  void operator()(In<T, 2> x, In<T, 2> r1, In<T, 2> r2, In<T, 1> gamma,
                  In<T, 1> beta, In<T, 2> w, In<T, 1> b, In<T, 1> gamma_q,
                  In<T, 1> gamma_k, In<f32, 2> cos, In<f32, 2> sin, Out<T, 2> z,
                  Out<T, 2> y, Out<T, 3> y_heads) const {
    project(rowsOf(x, r1, r2, gamma, beta, z), gamma, w, b, gamma_q, gamma_k,
            cos, sin, y, y_heads);
  }

  /// What is projected: x, or z, which holds the sum with the residuals, or
  /// LayerNorm of either. RMSNorm is done by `project`.
  In<T, 2> rowsOf(In<T, 2> x, In<T, 2> r1, In<T, 2> r2, In<T, 1> gamma,
                  In<T, 1> beta, Out<T, 2> z) const {
    require(residuals >= 0 && residuals <= 2,
            {"residuals is <|", residuals, "|>, expected [|0, 1 or 2|]"});
    if (residuals == 0 && norm != Norm::layer)
      return x;
    List<Tile<T, -1, -1>> factors; // gamma and beta
    if (norm == Norm::layer)
      for (const auto &of : {gamma, beta})
        factors.push_back(load(of.reshape(1_c, hidden).broadcast(0_c, 128)));
    auto sums = hbm<T>("sums", tokens, hidden);
    tiles("sums", tokens, 128, [&](Index m, std::int64_t count) {
      const auto some = [&](const auto &of) { return of.rows_at(m, count); };
      const auto put = [&](const auto &rows) {
        const auto every = [&](std::size_t i) {
          return factors[i].rows_at(0, count);
        };
        if (norm == Norm::layer)
          store(some(sums),
                standardised<T>(rows, double(epsilon)) * every(0) + every(1));
        else
          store(some(sums), rows);
      };
      if (residuals == 0)
        return put(load(some(x)));
      Tile<f32, -1, -1> sum = load(some(x)) + load(some(r1));
      if (residuals == 2)
        sum = sum + load(some(r2));
      auto its = cast<T>(sum);
      if (program_id() == 0)
        store(some(z), its);
      put(its);
    });
    return sums;
  }

  /// Of x as it is: (x gamma) w / root: the rows of x are scaled after the
  /// product, so that the transposed x needs only gamma, a number for each of
  /// its rows.
  void project(In<T, 2> x, In<T, 1> gamma, In<T, 2> w, In<T, 1> b,
               In<T, 1> gamma_q, In<T, 1> gamma_k, In<f32, 2> cos,
               In<f32, 2> sin, Out<T, 2> y,
               Out<T, 3> y_heads = Out<T, 3>({})) const {
    requireWide(scales, unit);
    checkHeads();
    const Tail tail{b, gamma_q, gamma_k, cos, sin, y, headsOf(y_heads)};
    tiles("tokens", tokens, hidden <= 4096 ? 512 : 256,
          [&](Index m, std::int64_t count) {
            Pieces left; // [piece, count]
            BlockedProduct<T>::forPieces(
                hidden, 512, [&](std::int64_t k, std::int64_t size) {
                  left.push_back(
                      transposed(x.rows_at(m, count), gamma, k, size));
                });
            List<Tile<f32, -1, 1>> roots;
            BlockedProduct<T>::forPieces(
                norm == Norm::rms ? count : 0, 128,
                [&](std::int64_t r, std::int64_t rows) {
                  roots.push_back(scaleOf(x.rows_at(m + r, rows)));
                });
            const auto most = columnsOfWideWeights<T>(tokens, hidden);
            forHeads(most, [&](Index n, std::int64_t cols, Heads heads) {
              Pieces right; // [piece, cols]
              BlockedProduct<T>::forPieces(
                  hidden, 512, [&](std::int64_t k, std::int64_t size) {
                    right.push_back(load(w.rows_at(k, size).cols_at(n, cols)));
                  });
              BlockedProduct<T>::forPieces(
                  count, 128, [&](std::int64_t r, std::int64_t rows) {
                    Tile<f32, -1, -1> sum = product(left, right, r, rows);
                    if (norm == Norm::rms)
                      sum = sum * roots[static_cast<std::size_t>(r / 128)];
                    put(sum, m + r, n, heads, tail);
                  });
            });
          });
  }

  void checkHeads() const {
    require(head_dim % 2 == 0 && head_dim <= 512,
            {"head-dim is <|", head_dim, "|>, not [|even and up to 512|]"});
  }

  HeadMajor<T> headsOf(const Out<T, 3> &y) const {
    return HeadMajor<T>::of(layout, y, head_dim);
  }

  /// What becomes of the products.
  struct Tail {
    In<T, 1> b, gamma_q, gamma_k;
    In<f32, 2> cos, sin;
    Out<T, 2> y;
    HeadMajor<T> heads; ///< In place of y.
  };
  /// Which columns of w.
  enum class Heads { queries, keys, rotated, plain };

  /// use(n, cols, heads) for a few whole heads at a time, up to `most` columns,
  /// of this core's share.
  void forHeads(std::int64_t most, auto use) const {
    const ShareOfCore mine = ShareOfCore::of(width() / head_dim);
    const auto columns = [&](const char *name, std::int64_t start,
                             std::int64_t end, Heads which) {
      const std::int64_t first = plain::max(start, mine.first * head_dim),
                         last = plain::min(end, mine.end() * head_dim);
      // For many tokens, about equal parts: a narrow one would wait for its
      // loads. For a few, long rows take less time.
      const std::int64_t count = plain::max<std::int64_t>(last - first, 0),
                         heads = count / head_dim, whole = most / head_dim,
                         parts = plain::max<std::int64_t>(
                             isa::ceilDiv(heads, whole), 1),
                         each =
                             tokens <= 128 ? whole : isa::ceilDiv(heads, parts);
      tiles(name, count, plain::max<std::int64_t>(each, 1) * head_dim,
            [&](Index block, std::int64_t cols) {
              const Index n = block + first;
              use(n, cols, which);
            });
    };
    columns("queries", 0, head_norm ? keys() : 0, Heads::queries);
    columns("keys", keys(), head_norm ? rotated() : keys(), Heads::keys);
    columns("rotated", 0, rope && !head_norm ? rotated() : 0, Heads::rotated);
    columns("plain", rope || head_norm ? rotated() : 0, width(), Heads::plain);
  }

  /// A tile of the product, from a row and a column on.
  void put(Tile<f32, -1, -1> sum, const Index &row, const Index &n, Heads heads,
           const Tail &tail) const {
    const std::int64_t rows = sum.dim(0), cols = sum.dim(1);
    if (bias)
      sum = sum + load(tail.b.reshape(1_c, width()).cols_at(n, cols));
    if (heads == Heads::queries || heads == Heads::keys)
      sum = normed(sum, heads == Heads::queries ? tail.gamma_q : tail.gamma_k);
    const auto finish = [&](const auto &values) {
      if (tail.heads.isGiven())
        tail.heads.put(row, n, values);
      else
        store(tail.y.rows_at(row, rows).cols_at(n, cols), values);
    };
    if (rope && heads != Heads::plain)
      finish(turned(sum, tail.cos.rows_at(row, rows),
                    tail.sin.rows_at(row, rows)));
    else
      finish(sum);
  }

  using Pieces = List<Tile<T, -1, -1>>;
  /// Of rows r .. r + rows - 1.
  static auto product(const Pieces &left, const Pieces &right, std::int64_t r,
                      std::int64_t rows) {
    auto sum = matmul(left[0].cols_at(r, rows), right[0]);
    for (std::size_t i = 1; i < left.size(); ++i)
      sum = sum + matmul(left[i].cols_at(r, rows), right[i]);
    return sum;
  }
  /// Columns k .. k + size - 1 of x as rows, times their gamma.
  Tile<T, -1, -1> transposed(auto x, const auto &gamma, std::int64_t k,
                             std::int64_t size) const {
    auto t = load_transposed(x.cols_at(k, size));
    if (norm != Norm::rms)
      return t;
    return cast<T>(t * load(gamma.reshape(hidden, 1_c).rows_at(k, size)));
  }
  Tile<f32, -1, 1> scaleOf(auto x) const {
    return rsqrt(row_mean(square(load(x))) + epsilon);
  }
  /// Each head times its gamma, over its root mean square.
  Tile<f32, -1, -1> normed(const auto &sum, const auto &gamma) const {
    auto factors = load(gamma.reshape(1_c, head_dim));
    auto out = sbuf<f32>(sum.dim(0), sum.dim(1));
    for (std::int64_t at = 0; at < sum.dim(1); at += head_dim) {
      auto head = copy(sum.cols_at(at, head_dim));
      out.cols_at(at, head_dim) =
          head * rsqrt(row_mean(square(head)) + epsilon) * factors;
    }
    return copy(out);
  }
  auto turned(const auto &sum, auto cos, auto sin) const {
    const std::int64_t rows = sum.dim(0), count = sum.dim(1) / head_dim,
                       pairs = head_dim / 2;
    const auto half = [&](const auto &tile, int which) {
      return tile.reshape(rows, count, 2, pairs).select(2, which);
    };
    const auto angles = [&](auto table) {
      return load(table).reshape(rows, 1_c, pairs).broadcast(1_c, count);
    };
    auto c = angles(cos), s = angles(sin);
    auto out = sbuf<T>(rows, sum.dim(1));
    half(out, 0) = half(sum, 0) * c - half(sum, 1) * s;
    half(out, 1) = half(sum, 1) * c + half(sum, 0) * s;
    return out;
  }

  void reference(Doubles x, Doubles r1, Doubles r2, Doubles gamma, Doubles beta,
                 Doubles w, Doubles b, Doubles gamma_q, Doubles gamma_k,
                 Doubles cos, Doubles sin, Doubles z, Doubles y,
                 Doubles y_heads) const; // In reference.h.
  void projectReference(Doubles x, Doubles gamma, Doubles w, Doubles b,
                        Doubles gamma_q, Doubles gamma_k, Doubles cos,
                        Doubles sin, Doubles y) const;
  /// A row of y: the norm of each head, and its rotation.
  void finishReference(std::int64_t t, Doubles gamma_q, Doubles gamma_k,
                       Doubles cos, Doubles sin, Doubles y) const;
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_QKV_KERNEL_H
