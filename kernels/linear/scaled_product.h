//===- scaled_product.h - y = x w + bias of MX floats ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SCALED_PRODUCT_H
#define KILN_KERNELS_LINEAR_SCALED_PRODUCT_H

#include "kiln/kiln.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>

namespace kiln::kernels {

/// y[M, N] = x[M, K] w[K, N] (+ bias[N]), where 32 numbers along K share a
/// scale. K is a multiple of 128 and at most 32768, M is even.
template <class P> struct ScaledProduct {
  In<bf16, 2> x; ///< [M, K], quantized on chip, if x is not ready:
  bool isReady;
  In<P, 2> xData;        ///< [K / 4, M]
  In<f8e8m0, 2> xScales; ///< [K / 32, M]
  In<P, 2> w;            ///< [K / 4, N]
  In<f8e8m0, 2> wScales; ///< [K / 32, N]
  In<bf16, 1> bias;
  bool hasBias;
  Out<bf16, 2> y;

  /// What of K a load brings: products start when the first piece is there.
  static constexpr std::int64_t piece = 1024;
  /// Elements of blocks of x and w that fit on chip twice. Twice as many of x
  /// still have room.
  static constexpr std::int64_t most = std::int64_t(1) << 22;

  std::int64_t depth() const { return 4 * w.dim(0); }
  /// w is read once for each block of rows, which 512 rows hide. More rows hide
  /// that the next ones are quantized.
  std::int64_t rowsAtOnce() const {
    const std::int64_t large = blockOf(1024, 2 * most);
    return isReady ? plain::max(blockOf(1024, most),
                                plain::min<std::int64_t>(large, 512))
                   : large;
  }
  std::int64_t columnsAtOnce() const { return blockOf(512, most); }

  /// Some columns of an operand, in pieces of K.
  struct Block {
    List<Tile<P, -1, -1>> data;
    List<Tile<f8e8m0, -1, -1>> scales; ///< Of each piece, or of all.

    auto part(std::size_t i, std::int64_t first, std::int64_t count) const {
      const std::int64_t rows = data[i].dim(0) / 8;
      const auto &all = scales.size() == 1 ? scales[0] : scales[i];
      const std::int64_t start =
          scales.size() == 1 ? static_cast<std::int64_t>(i) * (piece / 32) : 0;
      return scaled(data[i].cols_at(first, count),
                    all.rows_at(start, rows).cols_at(first, count));
    }
  };

  /// A block of the rows of x stays on chip while w streams by.
  void run() const {
    tiles("m", y.dim(0), rowsAtOnce(), [&](Index m, std::int64_t rows) {
      const Block left = rowsOfX(m, rows);
      tiles("n", y.dim(1), columnsAtOnce(), [&](Index n, std::int64_t cols) {
        const Block right = columnsOfW(n, cols);
        for (std::int64_t r = 0; r < rows; r += 128)
          put(m + r, n,
              product(left, right, r, plain::min<std::int64_t>(128, rows - r),
                      cols));
      });
    });
  }

  Block rowsOfX(Index first, std::int64_t count) const {
    return isReady ? loaded(xData, xScales, first, count)
                   : quantized(first, count);
  }
  Block columnsOfW(Index first, std::int64_t count) const {
    return loaded(w, wScales, first, count);
  }

  /// Of `count` rows of a block with all of another one, in PSUM.
  static auto product(const Block &left, const Block &right, std::int64_t first,
                      std::int64_t count, std::int64_t cols) {
    auto sum = matmul(left.part(0, first, count), right.part(0, 0, cols));
    for (std::size_t i = 1; i < right.data.size(); ++i)
      sum = sum + matmul(left.part(i, first, count), right.part(i, 0, cols));
    return sum;
  }

private:
  /// The power of two that keeps a block of rows, or of columns, small enough.
  std::int64_t blockOf(std::int64_t largest, std::int64_t elements) const {
    while (largest > 128 && largest * depth() > elements)
      largest /= 2;
    return largest;
  }

  static void forPieces(std::int64_t extent, auto use) {
    for (std::int64_t start = 0; start < extent; start += piece)
      use(start, plain::min(piece, extent - start));
  }

  Block loaded(const In<P, 2> &data, const In<f8e8m0, 2> &scales, Index first,
               std::int64_t count) const {
    Block block;
    forPieces(depth(), [&](std::int64_t k, std::int64_t size) {
      block.data.push_back(
          load(data.rows_at(k / 4, size / 4).cols_at(first, count)));
    });
    block.scales.push_back(load(scales.cols_at(first, count)));
    return block;
  }

  Block quantized(Index first, std::int64_t count) const {
    Block block;
    forPieces(depth(), [&](std::int64_t k, std::int64_t size) {
      auto part = quantize_mx<P>(
          load_transposed(x.rows_at(first, count).cols_at(k, size)));
      block.data.push_back(std::move(part.data));
      block.scales.push_back(std::move(part.scales));
    });
    return block;
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

#endif // KILN_KERNELS_LINEAR_SCALED_PRODUCT_H
