//===- reference.h - Attention of one head, in plain loops ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_FLASH_ATTENTION_EXPERT_REFERENCE_H
#define KILN_KERNELS_ATTENTION_FLASH_ATTENTION_EXPERT_REFERENCE_H

#include "attention/flash_attention_expert/kernel.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void FlashAttentionExpert<T>::reference(Doubles q, Doubles k, Doubles v,
                                        Doubles o) const {
  parallelFor(std::int64_t{seq_q}, [&](std::int64_t i) {
    List<double> p(static_cast<std::size_t>(seq_k));
    for (std::size_t j = 0; j < p.size(); ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < head; ++c)
        score += q(i, c) * k(j, c);
      p[j] = score / plain::sqrt(static_cast<double>(head));
    }
    const double largest = plain::largest(p.begin(), p.end());
    double sum = 0;
    for (double &value : p)
      sum += value = plain::exp(value - largest);
    for (std::int64_t c = 0; c < head; ++c)
      o(i, c) = 0;
    for (std::size_t j = 0; j < p.size(); ++j)
      for (std::int64_t c = 0; c < head; ++c)
        o(i, c) += p[j] / sum * v(j, c);
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_FLASH_ATTENTION_EXPERT_REFERENCE_H
