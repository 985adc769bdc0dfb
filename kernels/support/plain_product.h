//===- plain_product.h - A product of matrices for references -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SUPPORT_PLAIN_PRODUCT_H
#define KILN_KERNELS_SUPPORT_PLAIN_PRODUCT_H

#include "support/parallel_for.h"

#include "kiln/isa/rounding.h"
#include "support/plain.h"

#include <kiln/kiln.h>

namespace kiln::kernels {

/// The rows of a matrix, `step` elements apart.
struct PlainRows {
  double *first;
  std::int64_t step;

  PlainRows(double *first, std::int64_t step) : first(first), step(step) {}
  /// Of a tensor [rows, cols].
  PlainRows(const Doubles &tensor) : PlainRows(tensor.begin(), tensor.dim(1)) {}
  double *operator[](std::int64_t row) const { return first + row * step; }
};

/// c += a b, where a is [rows, depth] and b is [depth, cols]. Each element adds
/// its terms in the order of the depth, as three plain loops would. But 16 rows
/// go together, and 512 columns: else each row would read all of b from the
/// host's memory.
inline void addProduct(PlainRows a, PlainRows b, PlainRows c, std::int64_t rows,
                       std::int64_t depth, std::int64_t cols) {
  constexpr std::int64_t height = 16, width = 512;
  parallelFor(isa::ceilDiv(rows, height), [&](std::int64_t block) {
    const std::int64_t end = plain::min(rows, (block + 1) * height);
    for (std::int64_t left = 0; left < cols; left += width)
      for (std::int64_t k = 0; k < depth; ++k) {
        const double *from = b[k] + left;
        const std::int64_t count = plain::min(width, cols - left);
        for (std::int64_t i = block * height; i < end; ++i) {
          const double factor = a[i][k];
          double *to = c[i] + left;
          for (std::int64_t j = 0; j < count; ++j)
            to[j] += factor * from[j];
        }
      }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_PLAIN_PRODUCT_H
