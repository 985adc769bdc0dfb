//===- scaled.h - The gated layer with MX floats --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_SWIGLU_SCALED_H
#define KILN_KERNELS_LINEAR_SWIGLU_SCALED_H

#include "linear/gate.h"
#include "linear/mlp_biases.h"
#include "linear/quantized_mlp.h"

namespace kiln::kernels {

/// swiglu with the weights as MX floats. What they multiply is quantized on
/// chip: x, and what is left of the gates.
template <class P> struct SwiGluScaled {
  BOOST_HANA_DEFINE_STRUCT(SwiGluScaled, (int, tokens), (int, hidden),
                           (int, inner), (bool, bias),
                           (GateActivation, activation));

  static SwiGluScaled defaults() {
    return {512, 1024, 3072, false, GateActivation::silu};
  }

  void describe(Signature &s) const {
    s.summary("gated feed-forward layer of a transformer");
    s.doc("tokens", "rows of x and y");
    s.doc("hidden", "model width, columns of x and y");
    s.doc("inner", "columns of the gate and of what it scales");
    MlpBiases<bf16>::document(s);
    Gate::document(s);
    s.argument("x", {tokens, hidden});
    s.argument("wg", {hidden / 4, inner});
    s.argument("wg_scales", {hidden / 32, inner});
    s.argument("wu", {hidden / 4, inner});
    s.argument("wu_scales", {hidden / 32, inner});
    s.argument("wd", {inner / 4, hidden});
    s.argument("wd_scales", {inner / 32, hidden});
    MlpBiases<bf16>::describe(s, bias, hidden, inner);
    s.argument("y", {tokens, hidden});
    s.flops(6.0 * tokens * hidden * inner);
    s.tokens(tokens);
  }

  void operator()(In<bf16, 2> x, In<P, 2> wg, In<f8e8m0, 2> wg_scales,
                  In<P, 2> wu, In<f8e8m0, 2> wu_scales, In<P, 2> wd,
                  In<f8e8m0, 2> wd_scales, In<bf16, 1> bg, In<bf16, 1> bu,
                  In<bf16, 1> bd, Out<bf16, 2> y) const {
    requireMxTerms(hidden);
    requireMxTerms(inner);
    const QuantizedMlp<P> mlp{tokens,
                              {wg, wg_scales, Scales::none, 1},
                              {wu, wu_scales, Scales::none, 1},
                              {wd, wd_scales, Scales::none, 1},
                              {bias, bg, bu, bd},
                              {activation},
                              {.bias = bd, .hasBias = bias},
                              y};
    if (tokens > 128)
      return mlp.many(mlp.gate.quantizedAhead("x", x));
    PiecesOfRows pieces;
    BlockedProduct<bf16>::forPieces(
        hidden, ScaledWeights<P>::piece,
        [&](std::int64_t k, std::int64_t size) {
          pieces.push_back(ScaledWeights<P>::transposed(x, k, size));
        });
    mlp.few(mlp.gate.quantized(pieces));
  }

  void reference(Doubles x, Doubles wg, Doubles wg_scales, Doubles wu,
                 Doubles wu_scales, Doubles wd, Doubles wd_scales, Doubles bg,
                 Doubles bu, Doubles bd, Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_SWIGLU_SCALED_H
