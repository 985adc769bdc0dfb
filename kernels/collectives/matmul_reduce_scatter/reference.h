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
#include "support/plain.h"
#include "support/plain_product.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void MatmulReduceScatter<T>::reference(const DoublesOfRanks &x,
                                       const DoublesOfRanks &w,
                                       const DoublesOfRanks &y) const {
  const std::size_t ranks = y.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t first = static_cast<std::int64_t>(rank) * rows;
    plain::fill(y[rank].begin(), y[rank].end(), 0.0);
    for (std::size_t step = 1; step <= ranks; ++step) {
      const std::size_t other = (rank + step) % ranks;
      addProduct({x[other].begin() + first * k, k}, w[other], y[rank], rows, k,
                 n);
      if (step < ranks) // It travels on, in T.
        roundAll<T>(y[rank]);
    }
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_MATMUL_REDUCE_SCATTER_REFERENCE_H
