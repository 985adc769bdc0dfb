//===- split_mix.h - A small mixing generator -------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_SPLITMIX_H
#define KILN_ISA_SPLITMIX_H

#include <cstdint>

namespace kiln::isa {

/// As if `count` numbers had been taken.
constexpr void skipSplitMix(std::uint64_t &state, std::uint64_t count) {
  state += count * 0x9e3779b97f4a7c15u;
}

/// SplitMix64 (Steele, Lea, Flood 2014): a counter whose bits are mixed well.
/// The same on every host.
constexpr std::uint64_t splitMix(std::uint64_t &state) {
  skipSplitMix(state, 1);
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

} // namespace kiln::isa

#endif // KILN_ISA_SPLITMIX_H
