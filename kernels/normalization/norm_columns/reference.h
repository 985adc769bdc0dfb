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

namespace kiln::kernels {

template <class T>
void NormColumns<T>::reference(Doubles x, Doubles gamma, Doubles y) const {
  for (std::int64_t t = 0; t < tokens; ++t) {
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < hidden; ++i)
      sum += x(i, t);
    const double mean = centred ? sum / hidden : 0;
    for (std::int64_t i = 0; i < hidden; ++i)
      squares += (x(i, t) - mean) * (x(i, t) - mean);
    const double root = plain::sqrt(squares / hidden + double(epsilon));
    for (std::int64_t i = 0; i < hidden; ++i)
      y(i, t) = (x(i, t) - mean) / root * gamma[i];
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_NORM_COLUMNS_REFERENCE_H
