//===- reference.cpp - The sum of all ranks' squares, in plain loops ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

namespace kiln::kernels {

void sbufAllReduceReference(const ParameterValues &,
                            std::vector<ReferenceTensors> &ranks) {
  for (ReferenceTensors &own : ranks) {
    std::vector<double> &y = own.at("y").values;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = 0;
      for (const ReferenceTensors &other : ranks)
        y[i] += other.at("x").values[i] * other.at("x").values[i];
    }
  }
}

} // namespace kiln::kernels
