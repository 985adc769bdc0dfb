//===- reference.cpp - Row softmax, in plain loops ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

#include <algorithm>
#include <cmath>

namespace kiln::kernels {

void softmaxReference(const ParameterValues &, ReferenceTensors &tensors) {
  const ReferenceTensor &x = tensors.at("x");
  ReferenceTensor &y = tensors.at("y");
  const std::int64_t rows = x.shape[0], cols = x.shape[1];
  for (std::int64_t r = 0; r < rows; ++r) {
    const double *in = x.values.data() + r * cols;
    double *out = y.values.data() + r * cols;
    const double largest = *std::max_element(in, in + cols);
    double sum = 0;
    for (std::int64_t c = 0; c < cols; ++c)
      sum += out[c] = std::exp(in[c] - largest);
    for (std::int64_t c = 0; c < cols; ++c)
      out[c] /= sum;
  }
}

} // namespace kiln::kernels
