//===- reference.h - One-hot rows, in plain loops -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_EMBEDDING_ONE_HOT_REFERENCE_H
#define KILN_KERNELS_EMBEDDING_ONE_HOT_REFERENCE_H

#include "embedding/one_hot/kernel.h"

namespace kiln::kernels {

template <class T> void OneHot<T>::reference(Doubles ids, Doubles y) const {
  for (std::int64_t t = 0; t < tokens; ++t)
    if (ids(t, 0) >= 0 && ids(t, 0) < words)
      y(t, static_cast<std::int64_t>(ids(t, 0))) = 1;
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_EMBEDDING_ONE_HOT_REFERENCE_H
