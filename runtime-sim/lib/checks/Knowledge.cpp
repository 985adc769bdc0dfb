//===- Knowledge.cpp - What is known of the cores of all ranks ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

namespace kiln::sim {

/// One of the two if it knows all that the other does: then it stays shared.
RankClocks::Row RankClocks::joined(const Row &a, const Row &b) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  VectorClock both = *a;
  both.join(*b);
  if (both.time == a->time)
    return a;
  if (both.time == b->time)
    return b;
  return std::make_shared<const VectorClock>(both);
}

void RankClocks::join(const RankClocks &other) {
  if (rows == other.rows || !other.rows)
    return;
  if (!rows) {
    rows = other.rows;
    return;
  }
  const Rows &mine = *rows;
  const Rows &theirs = *other.rows;
  Rows both(std::max(mine.size(), theirs.size()));
  const auto rowAt = [](const Rows &of, std::size_t rank) {
    return rank < of.size() ? of[rank] : Row();
  };
  for (std::size_t rank = 0; rank < both.size(); ++rank)
    both[rank] = joined(rowAt(mine, rank), rowAt(theirs, rank));
  if (both == mine)
    return;
  if (both == theirs)
    rows = other.rows;
  else
    rows = std::make_shared<const Rows>(std::move(both));
}

RankClocks RankClocks::meet(std::span<const Member> members) {
  RankClocks result;
  std::size_t size = 0;
  for (const Member &member : members) {
    result.join(member.knows->ranks);
    size = std::max<std::size_t>(size, member.rank + 1);
  }
  Rows all = result.rows ? *result.rows : Rows();
  all.resize(std::max(all.size(), size));
  for (const Member &member : members)
    all[member.rank] =
        joined(all[member.rank],
               std::make_shared<const VectorClock>(member.knows->own));
  result.rows = std::make_shared<const Rows>(std::move(all));
  return result;
}

} // namespace kiln::sim
