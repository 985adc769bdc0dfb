//===- Decisions.h - Conditions that nobody knows ---------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_STREAMS_DECISIONS_H
#define KILN_COMPILER_LIB_PROVE_STREAMS_DECISIONS_H

#include <cstdint>
#include <map>

namespace kiln::problems::checker {

/// One number from two, the same on every host.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t bits = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 29) * 0x94d049bb133111ebu;
  return bits ^ bits >> 32;
}

/// What a simulation assumes about conditions and trip counts in memory. Each
/// distinct one has a number, in the order in which plays meet them; a play by
/// bit k takes those true whose number has it, so that over all bits and their
/// opposites any two of them differ in one play, either way round.
struct Decisions {
  enum class By : std::uint8_t { all, none, bit, oppositeBit };
  By by = By::all;
  unsigned bit = 0;
  std::map<std::uint64_t, std::uint32_t> numbers; ///< By identity.

  bool holds(std::uint64_t identity) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    const auto entry = numbers.try_emplace(identity, number).first;
    const bool set = entry->second >> bit & 1;
    return by == By::all || (by == By::bit && set) ||
           (by == By::oppositeBit && !set);
  }
};

} // namespace kiln::problems::checker

#endif // KILN_COMPILER_LIB_PROVE_STREAMS_DECISIONS_H
