//===- reference.h - Normalisation of columns, in plain loops -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_REFERENCE_H
#define KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_REFERENCE_H

#include "normalization/norm_columns/kernel.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void NormColumns<T>::reference(Doubles x, Doubles r, Doubles gamma,
                               Doubles beta, Doubles sum, Doubles y) const {
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = rounded<T>(x[i] + r[i]);
  const Doubles of = residual ? sum : x;
  for (std::int64_t t = 0; t < tokens; ++t) {
    double total = 0, squares = 0;
    for (std::int64_t i = 0; i < hidden; ++i)
      total += of(i, t);
    const double mean = centred ? total / hidden : 0;
    for (std::int64_t i = 0; i < hidden; ++i)
      squares += (of(i, t) - mean) * (of(i, t) - mean);
    const double root = plain::sqrt(squares / hidden + double(epsilon));
    for (std::int64_t i = 0; i < hidden; ++i)
      y(i, t) = (of(i, t) - mean) / root * gamma[i] + (bias ? beta[i] : 0);
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_REFERENCE_H
