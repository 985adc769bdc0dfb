//===- reference.h - Norm, feed-forward layer and residual, in plain loops ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_MLP_REFERENCE_H
#define KILN_KERNELS_LINEAR_NORM_MLP_REFERENCE_H

#include "linear/norm_mlp/kernel.h"
#include "linear/norm_mlp/quantized.h"
#include "linear/quantized_reference.h"
#include "support/list.h"
#include "support/plain.h"
#include "support/plain_product.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void NormMlp<T>::reference(Doubles x, Doubles gamma, Doubles wg, Doubles wu,
                           Doubles wd, Doubles bg, Doubles bu, Doubles bd,
                           Doubles y) const {
  List<double> rows(x.size());
  List<double> gate(static_cast<std::size_t>(tokens * inner)), up = gate;
  for (std::int64_t t = 0; t < tokens; ++t) {
    double squares = 0;
    for (std::int64_t k = 0; k < hidden; ++k)
      squares += x(t, k) * x(t, k);
    const double scale = 1 / plain::sqrt(squares / hidden + double(epsilon));
    for (std::int64_t k = 0; k < hidden; ++k)
      rows[static_cast<std::size_t>(t * hidden + k)] =
          norm ? rounded<T>(x(t, k) * gamma[k]) * scale : x(t, k);
    for (std::int64_t j = 0; j < hidden; ++j)
      y(t, j) = (residual ? double(share) * x(t, j) : 0) + (bias ? bd[j] : 0);
  }
  for (std::size_t i = 0; bias && i < gate.size(); ++i) {
    gate[i] = bg[i % static_cast<std::size_t>(inner)];
    up[i] = bu[i % static_cast<std::size_t>(inner)];
  }
  addProduct({rows.data(), hidden}, wg, {gate.data(), inner}, tokens, hidden,
             inner);
  addProduct({rows.data(), hidden}, wu, {up.data(), inner}, tokens, hidden,
             inner);
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] = rounded<T>(Gate{activation}.reference(gate[i], up[i]));
  addProduct({gate.data(), inner}, wd, y, tokens, inner, hidden);
}

template <class T>
void NormMlpQuantized<T>::reference(Doubles x, Doubles gamma, Doubles wg,
                                    Doubles wg_scales, Doubles wu,
                                    Doubles wu_scales, Doubles wd,
                                    Doubles wd_scales, Doubles bg, Doubles bu,
                                    Doubles bd, Doubles y) const {
  List<double> normed = normedRows(x, gamma, norm, double(epsilon));
  const std::int64_t shape[] = {tokens, hidden};
  quantizedMlp<T>(
      [&](const QuantizedLayer &its, Doubles result) {
        quantizedProduct<T>({normed.data(), shape, 2}, its.w, its.scales,
                            scales, double(unit), result);
      },
      {wg, wg_scales, bg}, {wu, wu_scales, bu}, {wd, wd_scales, bd}, tokens,
      scales, double(inner_unit), {activation}, y);
  for (std::size_t i = 0; residual && i < y.size(); ++i)
    y[i] += x[i];
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_MLP_REFERENCE_H
