//===- between_products.h - What a product makes and the next one takes ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many rows of h, which some products make block by block, and which a product
// with w takes from HBM when they are quantized. BetweenProducts<T> is one of
// two kinds.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_BETWEEN_PRODUCTS_H
#define KILN_KERNELS_LINEAR_BETWEEN_PRODUCTS_H

#include "kiln/kiln.h"
#include "linear/quantized_weights.h"
#include "support/list.h"

#include <cstdint>
#include <type_traits>

namespace kiln::kernels {

/// 8-bit floats. A known scale is applied at once. That of a row is known when
/// the whole row is there: the columns of a block of rows are quantized while
/// products make the next block.
template <class T> class EightBitBetween {
public:
  EightBitBetween(const EightBitWeights<T> &w, std::int64_t rows,
                  std::int64_t block)
      : w(w), rows(rows), block(block), isLate(w.scales == Scales::row),
        data(hbm<T>("h_data", rows, w.depth())) {
    if (isLate) {
      units = hbm<f32>("h_units", rows, 1_c);
      kept = hbm<bf16>("h", rows, w.depth());
    }
  }

  /// make(m, count, put, beside) makes a block: put(r, n, tile) has rows m + r
  /// and columns n .. of it; beside(n, cols) follows the products of these
  /// columns.
  void forBlocks(auto make) const {
    const std::int64_t first = plain::min(rows, block);
    if (!isLate)
      return tiles("m", rows, block, [&](Index m, std::int64_t count) {
        make(
            m, count,
            [&](std::int64_t r, const Index &n, const auto &tile) {
              store(part(data, m + r, tile.dim(0), n, tile.dim(1)),
                    quantize<T>(cast<bf16>(tile), w.unit));
            },
            [](const Index &, std::int64_t) {});
      });
    withMaxima(0, first, [](const Index &, std::int64_t) {}, make);
    tiles("m", rows - first, block, [&](Index m, std::int64_t count) {
      const auto factors = factorsOf(m, block);
      withMaxima(
          m + block, count,
          [&](const Index &n, std::int64_t cols) {
            quantizeColumns(m, block, n, cols, factors);
          },
          make);
    });
    const std::int64_t last = (rows - 1) / block * block;
    const auto factors = factorsOf(last, rows - last);
    tiles("last", w.depth(), 512, [&](Index n, std::int64_t cols) {
      quantizeColumns(last, rows - last, n, cols, factors);
    });
  }

  typename EightBitWeights<T>::Ahead quantized() const { return {data, units}; }

private:
  static auto part(const auto &tensor, const Index &m, std::int64_t count,
                   const Index &n, std::int64_t cols) {
    return tensor.rows_at(m, count).cols_at(n, cols);
  }

  void withMaxima(const Index &m, std::int64_t count, auto beside,
                  auto make) const {
    Tile<f32, -1, -1> most = zeros<f32>(count, 1);
    make(
        m, count,
        [&](std::int64_t r, const Index &n, const auto &tile) {
          const std::int64_t height = tile.dim(0);
          const auto its = cast<bf16>(tile);
          store(part(kept, m + r, height, n, tile.dim(1)), its);
          auto largest = most.rows_at(r, height);
          largest = max(largest, row_max(abs(its)));
        },
        beside);
    store(units.rows_at(m, count), EightBitWeights<T>::unitsOf(most));
  }

  Tile<f32, -1, -1> factorsOf(const Index &m, std::int64_t count) const {
    return reciprocal(load(units.rows_at(m, count)));
  }

  void quantizeColumns(const Index &m, std::int64_t count, const Index &n,
                       std::int64_t cols,
                       const Tile<f32, -1, -1> &factors) const {
    BlockedProduct<T>::forPieces(
        count, 128, [&](std::int64_t r, std::int64_t height) {
          auto its = load(part(kept, m + r, height, n, cols));
          store(part(data, m + r, height, n, cols),
                cast<T>(its * factors.rows_at(r, height).cols_at(0, 1_c)));
        });
  }

  const EightBitWeights<T> &w;
  std::int64_t rows, block;
  bool isLate;
  InOut<T, 2> data;
  InOut<f32, 2> units = InOut<f32, 2>({});
  InOut<bf16, 2> kept = InOut<bf16, 2>({});
};

/// MX floats. The tiles are transposed, so that the columns that share a scale
/// are there, and are quantized at once.
template <class P> class ScaledBetween {
public:
  ScaledBetween(const ScaledWeights<P> &w, std::int64_t rows,
                std::int64_t block)
      : rows(rows), block(block), ahead(w.roomFor("h", rows)) {}

  /// put(r, n, tile) has rows n .. of the transpose, and columns m + r ..: the
  /// last of an odd number twice.
  void forBlocks(auto make) const {
    tiles("m", rows, block, [&](Index m, std::int64_t count) {
      make(
          m, count,
          [&](std::int64_t r, const Index &n, const auto &tile) {
            const auto part =
                quantize_mx<typename ScaledWeights<P>::Made>(tile);
            const auto put = [&](const auto &to, Index row, const auto &its) {
              store(to.rows_at(row, its.dim(0)).cols_at(m + r, its.dim(1)),
                    its);
            };
            put(ahead.data, n / 4, part.data);
            put(ahead.scales, n / 32, part.scales);
          },
          [](const Index &, std::int64_t) {});
    });
  }

  typename ScaledWeights<P>::Ahead quantized() const { return ahead; }

private:
  std::int64_t rows, block;
  typename ScaledWeights<P>::Ahead ahead;
};

template <class T>
using BetweenProducts =
    std::conditional_t<isa::isPacked(T::dtype), ScaledBetween<T>,
                       EightBitBetween<T>>;

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_BETWEEN_PRODUCTS_H
