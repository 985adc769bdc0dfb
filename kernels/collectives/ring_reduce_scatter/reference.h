//===- reference.h - The scattered sum, in plain loops --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_RING_REDUCE_SCATTER_REFERENCE_H
#define KILN_KERNELS_COLLECTIVES_RING_REDUCE_SCATTER_REFERENCE_H

#include "collectives/ring_reduce_scatter/kernel.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void RingReduceScatter<T>::reference(const DoublesOfRanks &x,
                                     const DoublesOfRanks &y) const {
  const std::size_t ranks = y.size();
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < y[r].size(); ++i) {
      double sum = 0;
      for (std::size_t step = 1; step < ranks; ++step) // It travels on, in T.
        sum = rounded<T>(sum + x[(r + step) % ranks][r * y[r].size() + i]);
      y[r][i] = sum + x[r][r * y[r].size() + i];
    }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_RING_REDUCE_SCATTER_REFERENCE_H
