//===- reference.h - A product, in plain loops ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_REFERENCE_H
#define KILN_KERNELS_LINEAR_MATMUL_REFERENCE_H

#include "linear/matmul/kernel.h"
#include "linear/matmul/scaled.h"
#include "linear/scaled_reference.h"
#include "support/plain.h"
#include "support/plain_product.h"

namespace kiln::kernels {

template <class T>
void Matmul<T>::reference(Doubles a, Doubles b, Doubles c) const {
  plain::fill(c.begin(), c.end(), 0.0);
  addProduct(a, b, c, a.dim(0), a.dim(1), b.dim(1));
}

template <class P>
void MatmulScaled<P>::reference(Doubles a, Doubles b, Doubles b_scales,
                                Doubles c) const {
  scaledProduct(quantized<P>(a), unpacked(b, b_scales), Doubles(), c);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_REFERENCE_H
