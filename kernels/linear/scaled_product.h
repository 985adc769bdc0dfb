//===- scaled_product.h - y = x w of MX floats ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SCALED_PRODUCT_H
#define KILN_KERNELS_LINEAR_SCALED_PRODUCT_H

#include "kiln/kiln.h"
#include "linear/epilogue.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>
#include <type_traits>

namespace kiln::kernels {

/// What x becomes on chip. The machine makes no 4-bit floats, but multiplies
/// them with 8-bit ones.
template <class P>
using MadeOnChip =
    std::conditional_t<P::dtype == isa::DType::f4e2m1fn_x4, f8e4m3fn_x4, P>;

/// y[M, N] = x[M, K] w[K, N], and what comes `after`. 32 numbers along K share
/// a scale. K is a multiple of 128 and at most 32768. A is the type of x if it
/// is ready.
template <class P, class A = P> struct ScaledProduct {
  In<bf16, 2> x; ///< [M, K], quantized on chip, if x is not ready:
  bool isReady;
  In<A, 2> xData;        ///< [K / 4, M], or a column more
  In<f8e8m0, 2> xScales; ///< [K / 32, M], or a column more
  In<P, 2> w;            ///< [K / 4, N]
  In<f8e8m0, 2> wScales; ///< [K / 32, N]
  Epilogue<bf16> after;
  Out<bf16, 2> y;

  /// What of K a load brings: products start when the first piece is there.
  static constexpr std::int64_t piece = 1024;
  /// Elements of blocks of x and w that fit on chip twice. Twice as many of x
  /// still have room.
  static constexpr std::int64_t most = std::int64_t(1) << 22;
  static constexpr bool isSmall = P::dtype == isa::DType::f4e2m1fn_x4;

  std::int64_t depth() const { return 4 * w.dim(0); }
  std::int64_t rows() const { return after.rows(y); }
  /// w is read once for each block of rows, which 512 rows hide. More rows hide
  /// that the next ones are quantized.
  std::int64_t rowsAtOnce() const {
    const std::int64_t large = blockOf(1024, 2 * most);
    return isReady ? plain::max(blockOf(1024, most),
                                plain::min<std::int64_t>(large, 512))
                   : large;
  }
  /// Transfers bind where few rows meet w, and long rows of it take less time.
  /// Twice as many numbers of 4 bits have room.
  std::int64_t columnsAtOnce() const {
    return after.heads.whole(isSmall && rows() <= 128 ? blockOf(2048, 4 * most)
                                                      : blockOf(512, most));
  }

  /// Some columns of an operand, in pieces of K.
  template <class Data, class Its> struct Block {
    List<Data> data;
    List<Its> scales; ///< Of each piece, or of all.

    auto part(std::size_t i, std::int64_t first, std::int64_t count) const {
      const std::int64_t rows = data[i].dim(0) / 8;
      const auto &all = scales.size() == 1 ? scales[0] : scales[i];
      const std::int64_t start =
          scales.size() == 1 ? static_cast<std::int64_t>(i) * (piece / 32) : 0;
      return scaled(data[i].cols_at(first, count),
                    all.rows_at(start, rows).cols_at(first, count));
    }
  };

  template <class E>
  using Loaded = Block<Tile<E, -1, -1>, Tile<f8e8m0, -1, -1>>;

  /// A block of the rows of x stays on chip while w streams by.
  void run() const {
    // Without room for two large blocks, products would wait until the next one
    // is quantized.
    if (!isReady && rows() > rowsAtOnce() && rowsAtOnce() < 1024) {
      using Made = MadeOnChip<P>;
      auto data = hbm<Made>("x_data", depth() / 4, even(rows()));
      auto scales = hbm<f8e8m0>("x_scales", depth() / 32, even(rows()));
      quantize(x, data, scales);
      ScaledProduct<P, Made>{x, true, data, scales, w, wScales, after, y}.run();
      return;
    }
    tiles("m", rows(), rowsAtOnce(), [&](Index m, std::int64_t rows) {
      const auto multiply = [&](const auto &left) {
        tiles("n", w.dim(1), columnsAtOnce(), [&](Index n, std::int64_t cols) {
          const auto right = columnsOfW(n, cols);
          forProducts(
              rows,
              [&](std::int64_t r, std::int64_t height) {
                return product(left, right, r, height, cols);
              },
              [&](std::int64_t r, const auto &sum) {
                after.put(y, m + r, n, sum);
              });
        });
      };
      if (isReady)
        withRows(m, rows, multiply);
      else
        multiply(quantized(m, rows));
    });
  }

  /// use(block): rows of x, which is ready. The last of an odd number is there
  /// twice.
  void withRows(Index first, std::int64_t count, auto use) const {
    const bool hasMore = xData.dim(1) % 2 == 0;
    if (count % 2 == 0 || hasMore)
      return use(loaded(xData, xScales, first, even(count)));
    const auto twice = [&](auto pair, const auto &tensor) {
      pair.cols_at(0, count) = load(tensor.cols_at(first, count));
      pair.cols_at(count, 1) = load(tensor.cols_at(first + (count - 1), 1));
      return pair.rows_at(0, tensor.dim(0));
    };
    const auto data = twice(sbuf<A>(depth() / 4, count + 1), xData);
    const auto its = twice(sbuf<f8e8m0>(depth() / 32, count + 1), xScales);
    using Piece = decltype(data.rows_at(0, 1));
    Block<Piece, std::remove_const_t<decltype(its)>> block;
    forPieces(depth(), [&](std::int64_t k, std::int64_t size) {
      block.data.push_back(data.rows_at(k / 4, size / 4));
    });
    block.scales.push_back(its);
    use(block);
  }
  Loaded<P> columnsOfW(Index first, std::int64_t count) const {
    return loaded(w, wScales, first, count);
  }

  /// The products of 128 rows of a block, or less, in PSUM: put(r, sum).
  static void forProducts(std::int64_t rows, auto sumOf, auto put) {
    for (std::int64_t r = 0; r < rows; r += 128) {
      const std::int64_t height = plain::min<std::int64_t>(128, rows - r);
      auto sum = sumOf(r, even(height));
      if (height % 2 == 0)
        put(r, sum);
      else
        put(r, sum.rows_at(0, height));
    }
  }

  /// The tensor engine takes rows of x in pairs.
  static std::int64_t even(std::int64_t rows) { return rows + rows % 2; }

  /// Of `count` rows of a block with all of another one, in PSUM.
  static auto product(const auto &left, const auto &right, std::int64_t first,
                      std::int64_t count, std::int64_t cols) {
    auto sum = matmul(left.part(0, first, count), right.part(0, 0, cols));
    for (std::size_t i = 1; i < right.data.size(); ++i)
      sum = sum + matmul(left.part(i, first, count), right.part(i, 0, cols));
    return sum;
  }

  /// Rows of a tensor, transposed, as MX floats: the last of an odd number
  /// twice.
  static auto quantizedRows(const auto &rows, const Index &first,
                            std::int64_t count, const Index &k,
                            std::int64_t size) {
    const auto turned = [&](const Index &row, std::int64_t some) {
      return load_transposed(rows.rows_at(row, some).cols_at(k, size));
    };
    if (count % 2 == 0)
      return quantize_mx<MadeOnChip<P>>(turned(first, count));
    auto pair = sbuf<bf16>(size, count + 1);
    pair.cols_at(0, count) = turned(first, count);
    pair.cols_at(count, 1) = turned(first + (count - 1), 1);
    return quantize_mx<MadeOnChip<P>>(pair);
  }

  /// Rows that a product takes, ahead of it: then blocks have room for more.
  static void quantize(const auto &rows, auto data, auto scales) {
    tiles("rows", rows.dim(0), 256, [&](Index m, std::int64_t count) {
      tiles("k", rows.dim(1), 1024, [&](Index k, std::int64_t size) {
        auto part = quantizedRows(rows, m, count, k, size);
        const auto put = [&](const auto &to, Index row, const auto &its) {
          store(to.rows_at(row, its.dim(0)).cols_at(m, its.dim(1)), its);
        };
        put(data, k / 4, part.data);
        put(scales, k / 32, part.scales);
      });
    });
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

  template <class E>
  Loaded<E> loaded(const In<E, 2> &data, const In<f8e8m0, 2> &scales,
                   Index first, std::int64_t count) const {
    Loaded<E> block;
    forPieces(depth(), [&](std::int64_t k, std::int64_t size) {
      block.data.push_back(
          load(data.rows_at(k / 4, size / 4).cols_at(first, count)));
    });
    block.scales.push_back(load(scales.cols_at(first, count)));
    return block;
  }

  Loaded<MadeOnChip<P>> quantized(Index first, std::int64_t count) const {
    Loaded<MadeOnChip<P>> block;
    forPieces(depth(), [&](std::int64_t k, std::int64_t size) {
      auto part = quantizedRows(x, first, count, k, size);
      block.data.push_back(std::move(part.data));
      block.scales.push_back(std::move(part.scales));
    });
    return block;
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SCALED_PRODUCT_H
