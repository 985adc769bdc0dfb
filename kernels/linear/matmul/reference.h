//===- reference.h - A product, in plain loops ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_REFERENCE_H
#define KILN_KERNELS_LINEAR_MATMUL_REFERENCE_H

#include "linear/epilogue_reference.h"
#include "linear/matmul/kernel.h"
#include "linear/matmul/scaled.h"
#include "linear/scaled_reference.h"
#include "support/plain.h"
#include "support/plain_product.h"

namespace kiln::kernels {

template <class T>
void Matmul<T>::reference(Doubles a, Doubles b, Doubles a_scales,
                          Doubles b_scales, Doubles d, Doubles r, Doubles own,
                          Doubles other) const {
  const Doubles c = own.size() > 0 ? own : other;
  plain::fill(c.begin(), c.end(), 0.0);
  addProduct(a, b, c, a.dim(0), a.dim(1), b.dim(1));
  finishProduct(c, activation, d, r, a_scales, b_scales, double(factor));
}

template <class P>
void MatmulScaled<P>::reference(Doubles a, Doubles a_data, Doubles a_scales,
                                Doubles b, Doubles b_scales, Doubles d,
                                Doubles r, Doubles own, Doubles other) const {
  const Doubles c = own.size() > 0 ? own : other;
  scaledProduct(ready ? unpacked(a_data, a_scales)
                      : quantized<MadeOnChip<P>>(a),
                unpacked(b, b_scales), c);
  finishProduct(c, activation, d, r, {}, {}, double(factor));
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_REFERENCE_H
