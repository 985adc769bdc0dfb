//===- reference.h - Scattered sums of products, in plain loops -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_REFERENCE_H
#define KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_REFERENCE_H

#include "collectives/matmul_reduce_scatter/kernel.h"
#include "support/parallel_for.h"

namespace kiln::kernels {

template <class T>
void MatmulReduceScatter<T>::reference(const DoublesOfRanks &x,
                                       const DoublesOfRanks &w,
                                       const DoublesOfRanks &y) const {
  for (std::size_t rank = 0; rank < y.size(); ++rank)
    parallelFor(rows, [&](std::int64_t row) {
      const std::int64_t from = static_cast<std::int64_t>(rank) * rows + row;
      for (std::int64_t j = 0; j < n; ++j)
        y[rank](row, j) = 0;
      for (std::size_t other = 0; other < x.size(); ++other)
        for (std::int64_t i = 0; i < k; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            y[rank](row, j) += x[other](from, i) * w[other](i, j);
    });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_REFERENCE_H
