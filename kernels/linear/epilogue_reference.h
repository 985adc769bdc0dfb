//===- epilogue_reference.h - Epilogues of products, in plain loops -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_KERNELS_LINEAR_EPILOGUE_REFERENCE_H
#define KILN_KERNELS_LINEAR_EPILOGUE_REFERENCE_H

#include "kiln/dsl/doubles.h"

#include "linear/epilogue.h"
#include "support/plain.h"

namespace kiln::kernels {

inline double activated(Activation activation, double value) {
  switch (activation) {
  case Activation::silu:
    return value / (1 + plain::exp(-value));
  case Activation::gelu:
    return value / 2 * __builtin_erfc(-value / __builtin_sqrt(2.0));
  case Activation::relu:
    return plain::max(value, 0.0);
  case Activation::none:
    break;
  }
  return value;
}

/// y = activation(factor * y * scales + bias) + residual; what is not there is
/// empty.
inline void finishProduct(Doubles y, Activation activation, Doubles bias,
                          Doubles residual, Doubles xScales, Doubles wScales,
                          double factor = 1) {
  const auto scale = [](Doubles scales, std::int64_t i) {
    return scales.size() == 0 ? 1.0 : scales[scales.size() == 1 ? 0 : i];
  };
  for (std::int64_t m = 0; m < y.dim(0); ++m)
    for (std::int64_t n = 0; n < y.dim(1); ++n) {
      double value = factor * y(m, n) * scale(xScales, m) * scale(wScales, n);
      value = activated(activation, bias.size() > 0 ? value + bias[n] : value);
      y(m, n) = residual.size() > 0 ? value + residual(m, n) : value;
    }
}

} // namespace kiln::kernels

#endif // KILN_KERNELS_LINEAR_EPILOGUE_REFERENCE_H
