//===- reference.h - Norm, QKV projection and RoPE, in plain loops --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_QKV_REFERENCE_H
#define KILN_KERNELS_LINEAR_NORM_QKV_REFERENCE_H

#include "linear/norm_qkv/kernel.h"
#include "support/parallel_for.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

template <class T>
void NormQkv<T>::reference(Doubles x, Doubles r1, Doubles r2, Doubles gamma,
                           Doubles w, Doubles b, Doubles gamma_q,
                           Doubles gamma_k, Doubles cos, Doubles sin, Doubles z,
                           Doubles y) const {
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = rounded<T>(x[i] + r1[i] + (r2.size() > 0 ? r2[i] : 0));
  projectReference(residuals > 0 ? z : x, gamma, w, b, gamma_q, gamma_k, cos,
                   sin, y);
}

template <class T>
void NormQkv<T>::projectReference(Doubles x, Doubles gamma, Doubles w,
                                  Doubles b, Doubles gamma_q, Doubles gamma_k,
                                  Doubles cos, Doubles sin, Doubles y) const {
  parallelFor(tokens, [&](std::int64_t t) {
    double squares = 0;
    for (std::int64_t k = 0; k < hidden; ++k)
      squares += x(t, k) * x(t, k);
    const double scale = 1 / plain::sqrt(squares / hidden + double(epsilon));
    for (std::int64_t j = 0; j < width(); ++j)
      y(t, j) = bias ? b[j] : 0;
    for (std::int64_t k = 0; k < hidden; ++k) {
      // The product takes x * gamma as T; the scale of the row comes behind it.
      const double value =
          norm ? rounded<T>(x(t, k) * gamma[k]) * scale : x(t, k);
      for (std::int64_t j = 0; j < width(); ++j)
        y(t, j) += value * w(k, j);
    }
    for (std::int64_t h = 0; head_norm && h < heads + kv_heads; ++h) {
      double sum = 0;
      for (std::int64_t i = 0; i < head_dim; ++i)
        sum += y(t, h * head_dim + i) * y(t, h * head_dim + i);
      const double root = plain::sqrt(sum / head_dim + double(epsilon));
      for (std::int64_t i = 0; i < head_dim; ++i)
        y(t, h * head_dim + i) *= (h < heads ? gamma_q : gamma_k)[i] / root;
    }
    const std::int64_t pairs = head_dim / 2;
    for (std::int64_t h = 0; rope && h < heads + kv_heads; ++h)
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t at = h * head_dim + i;
        const double first = y(t, at), second = y(t, at + pairs);
        y(t, at) = first * cos(t, i) - second * sin(t, i);
        y(t, at + pairs) = second * cos(t, i) + first * sin(t, i);
      }
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_QKV_REFERENCE_H
