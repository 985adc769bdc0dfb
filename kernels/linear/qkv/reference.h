//===- reference.h - The projection, in plain loops -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_QKV_REFERENCE_H
#define KILN_KERNELS_LINEAR_QKV_REFERENCE_H

#include "linear/epilogue_reference.h"
#include "linear/head_major_reference.h"
#include "linear/qkv/kernel.h"
#include "linear/qkv/scaled.h"
#include "linear/scaled_reference.h"
#include "support/plain.h"
#include "support/plain_product.h"

namespace kiln::kernels {

template <class T>
void Qkv<T>::reference(Doubles x, Doubles w, Doubles x_scales, Doubles w_scales,
                       Doubles b, Doubles y, Doubles y_heads) const {
  withTokenMajor(y, y_heads, [&](Doubles rows) {
    plain::fill(rows.begin(), rows.end(), 0.0);
    addProduct(x, w, rows, x.dim(0), x.dim(1), w.dim(1));
    finishProduct(rows, Activation::none, b, {}, x_scales, w_scales);
  });
}

template <class P>
void QkvScaled<P>::reference(Doubles x, Doubles x_data, Doubles x_scales,
                             Doubles w, Doubles w_scales, Doubles b, Doubles y,
                             Doubles y_heads) const {
  withTokenMajor(y, y_heads, [&](Doubles rows) {
    scaledProduct(ready ? unpacked(x_data, x_scales)
                        : quantized<MadeOnChip<P>>(x),
                  unpacked(w, w_scales), rows);
    finishProduct(rows, Activation::none, b, {}, {}, {});
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_QKV_REFERENCE_H
