//===- SomeInputs.h - Inputs for compiled kernels ------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_RUNTIME_SIM_SOMEINPUTS_H
#define KILN_TEST_RUNTIME_SIM_SOMEINPUTS_H

#include "kiln/isa/module.h"
#include "kiln/sim/executor.h"

#include <bit>
#include <cstring>
#include <random>
#include <vector>

namespace kiln::sim::test {

/// Numbers between -1.7 and 1.7 for each input of 16 or 32-bit elements, the
/// same on every host.
inline std::vector<TensorData> someInputs(const isa::Module &module,
                                          unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TensorData> inputs;
  for (const isa::Tensor &tensor : module.tensors) {
    if (tensor.kind != isa::TensorKind::input &&
        tensor.kind != isa::TensorKind::inout)
      continue;
    TensorData data{tensor.name, {}};
    data.bytes.resize(tensor.sizeInBytes());
    const unsigned size = isa::sizeInBytes(tensor.dtype);
    for (std::size_t at = 0; at + size <= data.bytes.size(); at += size) {
      const float x =
          (static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f) * 1.7f;
      // The upper half of an fp32 is a bf16.
      const std::uint32_t bits =
          std::bit_cast<std::uint32_t>(x) >> (32 - 8 * size);
      std::memcpy(&data.bytes[at], &bits, size);
    }
    inputs.push_back(std::move(data));
  }
  return inputs;
}

} // namespace kiln::sim::test

#endif // KILN_TEST_RUNTIME_SIM_SOMEINPUTS_H
