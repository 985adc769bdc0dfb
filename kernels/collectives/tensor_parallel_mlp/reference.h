//===- reference.h - A feed-forward layer on several ranks, plain loops ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_COLLECTIVES_TENSOR_PARALLEL_MLP_REFERENCE_H
#define KILN_KERNELS_COLLECTIVES_TENSOR_PARALLEL_MLP_REFERENCE_H

#include "collectives/tensor_parallel_mlp/kernel.h"
#include "linear/norm_mlp/reference.h"
#include "support/list.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void TensorParallelMlp<T>::reference(const DoublesOfRanks &x,
                                     const DoublesOfRanks &gamma,
                                     const DoublesOfRanks &wg,
                                     const DoublesOfRanks &wu,
                                     const DoublesOfRanks &wd,
                                     const DoublesOfRanks &y) const {
  List<double> sum(y[0].size());
  for (std::size_t rank = 0; rank < y.size(); ++rank) {
    part().reference(x[rank], gamma[rank], wg[rank], wu[rank], wd[rank], {}, {},
                     {}, y[rank]);
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += y[rank][i];
  }
  for (std::size_t rank = 0; rank < y.size(); ++rank)
    plain::copy(sum.begin(), sum.end(), y[rank].begin());
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_COLLECTIVES_TENSOR_PARALLEL_MLP_REFERENCE_H
