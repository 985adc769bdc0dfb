//===- reference.h - Normalised rows in 8 bits, in plain loops ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_REFERENCE_H
#define KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_REFERENCE_H

#include "quantization/norm_quantize/kernel.h"
#include "quantization/norm_quantize/scaled.h"
#include "quantization/quantize/reference.h"
#include "support/list.h"
#include "support/plain.h"
#include "support/rounded.h"

namespace kiln::kernels {

/// Rows after the norm, one below the other; `sum` is written if it is there.
inline List<double> normalisedRows(Doubles x, Doubles residual, Doubles gamma,
                                   Doubles sum, double epsilon) {
  const std::int64_t rows = x.dim(0), cols = x.dim(1);
  List<double> result(static_cast<std::size_t>(rows * cols));
  for (std::int64_t r = 0; r < rows; ++r) {
    double *const row = &result[static_cast<std::size_t>(r * cols)];
    double squares = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      row[c] = x(r, c);
      if (residual.size() > 0)
        sum(r, c) = row[c] = rounded<bf16>(x(r, c) + residual(r, c));
      squares += row[c] * row[c];
    }
    const double root = plain::sqrt(squares / double(cols) + epsilon);
    for (std::int64_t c = 0; c < cols; ++c)
      row[c] = rounded<bf16>(row[c] * gamma[c]) / root;
  }
  return result;
}

template <class T>
void NormQuantize<T>::reference(Doubles x, Doubles others, Doubles gamma,
                                Doubles sum, Doubles scales, Doubles y) const {
  List<double> normal = normalisedRows(x, others, gamma, sum, double(epsilon));
  const std::int64_t shape[] = {rows, cols};
  Quantize<T>{rows, cols, scale, factor}.reference(
      Doubles(normal.data(), shape, 2), scales, y);
}

template <class P>
void NormQuantizeScaled<P>::reference(Doubles x, Doubles others, Doubles gamma,
                                      Doubles sum, Doubles scales,
                                      Doubles y) const {
  List<double> normal = normalisedRows(x, others, gamma, sum, double(epsilon));
  for (double &value : normal)
    value = rounded<bf16>(value);
  const std::int64_t shape[] = {rows, cols};
  QuantizeScaled<P>{rows, cols, scale, factor}.reference(
      Doubles(normal.data(), shape, 2), scales, y);
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_QUANTIZATION_NORM_QUANTIZE_REFERENCE_H
