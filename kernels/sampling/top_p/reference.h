//===- reference.h - A word of the likeliest ones, in plain loops ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_SAMPLING_TOP_P_REFERENCE_H
#define KILN_KERNELS_SAMPLING_TOP_P_REFERENCE_H

#include "sampling/top_p/kernel.h"
#include "sampling/vocabulary_top_k/reference.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void TopP<T>::reference(Doubles x, Doubles uniform, Doubles probabilities,
                        Doubles places, Doubles word, Doubles mass) const {
  // The logits first, in the place of what is made of them.
  VocabularyTopK<T>{rows, words, k}.reference(x, probabilities, places);
  for (std::int64_t r = 0; r < rows; ++r) {
    const double largest = probabilities(r, 0);
    double all = 0, sum = 0;
    for (std::int64_t i = 0; i < k; ++i)
      all += probabilities(r, i) =
          plain::exp((probabilities(r, i) - largest) / double(temperature));
    if (whole) {
      all = 0;
      for (std::int64_t i = 0; i < words; ++i)
        all += plain::exp((x(r, i) - largest) / double(temperature));
    }
    std::int64_t kept = 0;
    for (; kept < k && sum < double(p) * all; ++kept)
      sum += probabilities(r, kept);
    if (whole)
      mass(r, 0) = sum / all;
    double passed = 0;
    std::int64_t chosen = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      const double weight = i < kept ? probabilities(r, i) : 0;
      passed += weight;
      if (i + 1 < kept && passed <= uniform(r, 0) * sum)
        chosen = i + 1;
      probabilities(r, i) = weight / sum;
    }
    word(r, 0) = places(r, chosen);
  }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_SAMPLING_TOP_P_REFERENCE_H
