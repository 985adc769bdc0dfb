//===- kernel.h - Norm, feed-forward layer and residual -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_MLP_KERNEL_H
#define KILN_KERNELS_LINEAR_NORM_MLP_KERNEL_H

#include "linear/blocked_product.h"
#include "support/optional_argument.h"

namespace kiln::kernels {

/// y[T, H] = (silu(n wg) * (n wu)) wd (+ x), n = norm(x): the second half of a
/// transformer layer. wg and wu are [H, I], wd is [I, H].
template <class T> struct NormMlp {
  BOOST_HANA_DEFINE_STRUCT(NormMlp, (int, tokens), (int, hidden), (int, inner),
                           (bool, norm), (bool, residual), (float, epsilon));

  /// Of the residual, where ranks add up what each has.
  float share = 1.0f;

  static NormMlp defaults() { return {512, 1024, 3072, true, true, 1e-5f}; }

  void describe(Signature &s) const {
    s.summary("RMSNorm, gated feed-forward layer and residual");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate and of what it scales");
    s.doc("norm", "normalise each row of x, times gamma");
    s.doc("residual", "add x to the result");
    s.doc("epsilon", "added to the mean square");
    describeTensors(s);
    s.tokens(tokens);
  }

  void describeTensors(Signature &s) const {
    s.argument("x", {tokens, hidden});
    optionalArgument(s, norm, "gamma", {hidden});
    s.argument("wg", {hidden, inner});
    s.argument("wu", {hidden, inner});
    s.argument("wd", {inner, hidden});
    s.argument("y", {tokens, hidden});
    s.flops(6.0 * tokens * hidden * inner);
  }

  static constexpr std::int64_t piece = 512;

  /// Columns of wg and wu at once. With few tokens, transfers bind, and those
  /// of long rows take less time: as many as have room, in equal blocks.
  std::int64_t blockOf(std::int64_t count) const {
    constexpr std::int64_t least = 256, most = 1024;
    if (count > 16 || hidden > 4096 ||
        target().generation == nc::Generation::v2)
      return least;
    const std::int64_t bytes = std::is_same_v<T, f32> ? 4 : 2;
    const std::int64_t room = (std::int64_t(168) << 10) / (3 * hidden * bytes);
    const std::int64_t wide = std::clamp(room * 128, least, most);
    const std::int64_t blocks = (inner + wide - 1) / wide;
    return std::max(least, (inner + blocks * 128 - 1) / (blocks * 128) * 128);
  }

  /// Blocks of tokens stay on chip, and so do their sums, in f32, while the
  /// weights stream by. The gate comes with `inner` on partitions, as the
  /// product with wd wants it.
  void operator()(In<T, 2> x, In<T, 1> gamma, In<T, 2> wg, In<T, 2> wu,
                  In<T, 2> wd, Out<T, 2> y) const {
    tiles("tokens", tokens, hidden <= 5120 ? 512 : 256,
          [&](Index m, std::int64_t count) {
            auto in = x.rows_at(m, count);
            const auto rows = normalised(in, gamma);
            Tile<f32, -1, -1> sums = !residual       ? zeros<f32>(count, hidden)
                                     : share == 1.0f ? cast<f32>(load(in))
                                                     : share * load(in);
            tiles("inner", inner, blockOf(count),
                  [&](Index i, std::int64_t size) {
                    const auto product = [&](const auto &w) { // [size, count]
                      const auto part = [&](std::size_t k) {
                        return matmul(load(w.rows_at(k * piece, rows[k].dim(0))
                                               .cols_at(i, size)),
                                      rows[k]);
                      };
                      auto sum = part(0);
                      for (std::size_t k = 1; k < rows.size(); ++k)
                        sum = sum + part(k);
                      return sum;
                    };
                    auto gate = silu(product(wg));
                    auto h = cast<T>(gate * product(wu));
                    auto right = load(wd.rows_at(i, size)); // [size, hidden]
                    BlockedProduct<T>::forPieces(
                        count, 128, [&](std::int64_t r, std::int64_t height) {
                          BlockedProduct<T>::forPieces(
                              hidden, piece,
                              [&](std::int64_t c, std::int64_t width) {
                                auto sum =
                                    sums.rows_at(r, height).cols_at(c, width);
                                sum = sum + matmul(h.cols_at(r, height),
                                                   right.cols_at(c, width));
                              });
                        });
                  });
            store(y.rows_at(m, count), sums);
          });
  }

  /// norm(x), transposed, in pieces of rows.
  auto normalised(auto x, const auto &gamma) const {
    std::vector<Tile<T, -1, -1>> rows;
    BlockedProduct<T>::forPieces(
        hidden, piece, [&](std::int64_t k, std::int64_t size) {
          rows.push_back(load_transposed(x.cols_at(k, size)));
        });
    if (!norm)
      return rows;
    auto squares = col_sum(square(rows[0])); // [1, count]
    for (std::size_t k = 1; k < rows.size(); ++k)
      squares = squares + col_sum(square(rows[k]));
    auto scale = rsqrt(squares * (1.0 / hidden) + epsilon);
    std::vector<Tile<T, -1, -1>> results;
    BlockedProduct<T>::forPieces(
        hidden, piece, [&](std::int64_t k, std::int64_t size) {
          auto its = load(gamma.reshape(hidden, 1_c).rows_at(k, size));
          results.push_back(cast<T>(rows[k / piece] * its * scale));
        });
    return results;
  }

  void reference(Doubles x, Doubles gamma, Doubles wg, Doubles wu, Doubles wd,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_MLP_KERNEL_H
