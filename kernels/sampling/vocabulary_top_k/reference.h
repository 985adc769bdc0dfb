//===- reference.h - Largest logits of a vocabulary, in plain loops -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_REFERENCE_H
#define KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_REFERENCE_H

#include "sampling/vocabulary_top_k/kernel.h"
#include "support/list.h"
#include <algorithm> // Slow: sorts all words.
#include <numeric>   // Slow: numbers them.

namespace kiln::kernels {

template <class T>
void VocabularyTopK<T>::reference(Doubles x, Doubles values,
                                  Doubles places) const {
  for (std::int64_t r = 0; r < rows; ++r) {
    List<std::int64_t> order(static_cast<std::size_t>(words));
    std::iota(order.begin(), order.end(), 0);
    // The largest first, of equal ones the one in front; NaN is the last.
    const auto is_nan = [&](std::int64_t word) {
      return x(r, word) != x(r, word);
    };
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      if (is_nan(a) != is_nan(b))
        return is_nan(b);
      return x(r, a) > x(r, b) || (!(x(r, a) < x(r, b)) && a < b);
    });
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t word = order[static_cast<std::size_t>(i)];
      values(r, i) = x(r, word);
      places(r, i) = is_nan(word) ? dsl::noPlace : double(word);
    }
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SAMPLING_VOCABULARY_TOP_K_REFERENCE_H
