//===- reference.h - Layer normalisation, in plain loops ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_LAYERNORM_REFERENCE_H
#define KILN_KERNELS_NORMALIZATION_LAYERNORM_REFERENCE_H

#include "normalization/layernorm/kernel.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void LayerNorm<T>::reference(Doubles x, Doubles gamma, Doubles beta,
                             Doubles y) const {
  const auto count = static_cast<double>(x.dim(1));
  for (std::int64_t r = 0; r < x.dim(0); ++r) {
    double sum = 0, squares = 0;
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      sum += x(r, c);
    const double mean = sum / count;
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      squares += (x(r, c) - mean) * (x(r, c) - mean);
    const double root = plain::sqrt(squares / count + epsilon);
    for (std::int64_t c = 0; c < x.dim(1); ++c)
      y(r, c) = (x(r, c) - mean) / root * (weight ? gamma[c] : 1) +
                (bias ? beta[c] : 0);
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_LAYERNORM_REFERENCE_H
