//===- reference.h - A layer for new tokens, in plain loops ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_DECODE_BLOCK_REFERENCE_H
#define KILN_KERNELS_LAYER_DECODE_BLOCK_REFERENCE_H

#include "attention/decode_attention/reference.h"
#include "layer/between.h"
#include "layer/decode_block/kernel.h"
#include "linear/norm_mlp/reference.h"
#include "linear/norm_qkv/reference.h"
#include "linear/output_projection/reference.h"

#include <bit>

namespace kiln::kernels {

/// The references of the parts, one after the other.
template <class T>
void DecodeBlock<T>::reference(Doubles lengths, Doubles table, Doubles x,
                               Doubles gamma_attention, Doubles w_qkv,
                               Doubles gamma_q, Doubles gamma_k, Doubles cos,
                               Doubles sin, Doubles k_cache, Doubles v_cache,
                               Doubles w_out, Doubles gamma_mlp, Doubles w_gate,
                               Doubles w_up, Doubles w_down, Doubles y) const {
  // The same for all element types, so that its parts are compiled once; but
  // scores are sensitive to how queries and keys round.
  const auto l = std::bit_cast<DecodeBlock<f32>>(*this);
  Between<2> qkv({batch, l.norm_qkv().width()}), middle({batch, hidden});
  norm_qkv().projectReference(x, gamma_attention, w_qkv, {}, gamma_q, gamma_k,
                              cos, sin, qkv.view());
  roundAll<T>(qkv.values);
  Between<3> attended({batch, heads, head_dim});
  Between<3> q = headsOf(qkv, 0, heads, head_dim, false),
             k = headsOf(qkv, heads, kv_heads, head_dim, false),
             v = headsOf(qkv, heads + kv_heads, kv_heads, head_dim, false);
  l.attention().reference(lengths, q.view(), k.view(), v.view(), table, {},
                          k_cache, v_cache, attended.view());
  roundAll<T>(attended.values);
  l.projection().reference(attended.view(), w_out, {}, x, middle.view());
  roundAll<T>(middle.values);
  l.norm_mlp().reference(middle.view(), gamma_mlp, w_gate, w_up, w_down, {}, {},
                         {}, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_DECODE_BLOCK_REFERENCE_H
