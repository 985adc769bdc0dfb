//===- normed_rows.h - RMSNorm of what is quantized on chip ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORMED_ROWS_H
#define KILN_KERNELS_LINEAR_NORMED_ROWS_H

#include "kiln/kiln.h"
#include "linear/quantized_weights.h"
#include "support/list.h"

#include <cstdint>

namespace kiln::kernels {

/// norm(x), or x, as a product with Weights takes it before it is quantized.
template <class Weights> struct NormedRows {
  In<bf16, 2> x;
  In<bf16, 1> gamma;
  bool norm;
  float epsilon;

  std::int64_t hidden() const { return x.dim(1); }

  Tile<f32, -1, 1> rootOf(const auto &rows) const {
    return rsqrt(row_mean(square(rows)) + epsilon);
  }

  /// A few rows, transposed.
  PiecesOfRows transposed() const {
    PiecesOfRows result;
    List<Tile<f32, 1, -1>> roots;
    if (norm)
      roots.push_back(Weights::paired(transpose(rootOf(load(x)))));
    BlockedProduct<bf16>::forPieces(
        hidden(), Weights::piece, [&](std::int64_t k, std::int64_t size) {
          auto t = Weights::transposed(x, k, size);
          if (!norm)
            return result.push_back(t);
          auto its = load(gamma.reshape(hidden(), 1_c).rows_at(k, size));
          return result.push_back(cast<bf16>(t * its * roots[0]));
        });
    return result;
  }

  /// use(rows): rows(m, count) is a block of up to 128.
  void withRows(auto use) const {
    List<Tile<bf16, -1, -1>> factorsOfColumns;
    if (norm)
      factorsOfColumns.push_back(
          load(gamma.reshape(1_c, hidden()).broadcast(0_c, 128)));
    use([&](const Index &m, std::int64_t count) {
      auto rows = load(x.rows_at(m, count));
      if (!norm)
        return rows;
      auto root = rootOf(rows);
      return cast<bf16>(rows * root * factorsOfColumns[0].rows_at(0, count));
    });
  }
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORMED_ROWS_H
