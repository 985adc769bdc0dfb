//===- quantized_mlp.h - The gated layer of weights of 8 and 4 bits -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QUANTIZED_MLP_H
#define KILN_KERNELS_LINEAR_QUANTIZED_MLP_H

#include "kiln/kiln.h"
#include "linear/between_products.h"
#include "linear/epilogue.h"
#include "linear/gate.h"
#include "linear/mlp_biases.h"
#include "linear/quantized_weights.h"
#include "support/list.h"
#include "support/share_of_core.h"

#include <cstdint>

namespace kiln::kernels {

/// y = (silu(x wg + bg) * (x wu + bu)) wd, and what comes `after`, with weights
/// that are quantized ahead to T. What wd multiplies is quantized on chip.
template <class T> struct QuantizedMlp {
  using Weights = QuantizedWeights<T>;

  std::int64_t tokens;
  Weights gate, up, down;
  MlpBiases<bf16> biases;
  Gate function;
  Epilogue<bf16> after;
  Out<bf16, 2> y;

  std::int64_t hidden() const { return y.dim(1); }
  std::int64_t inner() const { return down.depth(); }

  /// Of x, which is on chip: up to 128 tokens. Two cores have half of the
  /// columns of each product. What wd multiplies is where both can read it.
  void few(const auto &x) const {
    auto kept = ShareOfCore::scratch<bf16>("h", tokens, inner());
    const ShareOfCore mine = ShareOfCore::half("inner", inner());
    tiles("inner", mine.count, gate.columnsOfStream(),
          [&](Index block, std::int64_t cols) {
            const Index n = block + mine.first;
            const Beside forGate(gate, n, cols, tokens, ofRow(biases.gate)),
                forUp(up, n, cols, tokens, ofRow(biases.up));
            List<Tile<f32, -1, -1>> gates;
            gate.stream(
                x, n, cols, tokens, [&](std::int64_t c, const auto &sum) {
                  gates.push_back(function.of(forGate.of(sum, x, 0, c)));
                });
            up.stream(x, n, cols, tokens, [&](std::int64_t c, const auto &sum) {
              const auto &scale = gates[std::size_t(c / 512)];
              function.withUp(forUp.of(sum, x, 0, c), [&](const auto &its) {
                store(kept.cols_at(n + c, sum.dim(1)), scale * its);
              });
            });
          });
    ShareOfCore::meet(kept);
    PiecesOfRows pieces;
    BlockedProduct<bf16>::forPieces(
        inner(), Weights::piece, [&](std::int64_t k, std::int64_t size) {
          pieces.push_back(Weights::transposed(kept, k, size));
        });
    const auto h = down.quantized(pieces);
    const ShareOfCore out = ShareOfCore::half("hidden", hidden());
    tiles("n", out.count, down.columnsOfStream(),
          [&](Index block, std::int64_t cols) {
            const Index n = block + out.first;
            const Beside forDown(down, n, cols, tokens, {});
            down.stream(h, n, cols, tokens,
                        [&](std::int64_t c, const auto &sum) {
                          after.put(y, 0, n + c, forDown.of(sum, h, 0, c));
                        });
          });
  }

  /// Of many tokens, which are in HBM.
  void many(const typename Weights::Ahead &x) const {
    ShareOfCore::requireFew(tokens);
    const BetweenProducts<T> between(down, tokens, gate.rowsAtOnce(x));
    between.forBlocks(
        [&](const Index &m, std::int64_t count, auto put, auto beside) {
          gate.withRows(x, m, count, [&](const auto &rows) {
            tiles("inner", inner(), gate.columnsAtOnce(tokens),
                  [&](Index n, std::int64_t cols) {
                    gatedColumns(rows, count, n, cols, put);
                    beside(n, cols);
                  });
          });
        });
    down.forBlocks(between.quantized(), tokens,
                   [&](const Index &m, std::int64_t count, const auto &h) {
                     tiles("n", hidden(), down.columnsBeside(),
                           [&](Index n, std::int64_t cols) {
                             const auto right = down.columns(n, cols);
                             const Beside its(down, n, cols, tokens, {});
                             Weights::forProducts(
                                 h, right, count, cols,
                                 [&](std::int64_t r, const auto &sum) {
                                   after.put(y, m + r, n, its.of(sum, h, r, 0));
                                 });
                           });
                   });
  }

private:
  /// Columns n .. of what wd multiplies: transposed, if they are to share
  /// scales.
  void gatedColumns(const auto &rows, std::int64_t count, const Index &n,
                    std::int64_t cols, auto put) const {
    if constexpr (isa::isPacked(T::dtype))
      gatedTurned(rows, count, n, cols, put);
    else
      gated(rows, count, n, cols, put);
  }

  void gatedTurned(const auto &rows, std::int64_t count, const Index &n,
                   std::int64_t cols, auto put) const {
    const auto g = gate.columns(n, cols), u = up.columns(n, cols);
    const auto forGate = ofColumns(biases.gate, n, cols),
               forUp = ofColumns(biases.up, n, cols);
    BlockedProduct<bf16>::forPieces(
        Weights::Product::even(count), 512,
        [&](std::int64_t r, std::int64_t width) {
          const auto of = [&](const auto &right, const auto &bias) {
            auto sum = Weights::turnedProduct(rows, right, r, width, cols);
            if (bias.size() > 0)
              sum = sum + bias[0];
            return sum;
          };
          auto scale = function.of(of(g, forGate));
          function.withUp(of(u, forUp),
                          [&](const auto &its) { put(r, n, scale * its); });
        });
  }

  void gated(const auto &rows, std::int64_t count, const Index &n,
             std::int64_t cols, auto put) const {
    const auto g = gate.columns(n, cols), u = up.columns(n, cols);
    const Beside forGate(gate, n, cols, tokens, ofRow(biases.gate)),
        forUp(up, n, cols, tokens, ofRow(biases.up));
    BlockedProduct<bf16>::forPieces(
        count, 128, [&](std::int64_t r, std::int64_t height) {
          const auto of = [&](const auto &right, const Beside &beside) {
            return beside.of(Weights::product(rows, right, r, height, cols),
                             rows, r, 0);
          };
          auto scale = function.of(of(g, forGate));
          function.withUp(of(u, forUp),
                          [&](const auto &its) { put(r, n, scale * its); });
        });
  }

  /// [1, N], or nothing.
  List<In<bf16, 2>> ofRow(const In<bf16, 1> &bias) const {
    List<In<bf16, 2>> result;
    if (biases.areGiven)
      result.push_back(bias.reshape(1_c, bias.dim(0)));
    return result;
  }

  /// [N, 1], or nothing.
  List<Tile<bf16, -1, -1>> ofColumns(const In<bf16, 1> &bias, const Index &n,
                                     std::int64_t cols) const {
    List<Tile<bf16, -1, -1>> result;
    if (biases.areGiven)
      result.push_back(
          load(bias.reshape(bias.dim(0), std::int64_t(1)).rows_at(n, cols)));
    return result;
  }

  /// What is applied to some columns of a product: the scales of w and a bias.
  struct Beside {
    const Weights &w;
    List<Tile<f32, -1, -1>> factors;
    List<Tile<bf16, -1, -1>> bias;

    Beside(const Weights &w, const Index &n, std::int64_t cols,
           std::int64_t rows, const List<In<bf16, 2>> &its)
        : w(w), factors(w.factorsOf(n, cols, rows)) {
      for (const auto &row : its)
        bias.push_back(load(row.cols_at(n, cols).broadcast(
            0_c, plain::min<std::int64_t>(rows, 128))));
    }

    /// Rows r .. of `left`, and columns c .. of these.
    Tile<f32, -1, -1> of(const auto &sum, const auto &left, std::int64_t r,
                         std::int64_t c) const {
      Tile<f32, -1, -1> result = w.scaled(sum, left, r, factors, c);
      if (bias.size() == 0)
        return result;
      return result + bias[0].rows_at(0, sum.dim(0)).cols_at(c, sum.dim(1));
    }
  };
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QUANTIZED_MLP_H
