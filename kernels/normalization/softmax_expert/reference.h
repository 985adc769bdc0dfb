//===- reference.h - That of softmax -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_NORMALIZATION_SOFTMAX_EXPERT_REFERENCE_H
#define KILN_KERNELS_NORMALIZATION_SOFTMAX_EXPERT_REFERENCE_H

#include "normalization/softmax/reference.h"
#include "normalization/softmax_expert/kernel.h"

namespace kiln::kernels {

template <class T>
void SoftmaxExpert<T>::reference(Doubles x, Doubles y) const {
  Softmax<T>{rows, cols}.reference(x, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_NORMALIZATION_SOFTMAX_EXPERT_REFERENCE_H
