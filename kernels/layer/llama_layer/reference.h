//===- reference.h - A layer of a Llama model, in plain loops -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_LLAMA_LAYER_REFERENCE_H
#define KILN_KERNELS_LAYER_LLAMA_LAYER_REFERENCE_H

#include "attention/decode_attention/reference.h"
#include "attention/prefill_attention/reference.h"
#include "layer/llama_layer/kernel.h"
#include "linear/norm_mlp/reference.h"
#include "linear/norm_qkv/reference.h"
#include "linear/output_projection/reference.h"

#include <array>
#include <bit>
#include <vector>

namespace kiln::kernels {

/// A tensor between two parts of a layer.
template <std::size_t Rank> struct Between {
  std::array<std::int64_t, Rank> shape;
  std::vector<double> values;

  explicit Between(std::array<std::int64_t, Rank> extents) : shape(extents) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape)
      count *= static_cast<std::size_t>(extent);
    values.resize(count);
  }
  Doubles view() { return {values.data(), shape.data(), Rank}; }
};

/// The references of the parts, one after the other.
template <class T>
void LlamaLayer<T>::reference(Doubles lengths, Doubles x,
                              Doubles gamma_attention, Doubles w_qkv,
                              Doubles gamma_q, Doubles gamma_k, Doubles cos,
                              Doubles sin, Doubles k_cache, Doubles v_cache,
                              Doubles w_out, Doubles gamma_mlp, Doubles w_gate,
                              Doubles w_up, Doubles w_down, Doubles y) const {
  // The same for all element types, so that its parts are compiled once.
  const auto l = std::bit_cast<LlamaLayer<f32>>(sized());
  const std::int64_t count = tokens, d = l.head_dim;
  Between<2> qkv({count, l.norm_qkv().width()}), middle({count, l.hidden});
  l.norm_qkv().reference(x, gamma_attention, w_qkv, {}, gamma_q, gamma_k, cos,
                         sin, qkv.view());
  Between<3> attended({count, l.heads, d});
  // Heads of qkv: [tokens, heads, d] for decode, [heads, tokens, d] else.
  const auto part = [&](std::int64_t first, std::int64_t heads) {
    Between<3> result(decodes() ? std::array{count, heads, d}
                                : std::array{heads, count, d});
    for (std::int64_t t = 0; t < count; ++t)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < d; ++i)
          (decodes() ? result.view()(t, h, i) : result.view()(h, t, i)) =
              qkv.view()(t, (first + h) * d + i);
    return result;
  };
  Between<3> q = part(0, l.heads), k = part(l.heads, l.kv_heads),
             v = part(l.heads + l.kv_heads, l.kv_heads);
  if (decodes()) {
    l.decode().reference(lengths, q.view(), k.view(), v.view(), {}, {}, k_cache,
                         v_cache, attended.view());
  } else {
    Between<3> o({l.heads, count, d});
    l.prefill().reference(q.view(), k.view(), v.view(), {}, {}, o.view(), {});
    for (std::int64_t t = 0; t < count; ++t)
      for (std::int64_t h = 0; h < l.heads; ++h)
        for (std::int64_t i = 0; i < d; ++i)
          attended.view()(t, h, i) = o.view()(h, t, i);
  }
  l.projection().reference(attended.view(), w_out, {}, x, middle.view());
  l.norm_mlp().reference(middle.view(), gamma_mlp, w_gate, w_up, w_down, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_LLAMA_LAYER_REFERENCE_H
