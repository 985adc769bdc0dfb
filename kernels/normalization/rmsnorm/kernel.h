//===- kernel.h - Root-mean-square normalisation --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_RMSNORM_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_RMSNORM_KERNEL_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// y[r, :] = x[r, :] / sqrt(mean(x[r, :]^2) + epsilon) * gamma.
template <class T> struct RmsNorm {
  BOOST_HANA_DEFINE_STRUCT(RmsNorm, (int, rows), (int, cols));

  static RmsNorm defaults() { return {512, 2048}; }
  static constexpr double epsilon = 1e-5;

  void describe(Signature &s) const {
    s.summary("RMS normalisation of every row, times gamma");
    s.doc("rows", "rows (tokens)");
    s.doc("cols", "elements of a row");
    s.argument("x", {rows, cols});
    s.argument("gamma", {cols});
    s.argument("y", {rows, cols});
    s.flops(4.0 * rows * cols);
  }

  /// Longest row of a loop whose tiles fit.
  static constexpr std::int64_t longest = 4096;
  /// Bytes of the longest row that is kept on chip: the compiler chooses which
  /// blocks of it are computed at once.
  static constexpr std::int64_t longestOnChip = 40960;
  static constexpr std::int64_t block = 2048;

  void operator()(In<T, 2> x, In<T, 1> gamma, Out<T, 2> y) const {
    auto row = gamma.reshape(1_c, cols);
    // One row of HBM, repeated over the partitions by the DMA.
    auto g = row.broadcast(0_c, 128_c);
    if (cols <= longest)
      wholeRows(x, load(g), y);
    else if (cols * std::int64_t{isa::sizeInBytes(T::dtype)} <= longestOnChip)
      store(y, normalised(load(x), load(row)));
    else
      longRows(x, g, y);
  }

  void wholeRows(In<T, 2> x, const auto &g, Out<T, 2> y) const {
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto t = load(x.rows_at(r, n));
      store(y.rows_at(r, n), normalised(t, g.rows_at(0, n)));
    });
  }

  auto normalised(const auto &t, const auto &g) const {
    auto mean = row_sum(square(t)) * (1.0 / cols);
    auto normal = cast<T>(t * rsqrt(mean + epsilon));
    return normal * g;
  }

  void longRows(In<T, 2> x, const auto &g, Out<T, 2> y) const {
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      auto sum = zeros<f32>(n, 1_c);
      tiles("sum", cols, block, [&](Index c, auto w) {
        sum = sum + row_sum(square(load(x.rows_at(r, n).cols_at(c, w))));
      });
      auto scale = rsqrt(sum * (1.0 / cols) + epsilon);
      tiles("out", cols, block, [&](Index c, auto w) {
        auto t = load(x.rows_at(r, n).cols_at(c, w));
        auto gc = load(g.rows_at(0, n).cols_at(c, w));
        store(y.rows_at(r, n).cols_at(c, w), cast<T>(t * scale) * gc);
      });
    });
  }

  void reference(Doubles x, Doubles gamma, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_RMSNORM_KERNEL_H
