//===- Tokens.h - Semaphores, and when their tokens arrive ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_TOKENS_H
#define KILN_SIM_LIB_TIMING_TOKENS_H

#include "kiln/isa/instruction.h"
#include "kiln/sim/trace.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kiln::sim::timing {

/// A group of tokens that one instruction gave.
struct Token {
  Picoseconds arrival = 0; ///< When a waiting engine can act on it.
  std::uint32_t count = 0;
  StallReason reason = StallReason::waitSync;
  std::uint16_t meeting = 0; ///< What its giver waited for; see PeerWaits.
  Producer producer;
  Picoseconds way = 0; ///< The part of `arrival` that the hand-off took.
};

/// The tokens of one semaphore, earliest first: waits take them in that order.
class TokenQueue {
public:
  void give(Token token) {
    std::size_t at = tokens.size();
    tokens.push_back(token);
    for (; at > first && tokens[at - 1].arrival > token.arrival; --at)
      tokens[at] = tokens[at - 1];
    tokens[at] = token;
    available += token.count;
    const auto paid =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(owed, available));
    owed -= paid;
    take(paid);
  }
  /// Takes what is there, and the rest as soon as it comes.
  void takeEarly(std::uint32_t value) {
    const auto now =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(value, available));
    take(now);
    owed += value - now;
  }

  std::uint64_t count() const { return available; }

  /// The token that completes `value`, or null if too few were given.
  const Token *completing(std::uint32_t value) const {
    if (available < value)
      return nullptr;
    std::size_t at = first;
    for (std::uint32_t sum = 0; (sum += tokens[at].count) < value;)
      ++at;
    return &tokens[at];
  }

  void take(std::uint32_t value) {
    available -= value;
    while (value > 0) {
      const std::uint32_t part = std::min(value, tokens[first].count);
      tokens[first].count -= part;
      value -= part;
      if (tokens[first].count == 0)
        ++first;
    }
    if (first == tokens.size()) {
      tokens.clear();
      first = 0;
    } else if (first >= 32) {
      tokens.erase(tokens.begin(), tokens.begin() + static_cast<long>(first));
      first = 0;
    }
  }

private:
  std::vector<Token> tokens;
  std::size_t first = 0;
  std::uint64_t available = 0;
  std::uint64_t owed = 0;
};

/// The semaphores of a core.
class Semaphores {
public:
  Semaphores() : queues(isa::numSemaphores) {}

  /// The token that completes the wait, or null if too few were given.
  const Token *completing(const isa::Wait &wait) const {
    return queues[wait.semaphore].completing(wait.value);
  }
  void take(const isa::Wait &wait) { queues[wait.semaphore].take(wait.value); }
  void takeEarly(const isa::Wait &wait) {
    queues[wait.semaphore].takeEarly(wait.value);
  }
  void give(unsigned semaphore, const Token &token) {
    queues[semaphore].give(token);
  }
  std::uint64_t count(unsigned semaphore) const {
    return queues[semaphore].count();
  }

private:
  std::vector<TokenQueue> queues;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_TOKENS_H
