//===- reference.h - The feed-forward layer, in plain loops ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
#define KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H

#include "linear/swiglu/kernel.h"
#include "support/parallel_for.h"

#include <cmath>
#include <vector>

namespace kiln::kernels {

template <class T>
void SwiGlu<T>::reference(Doubles x, Doubles wg, Doubles wu, Doubles wd,
                          Doubles y) const {
  parallelFor(x.dim(0), [&](std::int64_t t) {
    std::vector<double> gate(static_cast<std::size_t>(inner)), up = gate;
    for (std::int64_t k = 0; k < hidden; ++k)
      for (std::int64_t j = 0; j < inner; ++j) {
        gate[static_cast<std::size_t>(j)] += x(t, k) * wg(k, j);
        up[static_cast<std::size_t>(j)] += x(t, k) * wu(k, j);
      }
    for (std::int64_t j = 0; j < hidden; ++j)
      y(t, j) = 0;
    for (std::int64_t i = 0; i < inner; ++i) {
      const double g = gate[static_cast<std::size_t>(i)];
      const double h = g / (1 + std::exp(-g)) * up[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < hidden; ++j)
        y(t, j) += h * wd(i, j);
    }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
