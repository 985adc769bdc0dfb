//===- reference.cpp - RMS normalisation, in plain loops ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

#include <cmath>

namespace kiln::kernels {

void rmsnormReference(const ParameterValues &, ReferenceTensors &tensors) {
  const ReferenceTensor &x = tensors.at("x"), &gamma = tensors.at("gamma");
  ReferenceTensor &y = tensors.at("y");
  const std::int64_t rows = x.shape[0], cols = x.shape[1];
  for (std::int64_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (std::int64_t c = 0; c < cols; ++c)
      squares += x.values[r * cols + c] * x.values[r * cols + c];
    const double root = std::sqrt(squares / cols + 1e-5);
    for (std::int64_t c = 0; c < cols; ++c)
      y.values[r * cols + c] = x.values[r * cols + c] / root * gamma.values[c];
  }
}

} // namespace kiln::kernels
