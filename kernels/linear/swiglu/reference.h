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
#include "support/plain_product.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kiln::kernels {

template <class T>
void SwiGlu<T>::reference(Doubles x, Doubles wg, Doubles wu, Doubles wd,
                          Doubles y) const {
  const std::int64_t rows = x.dim(0);
  std::vector<double> gate(static_cast<std::size_t>(rows * inner)), up = gate;
  addProduct(x, wg, {gate.data(), inner}, rows, hidden, inner);
  addProduct(x, wu, {up.data(), inner}, rows, hidden, inner);
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] *= up[i] / (1 + std::exp(-gate[i]));
  std::fill(y.begin(), y.end(), 0.0);
  addProduct({gate.data(), inner}, wd, y, rows, inner, hidden);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_REFERENCE_H
