//===- reference.h - Attention and its range, in plain loops --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_THRESHOLD_REFERENCE_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_THRESHOLD_REFERENCE_H

#include "attention/flash_attention/reference.h"
#include "attention/flash_attention_threshold/kernel.h"

namespace kiln::kernels {

/// The output does not depend on the range of the sums; `outside` counts them.
template <class T>
void FlashAttentionThreshold<T>::reference(Doubles q, Doubles k, Doubles v,
                                           Doubles o, Doubles outside) const {
  FlashAttention<T>{heads,  kv_heads, seq_q, seq_k, head_dim,
                    causal, scale,    0,     0}
      .reference(q, k, v, o);
  const auto score = [&](std::int64_t h, std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (std::int64_t c = 0; c < head_dim; ++c)
      sum += q(h, i, c) * k(h / (heads / kv_heads), j, c);
    return factor() * sum;
  };
  const double most = plain::ldexp(1, threshold);
  parallelFor(std::int64_t{heads} * seq_q / group, [&](std::int64_t part) {
    const std::int64_t h = part / (seq_q / group);
    const std::int64_t first = part % (seq_q / group) * group;
    double largest = score(h, first, 0);
    for (std::int64_t i = first; i < first + group; ++i)
      for (std::int64_t j = 0; j < sample; ++j)
        if (const double x = score(h, i, j);
            largest == largest && !(x <= largest)) // NaN stays.
          largest = x;
    outside(h, first / tile) = outside(h, first / tile + 1) = 0;
    for (std::int64_t i = first; i < first + group; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < (causal ? i + 1 : seq_k); ++j)
        sum += plain::exp(score(h, i, j) - largest);
      if (!(sum >= 1 / most && sum <= most))
        outside(h, i / tile) += 1;
    }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_THRESHOLD_REFERENCE_H
