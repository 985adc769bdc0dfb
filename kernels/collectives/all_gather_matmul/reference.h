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
#include "support/plain.h"
#include "support/plain_product.h"

namespace kiln::kernels {

template <class T>
void AllGatherMatmul<T>::reference(const DoublesOfRanks &x,
                                   const DoublesOfRanks &w,
                                   const DoublesOfRanks &y) const {
  for (std::size_t rank = 0; rank < y.size(); ++rank)
    for (std::size_t other = 0; other < x.size(); ++other) {
      double *block =
          y[rank].begin() + static_cast<std::int64_t>(other) * rows * n;
      plain::fill(block, block + std::int64_t(rows) * n, 0.0);
      addProduct(x[other], w[rank], {block, n}, rows, k, n);
    }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_ALL_GATHER_MATMUL_REFERENCE_H
