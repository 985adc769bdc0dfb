//===- reference.h - A layer of a Llama model, in plain loops -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_LLAMA_LAYER_REFERENCE_H
#define KILN_KERNELS_LAYER_LLAMA_LAYER_REFERENCE_H

#include "attention/prefill_attention/reference.h"
#include "layer/decode_block/reference.h"
#include "layer/llama_layer/kernel.h"
#include "linear/norm_mlp/reference.h"
#include "linear/norm_qkv/reference.h"
#include "linear/output_projection/reference.h"

#include <bit>

namespace kiln::kernels {

/// The references of the parts, one after the other.
template <class T>
void LlamaLayer<T>::reference(Doubles lengths, Doubles x,
                              Doubles gamma_attention, Doubles w_qkv,
                              Doubles gamma_q, Doubles gamma_k, Doubles cos,
                              Doubles sin, Doubles k_cache, Doubles v_cache,
                              Doubles w_out, Doubles gamma_mlp, Doubles w_gate,
                              Doubles w_up, Doubles w_down, Doubles y) const {
  // The same for all element types, so that its parts are compiled once; but
  // scores are sensitive to how queries and keys round.
  const auto l = std::bit_cast<LlamaLayer<f32>>(sized());
  const std::int64_t count = tokens, d = l.head_dim;
  if (decodes()) {
    sized().decode().reference(lengths, {}, x, gamma_attention, w_qkv, gamma_q,
                               gamma_k, cos, sin, k_cache, v_cache, w_out,
                               gamma_mlp, w_gate, w_up, w_down, y);
    return;
  }
  Between<2> qkv({count, l.norm_qkv().width()}), middle({count, l.hidden});
  sized().norm_qkv().projectReference(x, gamma_attention, w_qkv, {}, gamma_q,
                                      gamma_k, cos, sin, qkv.view());
  roundAll<T>(qkv.values);
  Between<3> attended({count, l.heads, d}), o({l.heads, count, d});
  Between<3> q = headsOf(qkv, 0, l.heads, d, true),
             k = headsOf(qkv, l.heads, l.kv_heads, d, true),
             v = headsOf(qkv, l.heads + l.kv_heads, l.kv_heads, d, true);
  l.prefill().reference(q.view(), k.view(), v.view(), {}, {}, {}, o.view(), {});
  roundAll<T>(o.values);
  for (std::int64_t t = 0; t < count; ++t)
    for (std::int64_t h = 0; h < l.heads; ++h)
      for (std::int64_t i = 0; i < d; ++i)
        attended.view()(t, h, i) = o.view()(h, t, i);
  l.projection().reference(attended.view(), w_out, {}, x, middle.view());
  roundAll<T>(middle.values);
  l.norm_mlp().reference(middle.view(), gamma_mlp, w_gate, w_up, w_down, {}, {},
                         {}, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_LLAMA_LAYER_REFERENCE_H
