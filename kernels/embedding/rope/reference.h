//===- reference.h - Rotary position embedding, in plain loops ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_EMBEDDING_ROPE_REFERENCE_H
#define KILN_KERNELS_EMBEDDING_ROPE_REFERENCE_H

#include "embedding/rope/kernel.h"

namespace kiln::kernels {

template <class T>
void Rope<T>::reference(Doubles x, Doubles cos, Doubles sin, Doubles y) const {
  const std::int64_t pairs = head_dim / 2;
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t first = interleaved ? 2 * i : i;
        const std::int64_t second = interleaved ? 2 * i + 1 : i + pairs;
        const double c = cos(t, i), s = inverse ? -sin(t, i) : sin(t, i);
        y(t, h, first) = x(t, h, first) * c - x(t, h, second) * s;
        y(t, h, second) = x(t, h, second) * c + x(t, h, first) * s;
      }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_EMBEDDING_ROPE_REFERENCE_H
