//===- blocked_product.h - y = x w + bias, any size -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_BLOCKED_PRODUCT_H
#define KILN_KERNELS_LINEAR_BLOCKED_PRODUCT_H

#include "kiln/kiln.h"

#include <algorithm>

namespace kiln::kernels {

/// y[M, N] = x[M, K] w[K, N] (+ bias[N]); products are summed in f32.
template <class T> struct BlockedProduct {
  In<T, 2> x;
  In<T, 2> w;
  In<T, 1> bias;
  bool hasBias;
  Out<T, 2> y;

  static constexpr std::int64_t bytes = isa::sizeInBytes(T::dtype);
  /// The longest K for which the blocks of x (512 rows) and w (512 columns) fit
  /// on chip twice: 128 KiB per partition.
  static constexpr std::int64_t longest = 8192 / bytes;

  void run() const {
    if (x.dim(1) <= longest)
      stationaryRows();
    else
      splitContraction();
  }

  /// x is read once: a block of its rows stays on chip while w streams by.
  void stationaryRows() const {
    tiles("m", x.dim(0), 512_c, [&](Index m, auto rows) {
      auto xT = load_transposed(x.rows_at(m, rows)); // [K, rows]
      tiles("n", w.dim(1), 512_c, [&](Index n, auto cols) {
        auto wn = load(w.cols_at(n, cols)); // [K, cols]
        const std::int64_t height = dsl::extentValue(rows);
        for (std::int64_t r = 0; r < height; r += 128) {
          const std::int64_t size = std::min<std::int64_t>(128, height - r);
          put(m + r, n, matmul(xT.cols_at(r, size), wn));
        }
      });
    });
  }

  /// K does not fit: sum blocks of it.
  void splitContraction() const {
    tiles("m", x.dim(0), 128_c, [&](Index m, auto rows) {
      tiles("n", w.dim(1), 512_c, [&](Index n, auto cols) {
        auto sum = zeros<f32>(rows, cols);
        tiles("k", x.dim(1), longest, [&](Index k, auto depth) {
          auto xT = load_transposed(x.rows_at(m, rows).cols_at(k, depth));
          sum = sum + matmul(xT, load(w.rows_at(k, depth).cols_at(n, cols)));
        });
        put(m, n, sum);
      });
    });
  }

  void put(Index m, Index n, const auto &sum) const {
    const std::int64_t rows = sum.dim(0), cols = sum.dim(1);
    auto out = y.rows_at(m, rows).cols_at(n, cols);
    if (hasBias) {
      auto b = bias.reshape(1_c, bias.dim(0)).cols_at(n, cols);
      store(out, sum + load(b.broadcast(0_c, rows)));
    } else {
      store(out, sum);
    }
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_BLOCKED_PRODUCT_H
