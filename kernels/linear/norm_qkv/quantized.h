//===- quantized.h - Norm, QKV projection and RoPE in 8 and 4 bits --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_QKV_QUANTIZED_H
#define KILN_KERNELS_LINEAR_NORM_QKV_QUANTIZED_H

#include "linear/norm_qkv/kernel.h"
#include "linear/normed_rows.h"
#include "linear/quantized_weights.h"

namespace kiln::kernels {

/// norm_qkv with w quantized ahead to T; norm(x) is quantized on chip.
template <class T> struct NormQkvQuantized {
  BOOST_HANA_DEFINE_STRUCT(NormQkvQuantized, (int, tokens), (int, hidden),
                           (int, heads), (int, kv_heads), (int, head_dim),
                           (Norm, norm), (bool, bias), (bool, rope),
                           (bool, head_norm), (float, epsilon),
                           (int, residuals), (Scales, scales), (float, unit),
                           (Layout, layout));

  using Wide = NormQkv<bf16>;
  using Weights = QuantizedWeights<T>;

  static NormQkvQuantized defaults() {
    return {
        512,  1024,  8,     2, 128,          Norm::rms, false,
        true, false, 1e-5f, 0, Scales::none, 1,         Layout::token_major};
  }

  Wide wide() const {
    return {tokens, hidden,    heads,   kv_heads,  head_dim,     norm, bias,
            rope,   head_norm, epsilon, residuals, Scales::none, 1,    layout};
  }

  void describe(Signature &s) const {
    wide().describeWith(s, [&] {
      describeQuantized<T>(s, "w", hidden, wide().width(), scales);
    });
  }

  void operator()(In<bf16, 2> x, In<bf16, 2> r1, In<bf16, 2> r2,
                  In<bf16, 1> gamma, In<bf16, 1> beta, In<T, 2> w,
                  In<ScaleOf<T>, 2> w_scales, In<bf16, 1> b,
                  In<bf16, 1> gamma_q, In<bf16, 1> gamma_k, In<f32, 2> cos,
                  In<f32, 2> sin, Out<bf16, 2> z, Out<bf16, 2> y,
                  Out<bf16, 3> y_heads) const {
    wide().checkHeads();
    const Wide::Tail tail{
        b, gamma_q, gamma_k, cos, sin, y, wide().headsOf(y_heads)};
    requireQuantized<T>(hidden, scales, unit);
    project(wide().rowsOf(x, r1, r2, gamma, beta, z), gamma,
            {w, w_scales, scales, unit}, tail);
  }

  void project(In<bf16, 2> x, In<bf16, 1> gamma, const Weights &w,
               const Wide::Tail &tail) const {
    const auto factors = w.factors(tokens);
    const auto multiply = [&](const Index &m, std::int64_t count,
                              const auto &left) {
      wide().forHeads(w.columnsAtOnce(tokens), [&](Index n, std::int64_t cols,
                                                   Wide::Heads heads) {
        const auto right = w.columns(n, cols);
        Weights::forProducts(left, right, count, cols,
                             [&](std::int64_t r, const auto &sum) {
                               wide().put(w.scaled(sum, left, r, factors, n),
                                          m + r, n, heads, tail);
                             });
      });
    };
    const NormedRows<Weights> rows{x, gamma, norm == Norm::rms, epsilon};
    if (tokens <= 128)
      return multiply(0, tokens, w.quantized(rows.transposed()));
    if (norm != Norm::rms)
      return w.forBlocks(w.quantizedAhead("x", x), tokens, multiply);
    rows.withRows([&](auto rowsOf) { w.forBlocks(tokens, rowsOf, multiply); });
  }

  void reference(Doubles x, Doubles r1, Doubles r2, Doubles gamma, Doubles beta,
                 Doubles w, Doubles w_scales, Doubles b, Doubles gamma_q,
                 Doubles gamma_k, Doubles cos, Doubles sin, Doubles z,
                 Doubles y,
                 Doubles y_heads) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_QKV_QUANTIZED_H
