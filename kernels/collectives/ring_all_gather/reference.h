//===- reference.h - The gathered tensor, in plain loops ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_RING_ALL_GATHER_REFERENCE_H
#define KILN_KERNELS_COLLECTIVES_RING_ALL_GATHER_REFERENCE_H

#include "collectives/ring_all_gather/kernel.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void RingAllGather<T>::reference(const DoublesOfRanks &x,
                                 const DoublesOfRanks &y) const {
  for (std::size_t r = 0; r < y.size(); ++r) {
    double *to = y[r].begin();
    for (std::size_t other = 0; other < x.size(); ++other)
      to = plain::copy(x[other].begin(), x[other].end(), to);
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_RING_ALL_GATHER_REFERENCE_H
