//===- kernel.h - A layer of a Llama model --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_LLAMA_LAYER_KERNEL_H
#define KILN_KERNELS_LAYER_LLAMA_LAYER_KERNEL_H

#include "attention/prefill_attention/kernel.h"
#include "layer/decode_block/kernel.h"
#include "linear/norm_mlp/kernel.h"
#include "linear/norm_qkv/kernel.h"
#include "linear/output_projection/kernel.h"

namespace kiln::kernels {

KILN_CHOICES(LlamaConfig, custom, llama3_8b, llama3_70b, qwen3_8b)
KILN_CHOICES(LlamaPhase, prefill, decode)

/// A layer of a Llama model, as one program: it holds the kernels that it
/// consists of, and passes them its tensors and parameters.
template <class T> struct LlamaLayer {
  BOOST_HANA_DEFINE_STRUCT(LlamaLayer, (LlamaConfig, config),
                           (LlamaPhase, phase), (int, tokens), (int, hidden),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (int, inner), (int, max_keys), (int, block),
                           (bool, head_norm), (float, scale));

  static LlamaLayer defaults() {
    return {LlamaConfig::custom,
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

  /// The layer with the widths of a model, if it names one.
  LlamaLayer sized() const {
    LlamaLayer layer = *this;
    const auto set = [&](int width, int queries, int middle) {
      layer.hidden = width, layer.heads = queries, layer.kv_heads = 8,
      layer.head_dim = 128, layer.inner = middle;
    };
    if (config == LlamaConfig::llama3_8b)
      set(4096, 32, 14336);
    if (config == LlamaConfig::llama3_70b)
      set(8192, 64, 28672);
    if (config == LlamaConfig::qwen3_8b) {
      set(4096, 32, 12288);
      layer.head_norm = true;
    }
    return layer;
  }
  float epsilon() const {
    return config == LlamaConfig::qwen3_8b ? 1e-6f : 1e-5f;
  }
  bool decodes() const { return phase == LlamaPhase::decode; }

  NormQkv<T> norm_qkv() const {
    return {tokens,    hidden,       heads, kv_heads,           head_dim,
            Norm::rms, false,        true,  head_norm,          epsilon(),
            0,         Scales::none, 1,     Layout::token_major};
  }
  PrefillAttention<T> prefill() const {
    return {heads, kv_heads, tokens, 0,    head_dim, 0,     false, false,
            false, scale,    false,  true, false,    false, false, true};
  }
  DecodeBlock<T> decode() const {
    return {tokens, hidden, heads, kv_heads,  head_dim,  inner, max_keys,
            block,  false,  0,     head_norm, epsilon(), scale, false};
  }
  OutputProjection<T> projection() const {
    return {tokens,
            heads,
            head_dim,
            hidden,
            false,
            true,
            AttendedLayout::token_major,
            Scales::none,
            1};
  }
  NormMlp<T> norm_mlp() const {
    return {tokens,
            hidden,
            inner,
            true,
            true,
            epsilon(),
            false,
            Scales::none,
            1,
            1,
            GateActivation::silu};
  }

  void describe(Signature &s) const {
    s.summary("a layer of a Llama model: prefill, or one step of decoding");
    s.doc("config", "the model; custom has the widths given here");
    s.doc("phase", "tokens of one sequence, or one of each sequence");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("heads", "query heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head");
    s.doc("inner", "columns of the gate");
    s.doc("max-keys", "decode: the most keys of a sequence");
    s.doc("block", "decode: keys of a block");
    s.doc("head-norm", "normalise each head of queries and keys");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    sized().describeTensors(s);
    s.tokens(tokens);
  }

  /// Of a layer that has its widths.
  void describeTensors(Signature &s) const {
    optionalArgument(s, decodes(), "lengths", {tokens, 1});
    s.argument("x", {tokens, hidden});
    s.argument("gamma_attention", {hidden});
    weightArgument<T>(s, "w_qkv", hidden, norm_qkv().width());
    optionalArgument(s, head_norm, "gamma_q", {head_dim});
    optionalArgument(s, head_norm, "gamma_k", {head_dim});
    s.argument("cos", {tokens, head_dim / 2});
    s.argument("sin", {tokens, head_dim / 2});
    optionalArgument(s, decodes(), "k_cache",
                     {tokens, kv_heads, max_keys, head_dim});
    optionalArgument(s, decodes(), "v_cache",
                     {tokens, kv_heads, max_keys, head_dim});
    weightArgument<T>(s, "w_out", heads * head_dim, hidden);
    s.argument("gamma_mlp", {hidden});
    weightArgument<T>(s, "w_gate", hidden, inner);
    weightArgument<T>(s, "w_up", hidden, inner);
    weightArgument<T>(s, "w_down", inner, hidden);
    s.argument("y", {tokens, hidden});
    const double weights =
        double(hidden) *
        (norm_qkv().width() + double(heads) * head_dim + 3.0 * inner);
    const double pairs =
        decodes() ? double(tokens) * max_keys : prefill().visiblePairs();
    s.flops(2.0 * tokens * weights + 4.0 * heads * pairs * head_dim);
    s.parts();
  }

  void operator()(In<i32, 2> lengths, In<T, 2> x, In<T, 1> gamma_attention,
                  In<T, 2> w_qkv, In<T, 1> gamma_q, In<T, 1> gamma_k,
                  In<f32, 2> cos, In<f32, 2> sin, InOut<T, 4> k_cache,
                  InOut<T, 4> v_cache, In<T, 2> w_out, In<T, 1> gamma_mlp,
                  In<T, 2> w_gate, In<T, 2> w_up, In<T, 2> w_down,
                  Out<T, 2> y) const {
    sized().run(lengths, x, gamma_attention, w_qkv, gamma_q, gamma_k, cos, sin,
                k_cache, v_cache, w_out, gamma_mlp, w_gate, w_up, w_down, y);
  }

  void run(auto lengths, auto x, auto gamma_attention, auto w_qkv, auto gamma_q,
           auto gamma_k, auto cos, auto sin, auto k_cache, auto v_cache,
           auto w_out, auto gamma_mlp, auto w_gate, auto w_up, auto w_down,
           auto y) const {
    const In<T, 1> no_bias({});
    if (decodes()) {
      call(decode())(lengths, In<i32, 2>({}), x, gamma_attention, w_qkv,
                     gamma_q, gamma_k, cos, sin, k_cache, v_cache, w_out,
                     gamma_mlp, w_gate, w_up, w_down, y);
      return;
    }
    auto qkv = hbm<T>("qkv", tokens, norm_qkv().width());
    auto attended = hbm<T>("attended", tokens, heads, head_dim);
    auto middle = hbm<T>("middle", tokens, hidden);
    const auto headsAt = [&](std::int64_t first,
                             std::int64_t count) { // [tokens, count, d]
      return qkv.cols_at(first * head_dim, count * head_dim)
          .reshape(tokens, count, head_dim);
    };
    auto q = headsAt(0, heads), k = headsAt(heads, kv_heads),
         v = headsAt(heads + kv_heads, kv_heads);
    {
      scope part("norm, qkv, rope");
      norm_qkv().project(x, gamma_attention, w_qkv, no_bias, gamma_q, gamma_k,
                         cos, sin, qkv);
    }
    {
      scope part("attention");
      call(prefill())(q.permute(1, 0, 2), k.permute(1, 0, 2),
                      v.permute(1, 0, 2), In<f32, 2>({}), In<i32, 1>({}),
                      In<i32, 2>({}), attended.permute(1, 0, 2),
                      Out<f32, 3>({}));
    }
    {
      scope part("output projection");
      call(projection())(attended, w_out, no_bias, x, middle);
    }
    scope part("norm, mlp");
    const In<T, 1> none({});
    call(norm_mlp())(middle, gamma_mlp, w_gate, w_up, w_down, none, none, none,
                     y);
  }

  void reference(Doubles lengths, Doubles x, Doubles gamma_attention,
                 Doubles w_qkv, Doubles gamma_q, Doubles gamma_k, Doubles cos,
                 Doubles sin, Doubles k_cache, Doubles v_cache, Doubles w_out,
                 Doubles gamma_mlp, Doubles w_gate, Doubles w_up,
                 Doubles w_down,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_LLAMA_LAYER_KERNEL_H
