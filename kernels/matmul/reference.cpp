//===- reference.cpp - c = a b, in plain loops --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

namespace kiln::kernels {

void matmulReference(const ParameterValues &, ReferenceTensors &tensors) {
  const ReferenceTensor &a = tensors.at("a"), &b = tensors.at("b");
  ReferenceTensor &c = tensors.at("c");
  const std::int64_t m = a.shape[0], depth = a.shape[1], n = b.shape[1];
  parallelFor(m, [&](std::int64_t i) {
    double *row = c.values.data() + i * n;
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        row[j] += a.values[i * depth + k] * b.values[k * n + j];
  });
}

} // namespace kiln::kernels
