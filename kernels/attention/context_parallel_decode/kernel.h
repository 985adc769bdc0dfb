//===- kernel.h - Attention to a cache that is divided among ranks --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_DECODE_KERNEL_H
#define KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_DECODE_KERNEL_H

#include "attention/decode_attention/kernel.h"

namespace kiln::kernels {

/// decode_attention with the keys of each sequence divided among ranks. From
/// rank r with maximum m_r, sum of exponentials l_r and product o_r:
/// o = sum_r exp(m_r - m) o_r / sum_r exp(m_r - m) l_r, m = max_r m_r.
template <class T> struct ContextParallelDecode {
  BOOST_HANA_DEFINE_STRUCT(ContextParallelDecode, (int, group), (int, batch),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (int, max_keys), (int, block), (bool, paged),
                           (int, pages), (float, scale),
                           (bool, keys_transposed), (int, new_tokens));

  static ContextParallelDecode defaults() {
    return {1, 2, 8, 1, 128, 2048, 1024, false, 0, 0.0f, false, 1};
  }

  /// What one rank does, until it meets the others.
  DecodeAttention<T> part() const {
    return {batch, heads, kv_heads, head_dim,        max_keys,   block, paged,
            pages, true,  scale,    keys_transposed, new_tokens, group};
  }

  void describe(Signature &s) const {
    s.summary("attention of new tokens, with a cache divided among ranks");
    s.doc("group", "ranks, from 0 on; run with as many (--ranks)");
    s.doc("batch", "sequences");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, at most 128");
    s.doc("max-keys", "the most keys of a sequence on one rank");
    s.doc("block", "keys of a block; of a page, if paged");
    s.doc("paged", "a table names the pages of each sequence");
    s.doc("pages", "pages of a rank; 0 is as many as all sequences fill");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    s.doc("keys-transposed",
          "a key is a column of its cache: [head-dim, keys]");
    s.doc("new-tokens",
          "new tokens per sequence; the tokens of a head are consecutive");
    part().describeTensors(s);
  }

  void operator()(In<i32, 2> lengths, In<T, 3> q, In<T, 3> k, In<T, 3> v,
                  In<i32, 2> table, In<i32, 2> slots, InOut<T, 4> k_cache,
                  InOut<T, 4> v_cache, Out<T, 3> o) const {
    requireGroup(group);
    part()(lengths, q, k, v, table, slots, k_cache, v_cache, o);
  }

  void reference(const DoublesOfRanks &lengths, const DoublesOfRanks &q,
                 const DoublesOfRanks &k, const DoublesOfRanks &v,
                 const DoublesOfRanks &table, const DoublesOfRanks &slots,
                 const DoublesOfRanks &k_cache, const DoublesOfRanks &v_cache,
                 const DoublesOfRanks &o) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_ATTENTION_CONTEXT_PARALLEL_DECODE_KERNEL_H
