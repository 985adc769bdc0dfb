//===- quantized_weights.h - Products of weights of 8 and 4 bits ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = x w, where w is quantized ahead, and x on chip. The two kinds of small
// floats have the same interface here: QuantizedWeights<T> is one of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QUANTIZED_WEIGHTS_H
#define KILN_KERNELS_LINEAR_QUANTIZED_WEIGHTS_H

#include "kiln/kiln.h"
#include "linear/blocked_product.h"
#include "linear/epilogue.h"
#include "linear/scaled_product.h"
#include "support/list.h"
#include "support/plain.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace kiln::kernels {

/// Columns of x, transposed: what a product takes before it is quantized.
using PiecesOfRows = List<Tile<bf16, -1, -1>>;

/// How many columns of w meet `rows` rows of x at a time. Transfers bind where
/// these are few, and long rows of w take less time.
inline std::int64_t columnsOfWeights(std::int64_t rows, std::int64_t depth) {
  return rows <= 128 && 1024 * depth <= std::int64_t(1) << 23 ? 1024 : 512;
}

/// w of 8-bit floats, [K, N]. With `row`, each row of x and each column of w
/// have a scale. Otherwise x is in units of a number, and w may have one scale.
template <class T> struct EightBitWeights {
  In<T, 2> w;
  In<f32, 2> wScales; ///< [1, N], [1, 1], or none
  Scales scales;
  float unit;

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

  static Tile<bf16, -1, -1> transposed(const auto &rows, const Index &k,
                                       std::int64_t size) {
    return load_transposed(rows.cols_at(k, size));
  }

  /// A number for each row of x, beside what transposed() gives.
  static Tile<f32, 1, -1> paired(Tile<f32, 1, -1> numbers) { return numbers; }

  /// A few rows, on chip.
  Rows quantized(const PiecesOfRows &pieces) const {
    Rows rows;
    if (scales != Scales::row) {
      for (const auto &each : pieces)
        rows.pieces.push_back(quantize<T>(each, unit));
      return rows;
    }
    auto units = max(largest(pieces), 0x1p-100) * (1 / dsl::largestOf<T>());
    auto inverse = reciprocal(units);
    for (const auto &each : pieces)
      rows.pieces.push_back(cast<T>(each * inverse));
    BlockedProduct<T>::forPieces(
        units.dim(1), 128, [&](std::int64_t r, std::int64_t some) {
          rows.units.push_back(transpose(units.cols_at(r, some)));
        });
    return rows;
  }

  /// use(m, count, rows) for blocks of many rows, which are quantized ahead: so
  /// the products of a block do not wait. rowsOf(m, count) is [count, K].
  void forBlocks(std::int64_t rows, auto rowsOf, auto use) const {
    auto data = hbm<T>("x_data", rows, depth());
    auto units = hbm<f32>("x_units", rows, 1_c);
    tiles("rows", rows, 128, [&](Index m, std::int64_t count) {
      if (scales != Scales::row) {
        store(data.rows_at(m, count), quantize<T>(rowsOf(m, count), unit));
        return;
      }
      auto its = quantize_rows<T>(rowsOf(m, count));
      store(data.rows_at(m, count), its.data);
      store(units.rows_at(m, count), its.scales);
    });
    tiles("m", rows, 512, [&](Index m, std::int64_t count) {
      Rows left;
      BlockedProduct<T>::forPieces(
          depth(), piece, [&](std::int64_t k, std::int64_t size) {
            left.pieces.push_back(
                load_transposed(data.rows_at(m, count).cols_at(k, size)));
          });
      BlockedProduct<T>::forPieces(scales == Scales::row ? count : 0, 128,
                                   [&](std::int64_t r, std::int64_t some) {
                                     left.units.push_back(
                                         load(units.rows_at(m + r, some)));
                                   });
      use(m, count, left);
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
                          std::int64_t count, std::int64_t, auto put) {
    BlockedProduct<T>::forPieces(
        count, 128, [&](std::int64_t r, std::int64_t height) {
          auto sum = matmul(left.pieces[0].cols_at(r, height), right[0]);
          for (std::size_t i = 1; i < right.size(); ++i)
            sum = sum + matmul(left.pieces[i].cols_at(r, height), right[i]);
          put(r, sum);
        });
  }

  /// The scales of w beside each of `rows` rows of a product, up to 128.
  List<Tile<f32, -1, -1>> factors(std::int64_t rows) const {
    List<Tile<f32, -1, -1>> result;
    if (scales != Scales::none)
      result.push_back(
          load(wScales.broadcast(0_c, plain::min<std::int64_t>(rows, 128))));
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

  void forBlocks(std::int64_t rows, auto rowsOf, auto use) const {
    auto ahead = hbm<bf16>("x_rows", rows, depth());
    tiles("rows", rows, 128, [&](Index m, std::int64_t count) {
      store(ahead.rows_at(m, count), rowsOf(m, count));
    });
    auto data = hbm<Made>("x_data", depth() / 4, Product::even(rows));
    auto its = hbm<f8e8m0>("x_scales", depth() / 32, Product::even(rows));
    Product::quantize(ahead, data, its);
    const Product blocks{ahead, true, data, its, w, wScales, {}, ahead};
    tiles("m", rows, blocks.rowsAtOnce(), [&](Index m, std::int64_t count) {
      blocks.withRows(m, count, [&](const auto &left) { use(m, count, left); });
    });
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

  static List<Tile<f32, -1, -1>> factors(std::int64_t) { return {}; }

  static auto scaled(const auto &sum, const auto &, std::int64_t,
                     const List<Tile<f32, -1, -1>> &, const Index &) {
    return copy(sum);
  }
};

template <class T>
using QuantizedWeights =
    std::conditional_t<isa::isPacked(T::dtype), ScaledWeights<T>,
                       EightBitWeights<T>>;

/// The type of the scales of such weights.
template <class T>
using ScaleOf = std::conditional_t<isa::isPacked(T::dtype), f8e8m0, f32>;

/// The tensors of weights [inputs, outputs], and their scales.
template <class T>
void describeQuantized(Signature &s, std::string_view name, std::int64_t inputs,
                       std::int64_t outputs, Scales scales) {
  const std::string its = std::string(name) + "_scales";
  if constexpr (isa::isPacked(T::dtype)) {
    s.argument(name, {inputs / 4, outputs});
    s.argument(its, {inputs / 32, outputs});
  } else {
    s.argument(name, {inputs, outputs});
    if (scales == Scales::none)
      s.absent(its);
    else
      s.argument(its, {1, scales == Scales::row ? outputs : 1});
  }
}

/// What the parameters of quantized weights must be.
template <class T>
void requireQuantized(std::int64_t inputs, Scales scales, float unit) {
  require(unit > 0, "unit is not positive",
          "give 1 to keep what is multiplied as it is");
  if constexpr (isa::isPacked(T::dtype)) {
    require(scales == Scales::none && unit == 1,
            "MX floats have scales of their own", "leave out scales and unit");
    require(inputs % 128 == 0,
            {"a sum of products has <|", inputs,
             "|> terms, expected [|a multiple of 128|]"},
            "give a multiple of 128");
  } else {
    require(scales != Scales::row || unit == 1,
            "with a scale for each row there is no unit", "leave out unit");
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QUANTIZED_WEIGHTS_H
