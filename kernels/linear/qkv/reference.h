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
#include "support/plain_product.h"

namespace kiln::kernels {

template <class T>
void Qkv<T>::reference(Doubles x, Doubles w, Doubles b, Doubles y) const {
  for (std::int64_t t = 0; t < x.dim(0); ++t)
    for (std::int64_t j = 0; j < w.dim(1); ++j)
      y(t, j) = bias ? b[j] : 0;
  addProduct(x, w, y, x.dim(0), x.dim(1), w.dim(1));
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
