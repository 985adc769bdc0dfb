//===- reference.cpp - All-gather, in plain loops -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

#include <algorithm>

namespace kiln::kernels {

void ringAllGatherReference(const ParameterValues &,
                            std::vector<ReferenceTensors> &ranks) {
  for (ReferenceTensors &own : ranks) {
    auto to = own.at("y").values.begin();
    for (const ReferenceTensors &other : ranks) {
      const std::vector<double> &x = other.at("x").values;
      to = std::copy(x.begin(), x.end(), to);
    }
  }
}

} // namespace kiln::kernels
