//===- reference.h - A layer of a Llama model on ranks, in plain loops ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_REFERENCE_H
#define KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_REFERENCE_H

#include "attention/decode_attention/reference.h"
#include "attention/prefill_attention/reference.h"
#include "collectives/tensor_parallel_mlp/reference.h"
#include "layer/between.h"
#include "layer/llama_layer_ranks/kernel.h"
#include "linear/norm_qkv/reference.h"
#include "linear/output_projection/reference.h"
#include "support/list.h"
#include "support/rounded.h"

#include <bit>

namespace kiln::kernels {

/// The references of the parts, one after the other.
template <class T>
void LlamaLayerRanks<T>::reference(
    const DoublesOfRanks &lengths, const DoublesOfRanks &x,
    const DoublesOfRanks &gamma_attention, const DoublesOfRanks &w_qkv,
    const DoublesOfRanks &gamma_q, const DoublesOfRanks &gamma_k,
    const DoublesOfRanks &cos, const DoublesOfRanks &sin,
    const DoublesOfRanks &k_cache, const DoublesOfRanks &v_cache,
    const DoublesOfRanks &w_out, const DoublesOfRanks &gamma_mlp,
    const DoublesOfRanks &w_gate, const DoublesOfRanks &w_up,
    const DoublesOfRanks &w_down, const DoublesOfRanks &y) const {
  // The same for all element types, so that its parts are compiled once; but
  // scores are sensitive to how queries and keys round.
  const auto self = std::bit_cast<LlamaLayerRanks<f32>>(*this);
  const LlamaLayer<f32> l = self.part();
  const std::int64_t count = tokens, d = l.head_dim;
  Between<2> sum({count, l.hidden}), own({count, l.hidden});
  for (std::size_t rank = 0; rank < y.size(); ++rank) {
    Between<2> qkv({count, l.norm_qkv().width()});
    part().norm_qkv().projectReference(
        x[rank], gamma_attention[rank], w_qkv[rank], {}, gamma_q[rank],
        gamma_k[rank], cos[rank], sin[rank], qkv.view());
    roundAll<T>(qkv.values);
    const auto some = [&](std::int64_t first, std::int64_t heads) {
      return headsOf(qkv, first, heads, d, !decodes());
    };
    Between<3> q = some(0, l.heads), k = some(l.heads, l.kv_heads),
               v = some(l.heads + l.kv_heads, l.kv_heads);
    Between<3> attended({count, l.heads, d}), o({l.heads, count, d});
    if (decodes()) {
      self.decode(l).reference(lengths[rank], q.view(), k.view(), v.view(), {},
                               {}, k_cache[rank], v_cache[rank],
                               attended.view());
    } else {
      l.prefill().reference(q.view(), k.view(), v.view(), {}, {}, {}, o.view(),
                            {});
      for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t h = 0; h < l.heads; ++h)
          for (std::int64_t i = 0; i < d; ++i)
            attended.view()(t, h, i) = o.view()(h, t, i);
    }
    roundAll<T>(attended.values);
    self.projection(l).reference(attended.view(), w_out[rank], {}, x[rank],
                                 own.view());
    for (std::size_t i = 0; i < sum.values.size(); ++i)
      sum.values[i] += rounded<T>(own.values[i]);
  }
  roundAll<T>(sum.values);
  const List<Doubles> middle(y.size(), sum.view());
  self.mlp(l).reference(DoublesOfRanks(middle.data(), 1, y.size()), gamma_mlp,
                        w_gate, w_up, w_down, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_REFERENCE_H
