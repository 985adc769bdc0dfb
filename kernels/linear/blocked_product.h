//===- blocked_product.h - y = x w, any size ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_BLOCKED_PRODUCT_H
#define KILN_KERNELS_LINEAR_BLOCKED_PRODUCT_H

#include "kiln/kiln.h"
#include "linear/epilogue.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kiln::kernels {

/// What a product of T is stored as. An 8-bit type holds neither its range nor
/// its precision.
template <class T>
using Product = std::conditional_t<isa::sizeInBytes(T::dtype) == 1, bf16, T>;

/// y[M, N] = x[M, K] w[K, N], and what comes `after`; products are summed in
/// f32.
template <class T> struct BlockedProduct {
  In<T, 2> x;
  In<T, 2> w;
  Epilogue<Product<T>> after;
  Out<Product<T>, 2> y;

  static constexpr std::int64_t bytes = isa::sizeInBytes(T::dtype);
  /// What of K a load brings: products start when the first piece is there.
  static constexpr std::int64_t piece =
      plain::min<std::int64_t>(512, 1024 / bytes);
  /// The longest K for which blocks of x (512 rows) and w (512 columns) fit on
  /// chip twice, in 128 KiB of each partition.
  static constexpr std::int64_t wide = 8192 / bytes;
  /// The longest K whose products with 512 columns take less time than the
  /// descriptors of their store. 1024 columns need no more of these.
  static constexpr std::int64_t quick = bytes > 2 ? 128 : 384;
  /// Stores of 512 columns, and rows, from which this matters. Fewer wait for
  /// the loads in front of them, which are longer of 1024 columns.
  static constexpr std::int64_t manyStores = 24, manyRows = 513;

  void run() const {
    const std::int64_t m = x.dim(0), n = w.dim(1);
    if (x.dim(1) <= wide) {
      const bool isWide =
          x.dim(1) <= quick && m >= manyRows &&
          isa::ceilDiv(m, 128) * isa::ceilDiv(n, 512) >= manyStores;
      streamPast(
          "m", m, w,
          [&](Index row, std::int64_t rows, std::int64_t k, std::int64_t size) {
            return load_transposed(x.rows_at(row, rows).cols_at(k, size));
          },
          [&](Index row, Index col, const auto &sum) { put(row, col, sum); },
          [](Index, std::int64_t) {}, after.heads.whole(isWide ? 1024 : 512));
      return;
    }
    // About equal blocks: a narrow one would wait for its loads.
    const std::int64_t width =
        after.heads.whole(part(n, isa::ceilDiv(n, 1024)));
    if (n > width && target().generation == nc::Generation::v2) {
      transposeOnce(part(m, (m + 512) / 1024), width);
      return;
    }
    const std::int64_t height = part(m, (m + 256) / 512);
    tiles("m", m, height, [&](Index row, std::int64_t rows) {
      tiles("n", n, width, [&](Index col, std::int64_t cols) {
        addPieces(row, rows, col, cols, [&](Index k, std::int64_t size) {
          return load_transposed(x.rows_at(row, rows).cols_at(k, size));
        });
      });
    });
  }

  /// On trn1 the tensor engine transposes: rows of x for the first columns of
  /// w. The other columns load what it made, in taller blocks.
  void transposeOnce(std::int64_t height, std::int64_t width) const {
    const std::int64_t m = x.dim(0);
    auto turned = hbm<T>("turned", x.dim(1), m);
    tiles("m", m, height, [&](Index row, std::int64_t rows) {
      const auto kept = [&](Index k, std::int64_t size) {
        return turned.rows_at(k, size).cols_at(row, rows);
      };
      addPieces(row, rows, 0, width, [&](Index k, std::int64_t size) {
        auto left = load_transposed(x.rows_at(row, rows).cols_at(k, size));
        store(kept(k, size), left);
        return left;
      });
      tiles("n", w.dim(1) - width, width, [&](Index col, std::int64_t cols) {
        addPieces(
            row, rows, col + width, cols,
            [&](Index k, std::int64_t size) { return load(kept(k, size)); });
      });
    });
  }

  /// Rows of a block. A low one behind one or two others would load all of w
  /// for a few rows. That costs little if w is narrow or two blocks are short.
  static std::int64_t heightOf(std::int64_t rows, std::int64_t k,
                               std::int64_t n) {
    constexpr std::int64_t usual = 512, high = usual + 128;
    const bool isOne = rows > usual && rows <= high && n >= 2 * usual;
    const bool areTwo = rows > 2 * usual && rows <= usual + high && n > usual &&
                        k > wide / 2 &&
                        target().generation != nc::Generation::v2;
    return isOne || areTwo ? high : usual;
  }

  /// One of so many parts, in whole tiles.
  static std::int64_t part(std::int64_t extent, std::int64_t count) {
    const std::int64_t tiles = isa::ceilDiv(extent, 128);
    count = plain::max<std::int64_t>(count, 1);
    return isa::ceilDiv(tiles, count) * 128;
  }

  /// `rows` rows of a product with w: a block of what is multiplied stays on
  /// chip while w streams by. left(m, count, k, size) is a piece of it,
  /// transposed. PSUM adds up the pieces of K: put(row, n, sum) has tiles of
  /// the product, of `width` columns. whenDone(m, count) follows each block.
  static void streamPast(const char *name, std::int64_t rows, const auto &w,
                         auto leftOf, auto put, auto whenDone,
                         std::int64_t width = 512) {
    const std::int64_t high = heightOf(rows, w.dim(0), w.dim(1));
    tiles(name, rows, high, [&](Index m, std::int64_t count) {
      List<Block> left;
      forPieces(w.dim(0), piece, [&](std::int64_t k, std::int64_t size) {
        left.push_back(leftOf(m, count, k, size));
      });
      tiles("n", w.dim(1), width, [&](Index n, std::int64_t cols) {
        List<Block> right;
        forPieces(w.dim(0), piece, [&](std::int64_t k, std::int64_t size) {
          right.push_back(load(w.rows_at(k, size).cols_at(n, cols)));
        });
        forPieces(count, 128, [&](auto r, auto height) {
          auto sum = matmul(left[0].cols_at(r, height), right[0]);
          for (std::size_t i = 1; i < left.size(); ++i)
            sum = sum + matmul(left[i].cols_at(r, height), right[i]);
          put(m + r, n, sum);
        });
      });
      whenDone(m, count);
    });
  }

  /// What a tensor has where `sum` is to be stored.
  static auto beside(const auto &tensor, Index row, Index col,
                     const auto &sum) {
    return tensor.rows_at(row, sum.dim(0)).cols_at(col, sum.dim(1));
  }

  /// A block of the result stays on chip, in f32, while K streams by. left(k,
  /// size) are columns of x, transposed.
  void addPieces(Index m, std::int64_t rows, Index n, std::int64_t cols,
                 auto leftOf) const {
    Tile<f32, -1, -1> sums = zeros<f32>(rows, cols);
    const auto forParts = [&](auto use) {
      forPieces(rows, 128, [&](auto r, auto height) {
        forPieces(cols, after.heads.whole(512), [&](auto c, auto width) {
          use(sums.rows_at(r, height).cols_at(c, width), r, c);
        });
      });
    };
    const auto add = [&](Index k, std::int64_t size, auto use) {
      auto left = leftOf(k, size);
      auto right = load(w.rows_at(k, size).cols_at(n, cols));
      forParts([&](auto sum, auto r, auto c) {
        use(sum + matmul(left.cols_at(r, sum.dim(0)),
                         right.cols_at(c, sum.dim(1))),
            sum, r, c);
      });
    };
    const std::int64_t step = rows > 512 ? wide / 8 : wide / 4;
    // On trn1, GpSimd copies what is ready, and then clears the sums of the
    // next block, which would wait for both. So there, the last piece makes y.
    const bool isOneOfMany = rows < x.dim(0) || cols < w.dim(1);
    const std::int64_t last =
        isOneOfMany && target().generation == nc::Generation::v2 ? step : 0;
    tiles("k", x.dim(1) - last, step, [&](Index k, std::int64_t size) {
      add(k, size, [](auto more, auto sum, auto, auto) { sum = more; });
    });
    if (last > 0)
      add(x.dim(1) - last, last,
          [&](auto total, auto, auto r, auto c) { put(m + r, n + c, total); });
    else
      forParts([&](auto sum, auto r, auto c) { put(m + r, n + c, sum); });
  }

  using Block = Tile<T, -1, -1>;

  /// Calls use(start, size) for pieces of `extent`; a C++ loop.
  static void forPieces(std::int64_t extent, std::int64_t size, auto use) {
    for (std::int64_t start = 0; start < extent; start += size)
      use(start, plain::min(size, extent - start));
  }

  void put(Index m, Index n, const auto &sum) const { after.put(y, m, n, sum); }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_BLOCKED_PRODUCT_H
