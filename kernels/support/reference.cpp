//===- reference.cpp - Runs the reference of a kernel ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/kernels/reference.h"

namespace kiln::kernels {

void computeReference(const KernelEntry &kernel, const ParameterValues &values,
                      std::vector<ReferenceTensors> &ranks) {
  DoublesOfLaunch doubles;
  for (ReferenceTensors &tensors : ranks) {
    DoublesByName &own = doubles.emplace_back();
    for (auto &[name, tensor] : tensors)
      own[name] = Doubles(tensor.values.data(), tensor.shape.data(),
                          tensor.shape.size());
  }
  kernel.runReference(values, doubles);
}

} // namespace kiln::kernels
