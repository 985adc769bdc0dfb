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

/// Close to standard normal, from three numbers: twelve 16-bit uniforms have a
/// variance of one in units of 2^16. Exact in double, and without libm.
constexpr double splitMixNormal(std::uint64_t &state) {
  std::int64_t sum = -6 * 0xffff;
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t bits = splitMix(state);
    for (int part = 0; part < 4; ++part)
      sum += static_cast<std::int64_t>((bits >> (16 * part)) & 0xffff);
  }
  return static_cast<double>(sum) / 65536.0;
}

} // namespace kiln::isa

#endif // KILN_ISA_SPLITMIX_H
