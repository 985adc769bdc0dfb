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

/// c += a b, where b is [depth, cols] and a, the value of a(row, k), is [rows,
/// depth]. Each element adds its terms in the order of the depth, as three
/// plain loops would. But 16 rows go together, and 512 columns: else each row
/// would read all of b from the host's memory. So do four terms: an element of
/// c is read and written once for them.
template <class Factor>
void addProductOf(const Factor &a, PlainRows b, PlainRows c, std::int64_t rows,
                  std::int64_t depth, std::int64_t cols) {
  constexpr std::int64_t height = 16, width = 512;
  parallelFor(isa::ceilDiv(rows, height), [&](std::int64_t block) {
    const std::int64_t end = plain::min(rows, (block + 1) * height);
    for (std::int64_t left = 0; left < cols; left += width) {
      const std::int64_t count = plain::min(width, cols - left);
      std::int64_t k = 0;
      for (; k + 4 <= depth; k += 4) {
        const double *const b0 = b[k] + left, *const b1 = b[k + 1] + left;
        const double *const b2 = b[k + 2] + left, *const b3 = b[k + 3] + left;
        for (std::int64_t i = block * height; i < end; ++i) {
          const double a0 = a(i, k), a1 = a(i, k + 1);
          const double a2 = a(i, k + 2), a3 = a(i, k + 3);
          double *to = c[i] + left;
          for (std::int64_t j = 0; j < count; ++j)
            to[j] = to[j] + a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
        }
      }
      for (; k < depth; ++k)
        for (std::int64_t i = block * height; i < end; ++i)
          for (std::int64_t j = left; j < left + count; ++j)
            c[i][j] += a(i, k) * b[k][j];
    }
  });
}

/// c += a b, where a is [rows, depth] and b is [depth, cols].
inline void addProduct(PlainRows a, PlainRows b, PlainRows c, std::int64_t rows,
                       std::int64_t depth, std::int64_t cols) {
  addProductOf([a](std::int64_t i, std::int64_t k) { return a[i][k]; }, b, c,
               rows, depth, cols);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SUPPORT_PLAIN_PRODUCT_H
