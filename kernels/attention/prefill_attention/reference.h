//===- reference.h - Causal attention and its variants, in plain loops ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_REFERENCE_H
#define KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_REFERENCE_H

#include "attention/prefill_attention/kernel.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void PrefillAttention<T>::reference(Doubles q, Doubles k, Doubles v,
                                    Doubles sinks, Doubles sequence,
                                    Doubles used, Doubles o,
                                    Doubles sums) const {
  const double factor = scale > 0 ? double(scale) : 1 / plain::sqrt(head_dim);
  const std::int64_t counted =
      chunked ? plain::clamp<std::int64_t>(static_cast<std::int64_t>(used[0]),
                                           0, prior)
              : 0;
  const auto at = [&](const Doubles &x, bool isTransposed, std::int64_t h,
                      std::int64_t row, std::int64_t c) -> double & {
    return isTransposed ? x(h, c, row) : x(h, row, c);
  };
  parallelFor(std::int64_t{heads} * tokens, [&](std::int64_t row) {
    const std::int64_t h = row / tokens, i = row % tokens;
    const std::int64_t g = h / (heads / kv_heads), own = i + prior;
    List<std::int64_t> seen;
    for (std::int64_t j = 0; j < plain::min(own + ahead() + 1, keys()); ++j) {
      // Earlier keys that do not count are not there: the others move up.
      const std::int64_t place = j < counted ? j + prior - counted : j;
      if ((window == 0 || own - place < window) &&
          (chunked ? j < counted || j >= prior
                   : !packed || sequence[j] == sequence[own]))
        seen.push_back(j);
    }
    List<double> p;
    for (const std::int64_t j : seen) {
      double score = 0;
      for (std::int64_t c = 0; c < head_dim; ++c)
        score += at(q, q_transposed, h, i, c) * at(k, keys_transposed, g, j, c);
      p.push_back(factor * score);
    }
    double largest = plain::largest(p.begin(), p.end());
    if (sink)
      largest = plain::max(largest, sinks[h]);
    double sum = sink ? plain::exp(sinks[h] - largest) : 0;
    for (double &value : p)
      sum += value = plain::exp(value - largest);
    if (lse)
      sums(h, i, 0) = largest + plain::log(sum);
    for (std::int64_t c = 0; c < head_dim; ++c) {
      double value = 0;
      for (std::size_t j = 0; j < seen.size(); ++j)
        value += p[j] / sum * v(g, seen[j], c);
      at(o, o_transposed, h, i, c) = value;
    }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_PREFILL_ATTENTION_REFERENCE_H
