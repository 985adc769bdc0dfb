//===- reference.h - The projection, in plain loops -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QKV_REFERENCE_H
#define KILN_KERNELS_LINEAR_QKV_REFERENCE_H

#include "linear/qkv/kernel.h"
#include "support/parallel_for.h"

namespace kiln::kernels {

template <class T>
void Qkv<T>::reference(Doubles x, Doubles w, Doubles b, Doubles y) const {
  parallelFor(x.dim(0), [&](std::int64_t t) {
    for (std::int64_t j = 0; j < w.dim(1); ++j)
      y(t, j) = bias ? b[j] : 0;
    for (std::int64_t k = 0; k < x.dim(1); ++k)
      for (std::int64_t j = 0; j < w.dim(1); ++j)
        y(t, j) += x(t, k) * w(k, j);
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QKV_REFERENCE_H
