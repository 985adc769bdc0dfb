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
#include "support/optional_argument.h"

#include <vector>

namespace kiln::kernels {

/// y[T, (Hq + 2 Hkv) d] = rope(norm(x) w + b): RMSNorm, the projection of
/// queries, keys and values, their bias, and the rotation of queries and keys.
template <class T> struct NormQkv {
  BOOST_HANA_DEFINE_STRUCT(NormQkv, (int, tokens), (int, hidden), (int, heads),
                           (int, kv_heads), (int, head_dim), (bool, norm),
                           (bool, bias), (bool, rope), (float, epsilon));

  static NormQkv defaults() {
    return {512, 1024, 8, 2, 128, true, false, true, 1e-5f};
  }

  std::int64_t rotated() const {
    return (std::int64_t(heads) + kv_heads) * head_dim;
  }
  std::int64_t width() const {
    return rotated() + std::int64_t(kv_heads) * head_dim;
  }

  void describe(Signature &s) const {
    s.summary("RMSNorm, then queries, keys and values with bias and RoPE");
    s.doc("tokens", "rows of x");
    s.doc("hidden", "model width, columns of x");
    s.doc("heads", "query heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, even and at most 512");
    s.doc("norm", "normalise each row of x, times gamma");
    s.doc("bias", "add b to every row");
    s.doc("rope", "rotate queries and keys: element i with i + head-dim / 2");
    s.doc("epsilon", "added to the mean square");
    s.argument("x", {tokens, hidden});
    optionalArgument(s, norm, "gamma", {hidden});
    s.argument("w", {hidden, width()});
    optionalArgument(s, bias, "b", {width()});
    optionalArgument(s, rope, "cos", {tokens, head_dim / 2});
    optionalArgument(s, rope, "sin", {tokens, head_dim / 2});
    s.argument("y", {tokens, width()});
    s.flops(2.0 * tokens * hidden * double(width()));
  }

  /// (x gamma) w / root: the rows of x are scaled after the product, so that
  /// the transposed x needs only gamma, a number for each of its rows.
  void operator()(In<T, 2> x, In<T, 1> gamma, In<T, 2> w, In<T, 1> b,
                  In<f32, 2> cos, In<f32, 2> sin, Out<T, 2> y) const {
    require(head_dim % 2 == 0 && head_dim <= 512,
            "head-dim is " + std::to_string(head_dim) +
                ", not an even number up to 512");
    tiles(
        "tokens", tokens, hidden <= 4096 ? 512 : 256,
        [&](Index m, std::int64_t count) {
          std::vector<Tile<T, -1, -1>> left; // [piece, count]
          BlockedProduct<T>::forPieces(
              hidden, 512, [&](std::int64_t k, std::int64_t size) {
                left.push_back(transposed(x.rows_at(m, count), gamma, k, size));
              });
          std::vector<Tile<f32, -1, 1>> scales;
          BlockedProduct<T>::forPieces(
              norm ? count : 0, 128, [&](std::int64_t r, std::int64_t rows) {
                scales.push_back(scaleOf(x.rows_at(m + r, rows)));
              });
          const auto project = [&](bool turn, Index n, std::int64_t cols) {
            std::vector<Tile<T, -1, -1>> right; // [piece, cols]
            BlockedProduct<T>::forPieces(
                hidden, 512, [&](std::int64_t k, std::int64_t size) {
                  right.push_back(load(w.rows_at(k, size).cols_at(n, cols)));
                });
            BlockedProduct<T>::forPieces(
                count, 128, [&](std::int64_t r, std::int64_t rows) {
                  auto product = matmul(left[0].cols_at(r, rows), right[0]);
                  for (std::size_t i = 1; i < left.size(); ++i)
                    product =
                        product + matmul(left[i].cols_at(r, rows), right[i]);
                  Tile<f32, -1, -1> sum = product;
                  if (norm)
                    sum = sum * scales[static_cast<std::size_t>(r / 128)];
                  if (bias)
                    sum = sum + load(b.reshape(1_c, width()).cols_at(n, cols));
                  auto out = y.rows_at(m + r, rows).cols_at(n, cols);
                  if (turn)
                    store(out, turned(sum, cos.rows_at(m + r, rows),
                                      sin.rows_at(m + r, rows)));
                  else
                    store(out, sum);
                });
          };
          const std::int64_t block = 512 / head_dim * head_dim,
                             first = rope ? rotated() : 0;
          tiles("rotated", first, block,
                [&](Index n, std::int64_t cols) { project(true, n, cols); });
          tiles("plain", width() - first, block,
                [&](Index n, std::int64_t cols) {
                  project(false, n + first, cols);
                });
        });
  }

  /// Columns k .. k + size - 1 of x as rows, times their gamma.
  Tile<T, -1, -1> transposed(auto x, const auto &gamma, std::int64_t k,
                             std::int64_t size) const {
    auto t = load_transposed(x.cols_at(k, size));
    if (!norm)
      return t;
    return cast<T>(t * load(gamma.reshape(hidden, 1_c).rows_at(k, size)));
  }
  Tile<f32, -1, 1> scaleOf(auto x) const {
    return rsqrt(row_mean(square(load(x))) + epsilon);
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

  void reference(Doubles x, Doubles gamma, Doubles w, Doubles b, Doubles cos,
                 Doubles sin, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_QKV_KERNEL_H
