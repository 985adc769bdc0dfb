//===- standardised.h - Rows with mean 0 and deviation 1 ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_STANDARDISED_H
#define KILN_KERNELS_NORMALIZATION_STANDARDISED_H

#include "kiln/kiln.h"

#include <type_traits>

namespace kiln::kernels {

/// Rows of T, less their means, over their deviations: LayerNorm before its
/// factors.
template <class T> auto standardised(const auto &rows, double epsilon) {
  auto differences = rows - row_mean(rows);
  if constexpr (std::is_same_v<T, f32>) {
    // A mean is rounded to f32, and what it is off by is the mean of the
    // differences. Beside a large mean, that is more than f32 allows. 16-bit
    // numbers lie too far apart there for it to matter.
    auto off = row_mean(differences);
    auto variance = row_mean(square(differences)) - square(off);
    return (differences - off) * rsqrt(max(variance, 0.0) + epsilon);
  } else {
    auto scale = rsqrt(row_mean(square(differences)) + epsilon);
    return differences * scale;
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_STANDARDISED_H
