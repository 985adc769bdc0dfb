//===- reference.cpp - y = x w (+ b), in plain loops --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

namespace kiln::kernels {

void qkvReference(const ParameterValues &, ReferenceTensors &tensors) {
  const ReferenceTensor &x = tensors.at("x"), &w = tensors.at("w");
  const auto bias = tensors.find("b"); // Absent without --bias.
  ReferenceTensor &y = tensors.at("y");
  const std::int64_t tokens = x.shape[0], hidden = x.shape[1],
                     width = w.shape[1];
  parallelFor(tokens, [&](std::int64_t t) {
    double *row = y.values.data() + t * width;
    for (std::int64_t j = 0; j < width; ++j)
      row[j] = bias == tensors.end() ? 0 : bias->second.values[j];
    for (std::int64_t k = 0; k < hidden; ++k)
      for (std::int64_t j = 0; j < width; ++j)
        row[j] += x.values[t * hidden + k] * w.values[k * width + j];
  });
}

} // namespace kiln::kernels
