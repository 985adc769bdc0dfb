//===- Converter.cpp - fp32 to and from the types of elements -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "kiln/isa/split_mix.h"

#include <bit>

namespace kiln::sim {

void Converter::flush(float *data, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(data[i]);
    const bool subnormal = (bits & 0x7f800000u) == 0;
    data[i] = std::bit_cast<float>(subnormal ? bits & 0x80000000u : bits);
  }
}

std::uint32_t Converter::nextSeed() {
  return static_cast<std::uint32_t>(isa::splitMix(state) >> 32);
}

} // namespace kiln::sim
