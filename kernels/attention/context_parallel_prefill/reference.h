//===- reference.h - Causal attention on ranks, in plain loops ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_PREFILL_REFERENCE_H
#define KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_PREFILL_REFERENCE_H

#include "attention/context_parallel_prefill/kernel.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"

namespace kiln::kernels {

template <class T>
void ContextParallelPrefill<T>::reference(const DoublesOfRanks &q,
                                          const DoublesOfRanks &k,
                                          const DoublesOfRanks &v,
                                          const DoublesOfRanks &sinks,
                                          const DoublesOfRanks &o,
                                          const DoublesOfRanks &sums) const {
  struct Place {
    std::size_t rank;
    std::int64_t row;
  };
  // Where each token of the sequence is.
  List<Place> places;
  const auto ranks = static_cast<std::int64_t>(o.size());
  for (std::int64_t part = 0; part < ranks * (balanced ? 2 : 1); ++part) {
    const bool isSecond = part >= ranks;
    const std::int64_t rank = isSecond ? 2 * ranks - 1 - part : part;
    const std::int64_t count = balanced ? tokens / 2 : tokens;
    for (std::int64_t i = 0; i < count; ++i)
      places.push_back(
          {static_cast<std::size_t>(rank), isSecond ? count + i : i});
  }
  const auto all = static_cast<std::int64_t>(places.size());
  parallelFor(heads * all, [&](std::int64_t each) {
    const std::int64_t h = each / all, g = h / (heads / kv_heads);
    const std::int64_t count = each % all + 1;
    const Place own = places[static_cast<std::size_t>(count - 1)];
    List<double> p;
    for (std::int64_t j = 0; j < count; ++j) {
      const Place key = places[static_cast<std::size_t>(j)];
      double score = 0;
      for (std::int64_t c = 0; c < head_dim; ++c)
        score += q[own.rank](h, own.row, c) * k[key.rank](g, key.row, c);
      p.push_back(factor() * score);
    }
    double largest = plain::largest(p.begin(), p.end());
    if (sink)
      largest =
          plain::max(largest, sinks[own.rank][static_cast<std::size_t>(h)]);
    double sum =
        sink
            ? plain::exp(sinks[own.rank][static_cast<std::size_t>(h)] - largest)
            : 0;
    for (double &value : p)
      sum += value = plain::exp(value - largest);
    if (lse)
      sums[own.rank](h, own.row, 0) = largest + plain::log(sum);
    for (std::int64_t c = 0; c < head_dim; ++c) {
      double value = 0;
      for (std::size_t j = 0; j < p.size(); ++j)
        value += p[j] / sum * v[places[j].rank](g, places[j].row, c);
      o[own.rank](h, own.row, c) = value;
    }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_PREFILL_REFERENCE_H
