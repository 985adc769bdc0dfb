//===- eight_bit_weights.h - Products of weights of 8 bits ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_EIGHT_BIT_WEIGHTS_H
#define KILN_KERNELS_LINEAR_EIGHT_BIT_WEIGHTS_H

#include "kiln/kiln.h"
#include "linear/blocked_product.h"
#include "linear/columns_of_weights.h"
#include "linear/epilogue.h"
#include "support/joined_name.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>
#include <string_view>

namespace kiln::kernels {

/// w of 8-bit floats, [K, N]. With `row`, each row of x and each column of w
/// have a scale. Otherwise x is in units of a number, and w may have one scale.
template <class T> struct EightBitWeights {
  In<T, 2> w;
  In<f32, 2> wScales; ///< [1, N], [1, 1], or none
  Scales scales;
  float unit;
  In<f32, 2> xScale = In<f32, 2>({}); ///< [1, 1], if x has such a scale, too
  bool hasXScale = false;

  static constexpr std::int64_t piece = 512;
  struct Rows {
    List<Tile<T, -1, -1>> pieces; ///< [piece, count]
    List<Tile<f32, -1, 1>> units; ///< Of 128 rows each, if each has its own.
  };
  using Columns = List<Tile<T, -1, -1>>; ///< [piece, cols]

  std::int64_t depth() const { return w.dim(0); }
  std::int64_t columnsAtOnce(std::int64_t rows) const {
    return columnsOfWeights(rows, depth());
  }

  std::int64_t columnsOfStream() const {
    return kernels::columnsOfStream<T>(depth(), 2048);
  }

  static Tile<bf16, -1, -1> transposed(const auto &rows, const Index &k,
                                       std::int64_t size) {
    return load_transposed(rows.cols_at(k, size));
  }

  /// A number for each row of x, beside what transposed() gives.
  static Tile<f32, 1, -1> paired(Tile<f32, 1, -1> numbers) { return numbers; }

  /// The largest magnitude of a row becomes the largest number, so that none of
  /// the row is out of range. A row of zeros also gets a finite factor.
  static auto unitsOf(const auto &most) {
    return max(most, 0x1p-100) * (1 / dsl::largestOf<T>());
  }

  /// A few rows, on chip.
  Rows quantized(const PiecesOfRows &pieces) const {
    Rows rows;
    if (scales != Scales::row) {
      for (const auto &each : pieces)
        rows.pieces.push_back(quantize<T>(each, unit));
      return rows;
    }
    auto units = unitsOf(largest(pieces));
    auto inverse = reciprocal(units);
    for (const auto &each : pieces)
      rows.pieces.push_back(cast<T>(each * inverse));
    BlockedProduct<T>::forPieces(
        units.dim(1), 128, [&](std::int64_t r, std::int64_t some) {
          rows.units.push_back(transpose(units.cols_at(r, some)));
        });
    return rows;
  }

  /// Many rows, quantized ahead: so the products of a block do not wait.
  struct Ahead {
    In<T, 2> data;    ///< [M, K]
    In<f32, 2> units; ///< [M, 1], if each row has its own
  };

  /// rowsOf(m, count) is [count, K].
  Ahead quantizedAhead(std::string_view name, std::int64_t rows,
                       auto rowsOf) const {
    auto data = hbm<T>(JoinedName(name, "_data").c_str(), rows, depth());
    auto units = hbm<f32>(JoinedName(name, "_units").c_str(), rows, 1_c);
    tiles("rows", rows, 128, [&](Index m, std::int64_t count) {
      if (scales != Scales::row) {
        store(data.rows_at(m, count), quantize<T>(rowsOf(m, count), unit));
        return;
      }
      auto its = rowsOf(m, count);
      auto unitsOfRows = unitsOf(row_max(abs(its)));
      store(data.rows_at(m, count), cast<T>(its * reciprocal(unitsOfRows)));
      store(units.rows_at(m, count), unitsOfRows);
    });
    return {data, units};
  }

  /// Those of a tensor.
  Ahead quantizedAhead(std::string_view name, const auto &rows) const {
    return quantizedAhead(name, rows.dim(0),
                          [&](const Index &m, std::int64_t count) {
                            return load(rows.rows_at(m, count));
                          });
  }

  /// use(rows) for some of them.
  void withRows(const Ahead &ahead, const Index &m, std::int64_t count,
                auto use) const {
    Rows left;
    BlockedProduct<T>::forPieces(
        depth(), piece, [&](std::int64_t k, std::int64_t size) {
          left.pieces.push_back(
              load_transposed(ahead.data.rows_at(m, count).cols_at(k, size)));
        });
    BlockedProduct<T>::forPieces(
        scales == Scales::row ? count : 0, 128,
        [&](std::int64_t r, std::int64_t some) {
          left.units.push_back(
              load(ahead.units.rows_at(m + r, some).cols_at(0, 1_c)));
        });
    use(left);
  }

  /// Of so many that have room beside a block of w.
  std::int64_t rowsAtOnce(const Ahead &) const { return 512; }
  /// Columns of w that have room beside these.
  std::int64_t columnsBeside() const { return depth() > 8192 ? 256 : 512; }

  /// use(m, count, rows) for blocks of many rows, which are quantized ahead.
  void forBlocks(std::int64_t rows, auto rowsOf, auto use) const {
    forBlocks(quantizedAhead("x", rows, rowsOf), rows, use);
  }
  void forBlocks(const Ahead &ahead, std::int64_t rows, auto use) const {
    tiles("m", rows, rowsAtOnce(ahead), [&](Index m, std::int64_t count) {
      withRows(ahead, m, count, [&](const Rows &left) { use(m, count, left); });
    });
  }

  Columns columns(const Index &n, std::int64_t cols) const {
    Columns right;
    BlockedProduct<T>::forPieces(
        depth(), piece, [&](std::int64_t k, std::int64_t size) {
          right.push_back(load(w.rows_at(k, size).cols_at(n, cols)));
        });
    return right;
  }

  /// put(r, sum) has tiles of the product of `count` rows, in PSUM.
  static void forProducts(const Rows &left, const Columns &right,
                          std::int64_t count, std::int64_t cols, auto put) {
    BlockedProduct<T>::forPieces(
        count, 128, [&](std::int64_t r, std::int64_t height) {
          put(r, product(left, right, r, height, cols));
        });
  }

  static auto product(const Rows &left, const Columns &right, std::int64_t r,
                      std::int64_t height, std::int64_t) {
    auto sum = matmul(left.pieces[0].cols_at(r, height), right[0]);
    for (std::size_t i = 1; i < right.size(); ++i)
      sum = sum + matmul(left.pieces[i].cols_at(r, height), right[i]);
    return sum;
  }

  /// Columns n .. of the product of up to 128 rows, in PSUM: put(c, sum). Rows
  /// of w stream by, each piece of them for all columns, so that they are long.
  void stream(const Rows &left, const Index &n, std::int64_t cols, std::int64_t,
              auto put) const {
    List<Tile<f32, -1, -1>> sums;
    BlockedProduct<T>::forPieces(
        depth(), piece, [&](std::int64_t k, std::int64_t size) {
          const auto right = load(w.rows_at(k, size).cols_at(n, cols));
          BlockedProduct<T>::forPieces(
              cols, 512, [&](std::int64_t c, std::int64_t width) {
                auto more = matmul(left.pieces[std::size_t(k / piece)],
                                   right.cols_at(c, width));
                auto &sum =
                    k > 0 ? sums[std::size_t(c / 512)] : sums.push_back(more);
                if (k > 0)
                  sum = sum + more;
              });
        });
    for (std::size_t i = 0; i < sums.size(); ++i)
      put(std::int64_t(i) * 512, sums[i]);
  }

  /// The scales of w beside each of `rows` rows of a product, up to 128.
  List<Tile<f32, -1, -1>> factors(std::int64_t rows) const {
    const std::int64_t some = plain::min<std::int64_t>(rows, 128);
    List<Tile<f32, -1, -1>> result;
    if (hasXScale)
      result.push_back(load(wScales.broadcast(0_c, some)) *
                       load(xScale.broadcast(0_c, some)));
    else if (scales != Scales::none)
      result.push_back(load(wScales.broadcast(0_c, some)));
    return result;
  }

  /// Likewise, of some columns.
  List<Tile<f32, -1, -1>> factorsOf(const Index &n, std::int64_t cols,
                                    std::int64_t rows) const {
    if (scales != Scales::row)
      return factors(rows);
    List<Tile<f32, -1, -1>> result;
    result.push_back(load(wScales.cols_at(n, cols).broadcast(
        0_c, plain::min<std::int64_t>(rows, 128))));
    return result;
  }

  /// Columns n .. of the product with rows r .. of `left`.
  Tile<f32, -1, -1> scaled(const auto &sum, const Rows &left, std::int64_t r,
                           const List<Tile<f32, -1, -1>> &factors,
                           const Index &n) const {
    const std::int64_t rows = sum.dim(0);
    if (scales == Scales::row)
      return sum * left.units[static_cast<std::size_t>(r / 128)] *
             factors[0].rows_at(0, rows).cols_at(n, sum.dim(1));
    if (scales == Scales::tensor)
      return sum * (factors[0].rows_at(0, rows) * unit);
    return sum * unit;
  }

private:
  /// The largest magnitude of each row, [1, count].
  static Tile<f32, 1, -1> largest(const PiecesOfRows &pieces) {
    Tile<f32, -1, -1> most = abs(pieces[0]);
    std::size_t i = 1;
    for (; i < pieces.size() && pieces[i].dim(0) == piece; ++i)
      most = max(most, abs(pieces[i]));
    auto result = col_max(most);
    if (i < pieces.size())
      return max(result, col_max(abs(pieces[i])));
    return result;
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_EIGHT_BIT_WEIGHTS_H
