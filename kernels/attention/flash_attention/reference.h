//===- reference.h - Attention, in plain loops ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_REFERENCE_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_REFERENCE_H

#include "attention/flash_attention/kernel.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void FlashAttention<T>::reference(Doubles q, Doubles k, Doubles v,
                                  Doubles o) const {
  const double factor = scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  parallelFor(std::int64_t{heads} * seq_q, [&](std::int64_t row) {
    const std::int64_t head = row / seq_q, i = row % seq_q;
    const std::int64_t group = head / (heads / kv_heads);
    for (std::int64_t c = 0; c < head_dim; ++c)
      o(head, i, c) = 0;
    // Query i sees keys up to i + seq_k - seq_q; maybe none.
    const std::int64_t seen =
        causal ? plain::clamp<std::int64_t>(i + seq_k - seq_q + 1, 0, seq_k)
               : seq_k;
    if (seen == 0)
      return;
    List<double> p(static_cast<std::size_t>(seen));
    for (std::int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < head_dim; ++c)
        score += q(head, i, c) * k(group, j, c);
      p[j] = factor * score;
    }
    const double largest = plain::largest(p.begin(), p.end());
    double sum = 0;
    for (double &value : p)
      sum += value = plain::exp(value - largest);
    for (std::int64_t j = 0; j < seen; ++j)
      for (std::int64_t c = 0; c < head_dim; ++c)
        o(head, i, c) += p[j] / sum * v(group, j, c);
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_REFERENCE_H
