//===- reference.cpp - Reduce-scatter, in plain loops ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

namespace kiln::kernels {

void ringReduceScatterReference(const ParameterValues &,
                                std::vector<ReferenceTensors> &ranks) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::vector<double> &y = ranks[r].at("y").values;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = 0;
      for (const ReferenceTensors &other : ranks)
        y[i] += other.at("x").values[r * y.size() + i];
    }
  }
}

} // namespace kiln::kernels
