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
#include "layer/llama_layer_ranks/kernel.h"
#include "linear/norm_qkv/reference.h"
#include "linear/output_projection/reference.h"
#include "support/list.h"
#include "support/rounded.h"

#include <array>
#include <bit>
#include <utility>

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
  using Shape = std::array<std::int64_t, 3>;
  using Values = List<double>;
  const auto values = [](const Shape &shape) {
    return Values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
  };
  const auto view = [](Values &of, const Shape &shape) {
    return Doubles(of.data(), shape.data(), 3);
  };
  const std::int64_t count = tokens, d = l.head_dim;
  const std::array<std::int64_t, 2> wide{count, l.norm_qkv().width()},
      narrow{count, l.hidden};
  List<double> sum(static_cast<std::size_t>(count * l.hidden)), own(sum);
  for (std::size_t rank = 0; rank < y.size(); ++rank) {
    List<double> qkv(static_cast<std::size_t>(count * wide[1]));
    const Doubles all(qkv.data(), wide.data(), 2);
    part().norm_qkv().reference(x[rank], gamma_attention[rank], w_qkv[rank], {},
                                gamma_q[rank], gamma_k[rank], cos[rank],
                                sin[rank], all);
    roundAll<T>(qkv);
    // Heads of qkv: [tokens, heads, d] for decode, [heads, tokens, d] else.
    const auto some = [&](std::int64_t first, std::int64_t heads) {
      const Shape shape =
          decodes() ? Shape{count, heads, d} : Shape{heads, count, d};
      Values made = values(shape);
      for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t h = 0; h < heads; ++h)
          for (std::int64_t i = 0; i < d; ++i)
            (decodes() ? view(made, shape)(t, h, i)
                       : view(made, shape)(h, t, i)) =
                all(t, (first + h) * d + i);
      return std::pair(shape, std::move(made));
    };
    auto q = some(0, l.heads), k = some(l.heads, l.kv_heads),
         v = some(l.heads + l.kv_heads, l.kv_heads);
    const auto see = [&](auto &of) { return view(of.second, of.first); };
    const Shape straight{count, l.heads, d}, turned{l.heads, count, d};
    Values attended = values(straight), o = values(turned);
    if (decodes()) {
      self.decode(l).reference(lengths[rank], see(q), see(k), see(v), {}, {},
                               k_cache[rank], v_cache[rank],
                               view(attended, straight));
    } else {
      l.prefill().reference(see(q), see(k), see(v), {}, {}, view(o, turned),
                            {});
      for (std::int64_t t = 0; t < count; ++t)
        for (std::int64_t h = 0; h < l.heads; ++h)
          for (std::int64_t i = 0; i < d; ++i)
            view(attended, straight)(t, h, i) = view(o, turned)(h, t, i);
    }
    roundAll<T>(attended);
    self.projection(l, tokens).reference(view(attended, straight), w_out[rank],
                                         {}, x[rank],
                                         Doubles(own.data(), narrow.data(), 2));
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += rounded<T>(own[i]);
  }
  roundAll<T>(sum);
  const List<Doubles> middle(y.size(), Doubles(sum.data(), narrow.data(), 2));
  self.mlp(l).reference(DoublesOfRanks(middle.data(), 1, y.size()), gamma_mlp,
                        w_gate, w_up, w_down, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_REFERENCE_H
