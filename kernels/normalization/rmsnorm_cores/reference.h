//===- reference.h - RMS normalisation, in plain loops --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_RMSNORM_CORES_REFERENCE_H
#define KILN_KERNELS_NORMALIZATION_RMSNORM_CORES_REFERENCE_H

#include "normalization/rmsnorm_cores/kernel.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void RmsNormCores<T>::reference(Doubles x, Doubles gamma, Doubles y) const {
  for (std::int64_t r = 0; r < x.dim(0); ++r) {
    double squares = 0;
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      squares += x(r, c) * x(r, c);
    const double root = plain::sqrt(squares / x.dim(1) + epsilon);
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      y(r, c) = x(r, c) / root * gamma[c];
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_RMSNORM_CORES_REFERENCE_H
