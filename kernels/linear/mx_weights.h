//===- mx_weights.h - Products of weights of MX floats --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MX_WEIGHTS_H
#define KILN_KERNELS_LINEAR_MX_WEIGHTS_H

#include "kiln/kiln.h"
#include "linear/blocked_product.h"
#include "linear/columns_of_weights.h"
#include "linear/epilogue.h"
#include "linear/scaled_product.h"
#include "support/joined_name.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>
#include <string_view>

namespace kiln::kernels {

/// w of MX floats: [K / 4, N], and [K / 32, N] scales. x has such scales, too.
template <class P> struct ScaledWeights {
  using Made = MadeOnChip<P>;
  using Product = ScaledProduct<P, Made>;

  In<P, 2> w;
  In<f8e8m0, 2> wScales;
  Scales scales;
  float unit;

  static constexpr std::int64_t piece = Product::piece;
  using Rows = typename Product::template Loaded<Made>;
  using Columns = typename Product::template Loaded<P>;

  std::int64_t depth() const { return 4 * w.dim(0); }
  std::int64_t columnsAtOnce(std::int64_t rows) const {
    return columnsOfWeights(rows, depth());
  }

  std::int64_t columnsOfStream() const {
    return kernels::columnsOfStream<P>(depth() / 4, 2048);
  }

  /// The tensor engine takes rows of x in pairs: the last of an odd number is
  /// there twice.
  static Tile<bf16, -1, -1> transposed(const auto &rows, const Index &k,
                                       std::int64_t size) {
    const std::int64_t count = rows.dim(0);
    const auto some = [&](std::int64_t first, std::int64_t number) {
      return load_transposed(rows.rows_at(first, number).cols_at(k, size));
    };
    if (count % 2 == 0)
      return some(0, count);
    auto pair = sbuf<bf16>(size, count + 1);
    pair.cols_at(0, count) = some(0, count);
    pair.cols_at(count, 1) = some(count - 1, 1);
    return copy(pair);
  }

  static Tile<f32, 1, -1> paired(Tile<f32, 1, -1> numbers) {
    const std::int64_t count = numbers.dim(1);
    if (count % 2 == 0)
      return numbers;
    auto pair = sbuf<f32>(1_c, count + 1);
    pair.cols_at(0, count) = numbers;
    pair.cols_at(count, 1) = numbers.cols_at(count - 1, 1);
    return copy(pair);
  }

  Rows quantized(const PiecesOfRows &pieces) const {
    Rows rows;
    for (const auto &each : pieces) {
      auto part = quantize_mx<Made>(each);
      rows.data.push_back(std::move(part.data));
      rows.scales.push_back(std::move(part.scales));
    }
    return rows;
  }

  /// Many rows, quantized ahead. In HBM, the last of an odd number is there
  /// twice.
  struct Ahead {
    InOut<Made, 2> data;
    InOut<f8e8m0, 2> scales;
  };

  Ahead quantizedAhead(std::string_view name, std::int64_t rows,
                       auto rowsOf) const {
    auto ahead = hbm<bf16>(JoinedName(name, "_rows").c_str(), rows, depth());
    tiles("rows", rows, 128, [&](Index m, std::int64_t count) {
      store(ahead.rows_at(m, count), rowsOf(m, count));
    });
    return quantizedAhead(name, ahead);
  }
  Ahead quantizedAhead(std::string_view name, const auto &rows) const {
    const Ahead ahead = roomFor(name, rows.dim(0));
    Product::quantize(rows, ahead.data, ahead.scales);
    return ahead;
  }
  Ahead roomFor(std::string_view name, std::int64_t rows) const {
    const std::int64_t count = Product::even(rows);
    return {
        hbm<Made>(JoinedName(name, "_data").c_str(), depth() / 4, count),
        hbm<f8e8m0>(JoinedName(name, "_scales").c_str(), depth() / 32, count)};
  }

  void withRows(const Ahead &ahead, const Index &m, std::int64_t count,
                auto use) const {
    productOf(ahead).withRows(m, count, use);
  }

  void forBlocks(std::int64_t rows, auto rowsOf, auto use) const {
    forBlocks(quantizedAhead("x", rows, rowsOf), rows, use);
  }
  void forBlocks(const Ahead &ahead, std::int64_t rows, auto use) const {
    tiles("m", rows, rowsAtOnce(ahead), [&](Index m, std::int64_t count) {
      withRows(ahead, m, count, [&](const auto &left) { use(m, count, left); });
    });
  }

  std::int64_t rowsAtOnce(const Ahead &ahead) const {
    return productOf(ahead).rowsAtOnce();
  }
  std::int64_t columnsBeside() const { return depth() > 8192 ? 256 : 512; }

  Product productOf(const Ahead &ahead) const {
    return {In<bf16, 2>({}), true, ahead.data,      ahead.scales, w,
            wScales,         {},   Out<bf16, 2>({})};
  }

  Columns columns(const Index &n, std::int64_t cols) const {
    Columns right;
    BlockedProduct<bf16>::forPieces(
        depth(), piece, [&](std::int64_t k, std::int64_t size) {
          right.data.push_back(
              load(w.rows_at(k / 4, size / 4).cols_at(n, cols)));
        });
    right.scales.push_back(load(wScales.cols_at(n, cols)));
    return right;
  }

  static void forProducts(const auto &left, const Columns &right,
                          std::int64_t count, std::int64_t cols, auto put) {
    Product::forProducts(
        count,
        [&](std::int64_t r, std::int64_t height) {
          return Product::product(left, right, r, height, cols);
        },
        put);
  }

  static auto product(const auto &left, const Columns &right, std::int64_t r,
                      std::int64_t height, std::int64_t cols) {
    return Product::product(left, right, r, Product::even(height), cols)
        .rows_at(0, height);
  }

  /// Transposed: `cols` columns of w, and rows r .. of x as columns.
  static auto turnedProduct(const auto &left, const Columns &right,
                            std::int64_t r, std::int64_t rows,
                            std::int64_t cols) {
    auto sum = matmul(right.part(0, 0, cols), left.part(0, r, rows));
    for (std::size_t i = 1; i < right.data.size(); ++i)
      sum = sum + matmul(right.part(i, 0, cols), left.part(i, r, rows));
    return sum;
  }

  /// Likewise: put(c, sum) for columns n + c ..
  void stream(const Rows &left, const Index &n, std::int64_t cols,
              std::int64_t rows, auto put) const {
    const auto its = load(wScales.cols_at(n, cols));
    List<Tile<f32, -1, -1>> sums;
    for (std::size_t i = 0; i < left.data.size(); ++i) {
      const std::int64_t k = std::int64_t(i) * piece;
      const std::int64_t size = plain::min(piece, depth() - k);
      const auto data = load(w.rows_at(k / 4, size / 4).cols_at(n, cols));
      BlockedProduct<bf16>::forPieces(
          cols, 512, [&](std::int64_t c, std::int64_t width) {
            auto more = matmul(
                left.part(i, 0, Product::even(rows)),
                kiln::scaled(data.cols_at(c, width),
                             its.rows_at(k / 32, size / 32).cols_at(c, width)));
            auto &sum =
                k > 0 ? sums[std::size_t(c / 512)] : sums.push_back(more);
            if (k > 0)
              sum = sum + more;
          });
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      put(std::int64_t(i) * 512, sums[i].rows_at(0, rows));
  }

  static List<Tile<f32, -1, -1>> factors(std::int64_t) { return {}; }
  static List<Tile<f32, -1, -1>> factorsOf(const Index &, std::int64_t,
                                           std::int64_t) {
    return {};
  }

  static auto scaled(const auto &sum, const auto &, std::int64_t,
                     const List<Tile<f32, -1, -1>> &, const Index &) {
    return copy(sum);
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MX_WEIGHTS_H
