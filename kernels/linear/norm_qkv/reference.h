//===- reference.h - Norm, QKV projection and RoPE, in plain loops --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_NORM_QKV_REFERENCE_H
#define KILN_KERNELS_LINEAR_NORM_QKV_REFERENCE_H

#include "linear/head_major_reference.h"
#include "linear/norm_qkv/kernel.h"
#include "linear/norm_qkv/quantized.h"
#include "linear/quantized_reference.h"
#include "support/list.h"
#include "support/parallel_for.h"
#include "support/plain.h"
#include "support/plain_product.h"
#include "support/rounded.h"

namespace kiln::kernels {

/// LayerNorm of every row, as the product takes it: in T.
template <class T>
List<double> layerNormed(Doubles x, Doubles gamma, Doubles beta,
                         double epsilon) {
  const std::int64_t depth = x.dim(1);
  List<double> result(x.size());
  parallelFor(x.dim(0), [&](std::int64_t m) {
    double sum = 0, squares = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += x(m, k);
    const double mean = sum / depth;
    for (std::int64_t k = 0; k < depth; ++k)
      squares += (x(m, k) - mean) * (x(m, k) - mean);
    const double root = plain::sqrt(squares / depth + epsilon);
    for (std::int64_t k = 0; k < depth; ++k)
      result[static_cast<std::size_t>(m * depth + k)] =
          rounded<T>((x(m, k) - mean) / root * gamma[k] + beta[k]);
  });
  return result;
}

template <class T>
void NormQkv<T>::reference(Doubles x, Doubles r1, Doubles r2, Doubles gamma,
                           Doubles beta, Doubles w, Doubles b, Doubles gamma_q,
                           Doubles gamma_k, Doubles cos, Doubles sin, Doubles z,
                           Doubles y, Doubles y_heads) const {
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = rounded<T>(x[i] + r1[i] + (r2.size() > 0 ? r2[i] : 0));
  List<double> normed;
  const std::int64_t shape[] = {tokens, hidden};
  Doubles rows = residuals > 0 ? z : x;
  if (norm == Norm::layer) {
    normed = layerNormed<T>(rows, gamma, beta, double(epsilon));
    rows = {normed.data(), shape, 2};
  }
  withTokenMajor(y, y_heads, [&](Doubles result) {
    projectReference(rows, gamma, w, b, gamma_q, gamma_k, cos, sin, result);
  });
}

template <class T>
void NormQkv<T>::projectReference(Doubles x, Doubles gamma, Doubles w,
                                  Doubles b, Doubles gamma_q, Doubles gamma_k,
                                  Doubles cos, Doubles sin, Doubles y) const {
  // The product takes x * gamma as T; the scale of the row comes behind it.
  List<double> rows(x.size());
  for (std::int64_t t = 0; t < tokens; ++t) {
    double squares = 0;
    for (std::int64_t k = 0; k < hidden; ++k)
      squares += x(t, k) * x(t, k);
    const double scale = 1 / plain::sqrt(squares / hidden + double(epsilon));
    for (std::int64_t k = 0; k < hidden; ++k)
      rows[static_cast<std::size_t>(t * hidden + k)] =
          norm == Norm::rms ? rounded<T>(x(t, k) * gamma[k]) * scale : x(t, k);
    for (std::int64_t j = 0; j < width(); ++j)
      y(t, j) = bias ? b[j] : 0;
  }
  addProduct({rows.data(), hidden}, w, {y.begin(), width()}, tokens, hidden,
             width());
  for (std::int64_t t = 0; t < tokens; ++t)
    finishReference(t, gamma_q, gamma_k, cos, sin, y);
}

template <class T>
void NormQkv<T>::finishReference(std::int64_t t, Doubles gamma_q,
                                 Doubles gamma_k, Doubles cos, Doubles sin,
                                 Doubles y) const {
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
}

template <class T>
void NormQkvQuantized<T>::reference(Doubles x, Doubles r1, Doubles r2,
                                    Doubles gamma, Doubles beta, Doubles w,
                                    Doubles w_scales, Doubles b,
                                    Doubles gamma_q, Doubles gamma_k,
                                    Doubles cos, Doubles sin, Doubles z,
                                    Doubles y, Doubles y_heads) const {
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = rounded<bf16>(x[i] + r1[i] + (r2.size() > 0 ? r2[i] : 0));
  const Doubles of = residuals > 0 ? z : x;
  List<double> normed =
      norm == Norm::layer
          ? layerNormed<bf16>(of, gamma, beta, double(epsilon))
          : normedRows(of, gamma, norm == Norm::rms, double(epsilon));
  const std::int64_t shape[] = {tokens, hidden};
  withTokenMajor(y, y_heads, [&](Doubles result) {
    quantizedProduct<T>({normed.data(), shape, 2}, w, w_scales, scales,
                        double(unit), result);
    parallelFor(tokens, [&](std::int64_t t) {
      for (std::int64_t j = 0; j < result.dim(1); ++j)
        result(t, j) += bias ? b[j] : 0;
      wide().finishReference(t, gamma_q, gamma_k, cos, sin, result);
    });
  });
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_NORM_QKV_REFERENCE_H
