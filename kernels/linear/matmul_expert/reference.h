//===- reference.h - That of matmul --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_MATMUL_EXPERT_REFERENCE_H
#define KILN_KERNELS_LINEAR_MATMUL_EXPERT_REFERENCE_H

#include "linear/matmul/reference.h"
#include "linear/matmul_expert/kernel.h"

namespace kiln::kernels {

template <class T>
void MatmulExpert<T>::reference(Doubles a, Doubles b, Doubles c) const {
  Matmul<T>::template of<Matmul<T>>(m, k, n).reference(a, b, {}, {}, {}, {}, c,
                                                       {});
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_MATMUL_EXPERT_REFERENCE_H
