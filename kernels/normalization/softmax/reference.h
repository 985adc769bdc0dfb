//===- reference.h - Row softmax, in plain loops --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_SOFTMAX_REFERENCE_H
#define KILN_KERNELS_NORMALIZATION_SOFTMAX_REFERENCE_H

#include "normalization/softmax/kernel.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T> void Softmax<T>::reference(Doubles x, Doubles y) const {
  for (std::int64_t r = 0; r < x.dim(0); ++r) {
    const double *in = &x(r, 0);
    const double largest = plain::largest(in, in + x.dim(1));
    double sum = 0;
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      sum += y(r, c) = plain::exp(x(r, c) - largest);
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      y(r, c) /= sum;
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_SOFTMAX_REFERENCE_H
