//===- weighted.h - Rows that are normalised later ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_WEIGHTED_H
#define KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_WEIGHTED_H

#include "kiln/kiln.h"
#include "support/optional_argument.h"

#include <cstdint>

namespace kiln::kernels {

/// (x + residual) * gamma: norm(x + residual) but for a factor per row, which
/// needs no pass of its own.
struct WeightedRows {
  In<bf16, 2> x, residual;
  In<bf16, 1> gamma;
  Out<bf16, 2> sum;
  bool hasResidual;
  float epsilon;
  bool wantsMost; ///< Whether unitOf calls mostOf.

  static constexpr std::int64_t tile = 128;
  /// Longest row whose tiles fit on chip, and parts of longer ones.
  static constexpr std::int64_t longest = 8192, block = 2048;

  static void describe(Signature &s, std::int64_t rows, std::int64_t cols,
                       bool hasResidual) {
    s.argument("x", {rows, cols});
    optionalArgument(s, hasResidual, "residual", {rows, cols});
    s.argument("gamma", {cols});
    optionalArgument(s, hasResidual, "sum", {rows, cols});
  }

  std::int64_t cols() const { return x.dim(1); }
  bool areShort() const { return cols() <= longest; }

  /// A part of some rows, before the norm.
  Tile<bf16, -1, -1> loaded(Index r, std::int64_t n, Index c,
                            std::int64_t w) const {
    const auto at = [&](const auto &t) {
      return t.rows_at(r, n).cols_at(c, w);
    };
    if (!hasResidual)
      return load(at(x));
    return cast<bf16>(load(at(x)) + load(at(residual)));
  }
  Tile<bf16, -1, -1> loadedFirst(Index r, std::int64_t n, Index c,
                                 std::int64_t w) const {
    auto t = loaded(r, n, c, w);
    if (hasResidual)
      store(sum.rows_at(r, n).cols_at(c, w), t);
    return t;
  }

  Tile<bf16, -1, -1> factors(Index c, std::int64_t w) const {
    return load(gamma.reshape(1_c, cols()).cols_at(c, w).broadcast(0_c, tile));
  }

  Tile<f32, -1, 1> rootOf(const auto &squares) const {
    return rsqrt(squares * (1.0 / double(cols())) + epsilon);
  }

  /// For each block of rows: unitOf(r, root, mostOf), where mostOf() is their
  /// largest magnitudes; and put(r, c, values, unit) for all parts of them.
  void forRows(auto unitOf, auto put) const {
    if (areShort()) {
      const auto its = factors(0, cols());
      tiles("rows", x.dim(0), tile, [&](Index r, std::int64_t n) {
        auto t = loadedFirst(r, n, 0, cols());
        auto root = rootOf(row_sum(square(t)));
        auto values = cast<bf16>(t * its.rows_at(0, n));
        const auto mostOf = [&] { return row_max(abs(values)); };
        const auto unit = unitOf(r, root, mostOf);
        put(r, 0, values, unit);
      });
      return;
    }
    tiles("rows", x.dim(0), tile, [&](Index r, std::int64_t n) {
      const auto valuesOf = [&](const auto &t, Index c, std::int64_t w) {
        return cast<bf16>(t * factors(c, w).rows_at(0, n));
      };
      auto squares = zeros<f32>(n, 1_c), most = zeros<f32>(n, 1_c);
      tiles("measure", cols(), block, [&](Index c, std::int64_t w) {
        auto t = loadedFirst(r, n, c, w);
        squares = squares + row_sum(square(t));
        if (wantsMost) {
          auto values = valuesOf(t, c, w);
          most = max(most, row_max(abs(values)));
        }
      });
      const auto mostOf = [&] { return copy(most); };
      const auto root = rootOf(squares);
      const auto unit = unitOf(r, root, mostOf);
      tiles("out", cols(), block, [&](Index c, std::int64_t w) {
        auto t = loaded(r, n, c, w);
        put(r, c, valuesOf(t, c, w), unit);
      });
    });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_WEIGHTED_H
