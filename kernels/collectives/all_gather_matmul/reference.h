//===- reference.h - Rows of all ranks times w, in plain loops ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_REFERENCE_H
#define KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_REFERENCE_H

#include "collectives/all_gather_matmul/kernel.h"
#include "support/parallel_for.h"

namespace kiln::kernels {

template <class T>
void AllGatherMatmul<T>::reference(const DoublesOfRanks &x,
                                   const DoublesOfRanks &w,
                                   const DoublesOfRanks &y) const {
  for (std::size_t rank = 0; rank < y.size(); ++rank)
    parallelFor(std::int64_t(group) * rows, [&](std::int64_t row) {
      const auto &from = x[static_cast<std::size_t>(row / rows)];
      for (std::int64_t j = 0; j < n; ++j)
        y[rank](row, j) = 0;
      for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          y[rank](row, j) += from(row % rows, i) * w[rank](i, j);
    });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_REFERENCE_H
