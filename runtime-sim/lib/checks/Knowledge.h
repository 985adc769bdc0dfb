//===- Knowledge.h - What is known of the cores of all ranks ----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks share no memory, so an access is judged by the clock of its own rank.
// But what a rank did may be known to another one, which tells it to the other
// core of the first, or to another of its streams. So ranks carry what they
// learnt about each other, although they do not use it themselves.
//
// Clocks of other ranks change only at meetings, and never in place: cores that
// learnt of the same meeting share them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_KNOWLEDGE_H
#define KILN_SIM_LIB_CHECKS_KNOWLEDGE_H

#include "VectorClock.h"

#include <memory>
#include <span>
#include <vector>

namespace kiln::sim {

struct Knowledge;

/// Clocks of the ranks of a launch; its own clock as far as others know it.
/// Nothing is known before the first meeting.
class RankClocks {
public:
  /// The clock of a rank, or null.
  const VectorClock *of(unsigned rank) const {
    return rows && rank < rows->size() ? (*rows)[rank].get() : nullptr;
  }
  void join(const RankClocks &other);

  /// What all members of a meeting know together.
  struct Member {
    unsigned rank = 0;
    const Knowledge *knows = nullptr;
  };
  static RankClocks meet(std::span<const Member> members);

private:
  using Row = std::shared_ptr<const VectorClock>;
  using Rows = std::vector<Row>;
  static Row joined(const Row &a, const Row &b);

  std::shared_ptr<const Rows> rows;
};

/// What an event knows to have happened.
struct Knowledge {
  VectorClock own; ///< On the cores of its rank.
  RankClocks ranks;

  void join(const Knowledge &other) {
    own.join(other.own);
    ranks.join(other.ranks);
  }
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_KNOWLEDGE_H
