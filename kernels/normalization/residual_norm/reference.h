//===- reference.h - Residual and normalisation, in plain loops -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_RESIDUAL_NORM_REFERENCE_H
#define KILN_KERNELS_NORMALIZATION_RESIDUAL_NORM_REFERENCE_H

#include "normalization/residual_norm/kernel.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void ResidualNorm<T>::reference(Doubles x, Doubles residual, Doubles gamma,
                                Doubles beta, Doubles sum, Doubles y) const {
  for (std::int64_t r = 0; r < rows; ++r) {
    double total = 0, squares = 0;
    for (std::int64_t c = 0; c < cols; ++c)
      total += sum(r, c) = rounded<T>(x(r, c) + residual(r, c));
    const double mean = centred ? total / cols : 0;
    for (std::int64_t c = 0; c < cols; ++c)
      squares += (sum(r, c) - mean) * (sum(r, c) - mean);
    const double root = plain::sqrt(squares / cols + double(epsilon));
    for (std::int64_t c = 0; c < cols; ++c)
      y(r, c) = (sum(r, c) - mean) / root * gamma[c] + (bias ? beta[c] : 0);
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_RESIDUAL_NORM_REFERENCE_H
