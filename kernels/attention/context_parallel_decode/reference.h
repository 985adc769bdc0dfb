//===- reference.h - Attention to a divided cache, in plain loops ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_DECODE_REFERENCE_H
#define KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_DECODE_REFERENCE_H

#include "attention/context_parallel_decode/kernel.h"
#include "attention/decode_attention/reference.h"

namespace kiln::kernels {

/// One softmax over the keys of all ranks. The new tokens, which all ranks
/// have, count once: each rank adds a share of them.
template <class T>
void ContextParallelDecode<T>::reference(
    const DoublesOfRanks &lengths, const DoublesOfRanks &q,
    const DoublesOfRanks &k, const DoublesOfRanks &v,
    const DoublesOfRanks &table, const DoublesOfRanks &slots,
    const DoublesOfRanks &k_cache, const DoublesOfRanks &v_cache,
    const DoublesOfRanks &o) const {
  List<TokenCaches> caches;
  for (std::size_t rank = 0; rank < o.size(); ++rank)
    caches.push_back(part().caches(lengths[rank], table[rank], k_cache[rank],
                                   v_cache[rank]));
  parallelFor(o[0].dim(0) * o[0].dim(1), [&](std::int64_t each) {
    const std::int64_t b = each / o[0].dim(1), h = each % o[0].dim(1);
    SeenKeys seen;
    for (std::size_t rank = 0; rank < o.size(); ++rank)
      seen.add(caches[rank], b, h, q[rank], k[rank], v[rank],
               1.0 / static_cast<double>(o.size()));
    seen.weigh();
    for (std::size_t rank = 0; rank < o.size(); ++rank)
      for (std::int64_t c = 0; c < head_dim; ++c)
        o[rank](b, h, c) = seen.mean(c);
  });
  for (std::size_t rank = 0; rank < o.size(); ++rank)
    caches[rank].write(k[rank], v[rank], slots[rank]);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_DECODE_REFERENCE_H
