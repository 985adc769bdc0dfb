//===- quantized.h - Norm, feed-forward layer and residual in 8 and 4 bits ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_MLP_QUANTIZED_H
#define KILN_KERNELS_LINEAR_NORM_MLP_QUANTIZED_H

#include "linear/norm_mlp/kernel.h"
#include "linear/normed_rows.h"
#include "linear/quantized_mlp.h"

namespace kiln::kernels {

/// norm_mlp with the weights quantized ahead to T; norm(x) and what wd
/// multiplies are quantized on chip.
template <class T> struct NormMlpQuantized {
  BOOST_HANA_DEFINE_STRUCT(NormMlpQuantized, (int, tokens), (int, hidden),
                           (int, inner), (bool, norm), (bool, residual),
                           (float, epsilon), (bool, bias), (Scales, scales),
                           (float, unit), (float, inner_unit),
                           (GateActivation, activation));

  using Weights = QuantizedWeights<T>;

  static NormMlpQuantized defaults() {
    return NormMlp<bf16>::defaultsOf<NormMlpQuantized>();
  }

  void describe(Signature &s) const {
    const NormMlp<bf16> wide{tokens,   hidden,  inner,     norm,
                             residual, epsilon, bias,      Scales::none,
                             1,        1,       activation};
    wide.describeWith(s, [&](std::string_view name, std::int64_t inputs,
                             std::int64_t outputs) {
      describeQuantized<T>(s, name, inputs, outputs, scales);
    });
  }

  void operator()(In<bf16, 2> x, In<bf16, 1> gamma, In<T, 2> wg,
                  In<ScaleOf<T>, 2> wg_scales, In<T, 2> wu,
                  In<ScaleOf<T>, 2> wu_scales, In<T, 2> wd,
                  In<ScaleOf<T>, 2> wd_scales, In<bf16, 1> bg, In<bf16, 1> bu,
                  In<bf16, 1> bd, Out<bf16, 2> y) const {
    requireQuantized<T>(hidden, scales, unit);
    requireQuantized<T>(inner, scales, inner_unit);
    const QuantizedMlp<T> mlp{
        tokens,
        {wg, wg_scales, scales, unit},
        {wu, wu_scales, scales, unit},
        {wd, wd_scales, scales, inner_unit},
        {bias, bg, bu, bd},
        {activation},
        {.bias = bd, .hasBias = bias, .residual = x, .hasResidual = residual},
        y};
    const NormedRows<Weights> rows{x, gamma, norm, epsilon};
    if (tokens <= 128)
      return mlp.few(mlp.gate.quantized(rows.transposed()));
    if (!norm)
      return mlp.many(mlp.gate.quantizedAhead("x", x));
    rows.withRows([&](auto rowsOf) {
      mlp.many(mlp.gate.quantizedAhead("x", tokens, rowsOf));
    });
  }

  void reference(Doubles x, Doubles gamma, Doubles wg, Doubles wg_scales,
                 Doubles wu, Doubles wu_scales, Doubles wd, Doubles wd_scales,
                 Doubles bg, Doubles bu, Doubles bd,
                 Doubles y) const; // In reference.h.
};

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_MLP_QUANTIZED_H
