//===- SplitMix.h - A small mixing generator --------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_SPLITMIX_H
#define KILN_SIM_LIB_FUNCTION_SPLITMIX_H

#include <cstdint>

namespace kiln::sim {

/// SplitMix64: the next number, the same on every host.
constexpr std::uint64_t splitMix(std::uint64_t &state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The digest of a sequence, with one more event behind it.
constexpr std::uint64_t noteInOrder(std::uint64_t digest, std::uint64_t event) {
  std::uint64_t state = digest ^ event * 0xd6e8feb86659fd93u;
  return splitMix(state);
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_SPLITMIX_H
