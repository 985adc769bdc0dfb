//===- kernel.h - Row softmax ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_SOFTMAX_KERNEL_H
#define KILN_KERNELS_NORMALIZATION_SOFTMAX_KERNEL_H

#include "kiln/kiln.h"

namespace kiln::kernels {

/// y[r, :] = exp(x[r, :] - max x[r, :]) / sum. Rows that fit on chip are read
/// once; longer ones in three passes over column blocks.
template <class T> struct Softmax {
  BOOST_HANA_DEFINE_STRUCT(Softmax, (int, rows), (int, cols));

  static Softmax defaults() { return {512, 1024}; }

  void describe(Signature &s) const {
    s.summary("softmax of every row of a matrix");
    s.doc("rows", "rows, independent of each other");
    s.doc("cols", "elements of a row");
    s.argument("x", {rows, cols});
    s.argument("y", {rows, cols});
    s.flops(5.0 * rows * cols);
  }

  /// Longest row of a loop whose tiles fit: a handful of f32 tiles of it fit
  /// everywhere.
  static constexpr std::int64_t longest = 4096;
  /// Bytes of the longest row that is kept on chip: the compiler chooses which
  /// blocks of it are computed at once.
  static constexpr std::int64_t longestOnChip = 40960;
  static constexpr std::int64_t block = 2048;

  void operator()(In<T, 2> x, Out<T, 2> y) const {
    if (cols > longest &&
        cols * std::int64_t{isa::sizeInBytes(T::dtype)} <= longestOnChip)
      return wholeRows(x, y);
    tiles("rows", rows, 128_c, [&](Index r, auto n) {
      if (cols <= longest)
        wholeRows(x.rows_at(r, n), y.rows_at(r, n));
      else
        longRows(x.rows_at(r, n), y.rows_at(r, n), n);
    });
  }

  void wholeRows(auto x, auto y) const {
    auto t = load(x);
    auto e = exp(t - row_max(t));
    store(y, e / row_sum(e));
  }

  void longRows(auto x, auto y, auto n) const {
    auto m = full<f32>(-3.0e38, n, 1_c);
    tiles("max", cols, block,
          [&](Index c, auto w) { m = max(m, row_max(load(x.cols_at(c, w)))); });
    auto sum = zeros<f32>(n, 1_c);
    tiles("sum", cols, block, [&](Index c, auto w) {
      sum = sum + row_sum(exp(load(x.cols_at(c, w)) - m));
    });
    tiles("out", cols, block, [&](Index c, auto w) {
      store(y.cols_at(c, w), exp(load(x.cols_at(c, w)) - m) / sum);
    });
  }

  void reference(Doubles x, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_SOFTMAX_KERNEL_H
