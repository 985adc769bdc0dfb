//===- kernel.h - A layer of a Llama model, one new token a sequence ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LAYER_DECODE_BLOCK_KERNEL_H
#define KILN_KERNELS_LAYER_DECODE_BLOCK_KERNEL_H

#include "attention/decode_attention/kernel.h"
#include "linear/norm_mlp/kernel.h"
#include "linear/norm_qkv/kernel.h"
#include "linear/output_projection/kernel.h"
#include "support/share_of_core.h"

namespace kiln::kernels {

/// One new token of each sequence goes through a layer: norm, projection to
/// queries, keys and values, RoPE, attention with the cache, which gets the new
/// key and value, projection, residual, norm, feed-forward layer, residual.
template <class T> struct DecodeBlock {
  BOOST_HANA_DEFINE_STRUCT(DecodeBlock, (int, batch), (int, hidden),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (int, inner), (int, max_keys), (int, block),
                           (bool, paged), (int, pages), (bool, head_norm),
                           (float, epsilon), (float, scale),
                           (bool, keys_transposed));

  static DecodeBlock defaults() {
    return {8,   256,  4, 2,     64,    512,  1024,
            256, true, 0, false, 1e-5f, 0.0f, false};
  }

  NormQkv<T> norm_qkv() const {
    return {batch,     hidden,       heads, kv_heads,           head_dim,
            Norm::rms, false,        true,  head_norm,          epsilon,
            0,         Scales::none, 1,     Layout::token_major};
  }
  DecodeAttention<T> attention() const {
    return {batch, heads, kv_heads, head_dim, max_keys,        block,
            paged, pages, false,    scale,    keys_transposed, 1};
  }
  OutputProjection<T> projection() const {
    return {batch,
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
    return {batch,
            hidden,
            inner,
            true,
            true,
            epsilon,
            false,
            Scales::none,
            1,
            1,
            GateActivation::silu};
  }

  void describe(Signature &s) const {
    s.summary("a layer of a Llama model for one new token of each sequence");
    s.doc("batch", "sequences, rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("heads", "query heads, a multiple of kv-heads");
    s.doc("kv-heads", "key and value heads");
    s.doc("head-dim", "width of a head, even and at most 128");
    s.doc("inner", "columns of the gate and of what it scales");
    s.doc("max-keys", "the most keys of a sequence, a multiple of block");
    s.doc("block", "keys of a block; of a page, if paged");
    s.doc("paged", "a table names the pages of each sequence");
    s.doc("pages", "pages in the cache; 0 is as many as all sequences fill");
    s.doc("keys-transposed",
          "a key is a column of its cache: [head-dim, keys]");
    s.doc("head-norm", "normalise each head of queries and keys");
    s.doc("epsilon", "added to mean squares");
    s.doc("scale", "factor of the scores; 0 is 1/sqrt(head-dim)");
    const std::int64_t parts = attention().parts(),
                       rows = attention().keysOfPart();
    s.argument("lengths", {batch, 1});
    optionalArgument(s, paged, "table", {batch, max_keys / block});
    s.argument("x", {batch, hidden});
    s.argument("gamma_attention", {hidden});
    weightArgument<T>(s, "w_qkv", hidden, norm_qkv().width());
    optionalArgument(s, head_norm, "gamma_q", {head_dim});
    optionalArgument(s, head_norm, "gamma_k", {head_dim});
    s.argument("cos", {batch, head_dim / 2});
    s.argument("sin", {batch, head_dim / 2});
    if (keys_transposed)
      s.argument("k_cache", {parts, kv_heads, head_dim, rows});
    else
      s.argument("k_cache", {parts, kv_heads, rows, head_dim});
    s.argument("v_cache", {parts, kv_heads, rows, head_dim});
    weightArgument<T>(s, "w_out", heads * head_dim, hidden);
    s.argument("gamma_mlp", {hidden});
    weightArgument<T>(s, "w_gate", hidden, inner);
    weightArgument<T>(s, "w_up", hidden, inner);
    weightArgument<T>(s, "w_down", inner, hidden);
    s.argument("y", {batch, hidden});
    const double weights =
        double(hidden) *
        (norm_qkv().width() + double(heads) * head_dim + 3.0 * inner);
    s.flops(2.0 * batch * weights +
            4.0 * batch * heads * (max_keys + 1.0) * head_dim);
    s.tokens(batch);
    s.parts();
  }

  void operator()(In<i32, 2> lengths, In<i32, 2> table, In<T, 2> x,
                  In<T, 1> gamma_attention, In<T, 2> w_qkv, In<T, 1> gamma_q,
                  In<T, 1> gamma_k, In<f32, 2> cos, In<f32, 2> sin,
                  InOut<T, 4> k_cache, InOut<T, 4> v_cache, In<T, 2> w_out,
                  In<T, 1> gamma_mlp, In<T, 2> w_gate, In<T, 2> w_up,
                  In<T, 2> w_down, Out<T, 2> y) const {
    const In<T, 1> no_bias({});
    const In<i32, 2> no_slots({});
    auto qkv = ShareOfCore::scratch<T>("qkv", batch, norm_qkv().width());
    auto attended = ShareOfCore::scratch<T>("attended", batch, heads, head_dim);
    auto middle = ShareOfCore::scratch<T>("middle", batch, hidden);
    const auto headsAt = [&](std::int64_t first, std::int64_t count) {
      return qkv.cols_at(first * head_dim, count * head_dim)
          .reshape(batch, count, head_dim);
    };
    {
      scope part("norm, qkv, rope");
      norm_qkv().project(x, gamma_attention, w_qkv, no_bias, gamma_q, gamma_k,
                         cos, sin, qkv);
      ShareOfCore::meet(qkv);
    }
    {
      scope part("attention");
      attention().run(lengths, headsAt(0, heads), headsAt(heads, kv_heads),
                      headsAt(heads + kv_heads, kv_heads), table, no_slots,
                      k_cache, v_cache, attended, false);
      ShareOfCore::meet(attended);
    }
    {
      scope part("output projection");
      call(projection())(attended, w_out, no_bias, x, middle);
      ShareOfCore::meet(middle);
    }
    scope part("norm, mlp");
    const In<T, 1> none({});
    call(norm_mlp())(middle, gamma_mlp, w_gate, w_up, w_down, none, none, none,
                     y);
  }

  void reference(Doubles lengths, Doubles table, Doubles x,
                 Doubles gamma_attention, Doubles w_qkv, Doubles gamma_q,
                 Doubles gamma_k, Doubles cos, Doubles sin, Doubles k_cache,
                 Doubles v_cache, Doubles w_out, Doubles gamma_mlp,
                 Doubles w_gate, Doubles w_up, Doubles w_down,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LAYER_DECODE_BLOCK_KERNEL_H
