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
#include "linear/qkv/scaled.h"
#include "linear/scaled_reference.h"
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

template <class P>
void QkvScaled<P>::reference(Doubles x, Doubles x_data, Doubles x_scales,
                             Doubles w, Doubles w_scales, Doubles b,
                             Doubles y) const {
  scaledProduct(ready ? unpacked(x_data, x_scales) : quantized<P>(x),
                unpacked(w, w_scales), b, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QKV_REFERENCE_H
