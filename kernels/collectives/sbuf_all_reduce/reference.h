//===- reference.h - The sum of squares, in plain loops -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_SBUF_ALL_REDUCE_REFERENCE_H
#define KILN_KERNELS_COLLECTIVES_SBUF_ALL_REDUCE_REFERENCE_H

#include "collectives/sbuf_all_reduce/kernel.h"

namespace kiln::kernels {

template <class T>
void SbufAllReduce<T>::reference(const DoublesOfRanks &x,
                                 const DoublesOfRanks &y) const {
  for (std::size_t r = 0; r < y.size(); ++r)
    for (std::size_t i = 0; i < y[r].size(); ++i) {
      y[r][i] = 0;
      for (std::size_t other = 0; other < x.size(); ++other)
        y[r][i] += x[other][i] * x[other][i];
    }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_SBUF_ALL_REDUCE_REFERENCE_H
