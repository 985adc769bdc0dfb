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
#include <cstddef>
#include <type_traits>

namespace kiln::kernels {

/// y[M, N] = x[M, K] w[K, N] (+ bias[N]); products are summed in f32.
template <class T> struct BlockedProduct {
  In<T, 2> x;
  In<T, 2> w;
  In<T, 1> bias;
  bool hasBias;
  Out<T, 2> y;

  static constexpr std::int64_t bytes = isa::sizeInBytes(T::dtype);
  /// The longest K for which blocks of x (512 rows) and w (512 columns) fit on
  /// chip twice, in 128 KiB of each partition.
  static constexpr std::int64_t wide = 8192 / bytes;
  /// The same for 384 and 256, either way, in 160 KiB.
  static constexpr std::int64_t longest = 16384 / bytes;

  void run() const {
    const std::int64_t depth = x.dim(1);
    const std::nullptr_t none = nullptr;
    if (depth <= wide)
      return addPiece(512_c, 512_c, 0, depth, &none);
    if (depth <= longest)
      return addLongPiece(0, depth, &none);
    // What pieces of K add up to waits in HBM for the next one.
    const auto sums = hbm<f32>("sums", x.dim(0), w.dim(1));
    for (std::int64_t k = 0; k < depth; k += longest)
      addLongPiece(k, std::min(longest, depth - k), &sums);
  }

  /// Taller blocks of x read w less often, unless the last one is low.
  void addLongPiece(std::int64_t k, std::int64_t size, const auto *sums) const {
    const std::int64_t last = x.dim(0) % 384;
    if (last == 0 || last > 128)
      addPiece(384_c, 256_c, k, size, sums);
    else
      addPiece(256_c, 384_c, k, size, sums);
  }

  /// Columns k .. k + size - 1 of x times these rows of w, added to `sums`
  /// unless they are the first, and put into y if they are the last. x is read
  /// once: a block of its rows stays on chip while w streams by.
  template <class Sums>
  void addPiece(auto height, auto width, std::int64_t k, std::int64_t size,
                const Sums *sums) const {
    tiles("m", x.dim(0), height, [&](Index m, auto rows) {
      auto xT = load_transposed(x.rows_at(m, rows).cols_at(k, size));
      tiles("n", w.dim(1), width, [&](Index n, auto cols) {
        auto wn = load(w.rows_at(k, size).cols_at(n, cols)); // [size, cols]
        const std::int64_t end = dsl::extentValue(rows);
        for (std::int64_t r = 0; r < end; r += 128) {
          const std::int64_t part = std::min<std::int64_t>(128, end - r);
          auto product = matmul(xT.cols_at(r, part), wn);
          if constexpr (std::is_same_v<Sums, std::nullptr_t>) {
            put(m + r, n, product);
          } else {
            auto sum = sums->rows_at(m + r, part).cols_at(n, cols);
            if (k == 0)
              store(sum, product);
            else if (k + size < x.dim(1))
              store(sum, load(sum) + product);
            else
              put(m + r, n, load(sum) + product);
          }
        }
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
