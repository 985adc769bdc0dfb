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
#include "support/parallel_for.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void NormMlp<T>::reference(Doubles x, Doubles gamma, Doubles wg, Doubles wu,
                           Doubles wd, Doubles bg, Doubles bu, Doubles bd,
                           Doubles y) const {
  parallelFor(tokens, [&](std::int64_t t) {
    double squares = 0;
    for (std::int64_t k = 0; k < hidden; ++k)
      squares += x(t, k) * x(t, k);
    const double scale = 1 / plain::sqrt(squares / hidden + double(epsilon));
    List<double> gate(static_cast<std::size_t>(inner)), up = gate;
    for (std::size_t j = 0; bias && j < gate.size(); ++j) {
      gate[j] = bg[j];
      up[j] = bu[j];
    }
    for (std::int64_t k = 0; k < hidden; ++k) {
      const double value =
          norm ? rounded<T>(x(t, k) * scale * gamma[k]) : x(t, k);
      for (std::size_t j = 0; j < gate.size(); ++j) {
        gate[j] += value * wg(k, j);
        up[j] += value * wu(k, j);
      }
    }
    for (std::int64_t j = 0; j < hidden; ++j)
      y(t, j) = (residual ? double(share) * x(t, j) : 0) + (bias ? bd[j] : 0);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const double h = rounded<T>(Gate{activation}.reference(gate[i], up[i]));
      for (std::int64_t j = 0; j < hidden; ++j)
        y(t, j) += h * wd(i, j);
    }
  });
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
