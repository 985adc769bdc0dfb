//===- kernel.h - A layer of a Llama model on several ranks ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_KERNEL_H
#define KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_KERNEL_H

#include "attention/decode_attention/kernel.h"
#include "collectives/group.h"
#include "collectives/tensor_parallel_mlp/kernel.h"
#include "layer/llama_layer/kernel.h"

namespace kiln::kernels {

/// llama_layer with its heads and inner columns divided among ranks. Each rank
/// has the tokens, its part of the weights and its heads of the caches; two
/// all-reduces add up what the ranks have.
template <class T> struct LlamaLayerRanks {
  BOOST_HANA_DEFINE_STRUCT(LlamaLayerRanks, (int, group), (LlamaConfig, config),
                           (LlamaPhase, phase), (int, tokens), (int, hidden),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (int, inner), (int, max_keys), (int, block),
                           (bool, head_norm), (float, scale));

  static LlamaLayerRanks defaults() {
    return {1,
            LlamaConfig::custom,
            LlamaPhase::prefill,
            128,
            256,
            4,
            2,
            64,
            512,
            1024,
            1024,
            false,
            0.0f};
  }

  bool decodes() const { return phase == LlamaPhase::decode; }

  /// What one rank has of the layer that `config` names.
  LlamaLayer<T> part() const {
    LlamaLayer<T> layer =
        LlamaLayer<T>{config,   phase, tokens,   hidden, heads,     kv_heads,
                      head_dim, inner, max_keys, block,  head_norm, scale}
            .sized();
    requireGroup(group);
    require(layer.heads % group == 0 && layer.kv_heads % group == 0 &&
                layer.inner % group == 0,
            {"group is <|", group, "|>, expected [|a divisor of ", layer.heads,
             " heads, ", layer.kv_heads, " kv-heads and ", layer.inner,
             " inner columns|]"},
            "choose a group that divides them all");
    layer.heads /= group;
    layer.kv_heads /= group;
    layer.inner /= group;
    return layer;
  }
  DecodeAttention<T> decode(const LlamaLayer<T> &l) const {
    return {tokens, l.heads, l.kv_heads, l.head_dim, max_keys, block,
            false,  0,       false,      scale,      false,    1};
  }
  OutputProjection<T> projection(const LlamaLayer<T> &l) const {
    OutputProjection<T> part{tokens,
                             l.heads,
                             l.head_dim,
                             l.hidden,
                             false,
                             true,
                             AttendedLayout::token_major,
                             Scales::none,
                             1};
    part.share = 1.0f / static_cast<float>(group);
    return part;
  }
  TensorParallelMlp<T> mlp(const LlamaLayer<T> &l) const {
    return {group, tokens, l.hidden, l.inner, true, true, l.epsilon()};
  }

  void describe(Signature &s) const {
    s.summary("a layer of a Llama model on several ranks");
    s.doc("group", "ranks, from 0 on; run with as many (--ranks)");
    s.doc("config", "the model; custom has the widths given here");
    s.doc("phase", "tokens of one sequence, or one of each sequence");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("heads", "query heads of all ranks");
    s.doc("kv-heads", "key and value heads of all ranks");
    s.doc("head-dim", "width of a head");
    s.doc("inner", "columns of the gate, of all ranks");
    s.doc("max-keys", "decode: the most keys of a sequence");
    s.doc("block", "decode: keys of a block");
    s.doc("head-norm", "normalise each head of queries and keys");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    part().describeTensors(s);
    s.tokens(double(tokens) / group); // All ranks have the same ones.
  }

  void operator()(In<i32, 2> lengths, In<T, 2> x, In<T, 1> gamma_attention,
                  In<T, 2> w_qkv, In<T, 1> gamma_q, In<T, 1> gamma_k,
                  In<f32, 2> cos, In<f32, 2> sin, InOut<T, 4> k_cache,
                  InOut<T, 4> v_cache, In<T, 2> w_out, In<T, 1> gamma_mlp,
                  In<T, 2> w_gate, In<T, 2> w_up, In<T, 2> w_down,
                  Out<T, 2> y) const {
    const LlamaLayer<T> l = part();
    const In<T, 1> no_bias({});
    const In<i32, 2> none({});
    auto qkv = hbm<T>("qkv", tokens, l.norm_qkv().width());
    auto attended = hbm<T>("attended", tokens, l.heads, l.head_dim);
    auto own = hbm<T>("own", tokens, l.hidden);
    auto middle = hbm<T>("middle", tokens, l.hidden);
    const auto headsAt = [&](std::int64_t first, std::int64_t count) {
      return qkv.cols_at(first * l.head_dim, count * l.head_dim)
          .reshape(tokens, count, l.head_dim);
    };
    auto q = headsAt(0, l.heads), k = headsAt(l.heads, l.kv_heads),
         v = headsAt(l.heads + l.kv_heads, l.kv_heads);
    {
      scope part("norm, qkv, rope");
      l.norm_qkv().project(x, gamma_attention, w_qkv, no_bias, gamma_q, gamma_k,
                           cos, sin, qkv);
    }
    {
      scope part("attention");
      if (decodes())
        decode(l).run(lengths, q, k, v, none, none, k_cache, v_cache, attended,
                      false);
      else
        call(l.prefill())(q.permute(1, 0, 2), k.permute(1, 0, 2),
                          v.permute(1, 0, 2), In<f32, 2>({}), In<i32, 1>({}),
                          In<i32, 2>({}), attended.permute(1, 0, 2),
                          Out<f32, 3>({}));
    }
    const auto reduce = [&](Index first, std::int64_t count) {
      nc::all_reduce(own.rows_at(first, count), middle.rows_at(first, count),
                     ranksOf(group), nc::AluOp::add);
    };
    {
      scope part("output projection");
      projection(l).inBlocks(attended, w_out, x, own, reduce);
    }
    scope part("norm, mlp");
    call(mlp(l))(middle, gamma_mlp, w_gate, w_up, w_down, y);
  }

  void reference(const DoublesOfRanks &lengths, const DoublesOfRanks &x,
                 const DoublesOfRanks &gamma_attention,
                 const DoublesOfRanks &w_qkv, const DoublesOfRanks &gamma_q,
                 const DoublesOfRanks &gamma_k, const DoublesOfRanks &cos,
                 const DoublesOfRanks &sin, const DoublesOfRanks &k_cache,
                 const DoublesOfRanks &v_cache, const DoublesOfRanks &w_out,
                 const DoublesOfRanks &gamma_mlp, const DoublesOfRanks &w_gate,
                 const DoublesOfRanks &w_up, const DoublesOfRanks &w_down,
                 const DoublesOfRanks &y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_LLAMA_LAYER_RANKS_KERNEL_H
