//===- SpacePlacement.h - Ways to place tiles in a memory -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_SPACE_SPACEPLACEMENT_H
#define KILN_COMPILER_LIB_SOLVE_SPACE_SPACEPLACEMENT_H

#include "kiln/compiler/problem/SpaceProblem.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kiln::problems {

/// Bytes [first, second).
using SpaceRange = std::pair<std::uint64_t, std::uint64_t>;

/// Places for all tiles, or the tile that could not be placed.
struct SpaceAttempt {
  std::optional<std::vector<SpacePlace>> places;
  std::uint32_t stuck = 0;
};

/// The first legal offset of `tile` at or above `offset`, alignment and banks
/// considered; nothing if it cannot be legal anywhere near.
std::optional<std::uint64_t> legalFrom(const SpaceProblem &problem,
                                       const SpaceRectangle &tile,
                                       std::uint64_t offset);

/// The bytes that it may lie in.
inline SpaceLimit limitOf(const SpaceProblem &problem,
                          const SpaceRectangle &tile) {
  SpaceLimit limit = tile.within.value_or(SpaceLimit{0, problem.capacity});
  limit.end = std::max(limit.begin, std::min(limit.end, problem.capacity));
  return limit;
}

inline bool liveTogether(const SpaceRectangle &a, const SpaceRectangle &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

/// `startA` and `startB` are their first partitions.
inline bool sharePartitions(const SpaceRectangle &a, std::uint32_t startA,
                            const SpaceRectangle &b, std::uint32_t startB) {
  return startA < startB + b.partitions && startB < startA + a.partitions;
}

/// Through time: tiles leave and enter, each into the smallest gap that holds
/// it and that no pinned tile of its lifetime needs.
SpaceAttempt placeThroughTime(const SpaceProblem &problem);

/// Through time, each tile into the banks that were given up longest ago. With
/// `aligned`, rings of as many banks leave no gaps between each other.
SpaceAttempt placeSpread(const SpaceProblem &problem, bool aligned);

/// Through time, each tile into the first gap behind the one placed before it,
/// and then from the start again: the bytes that were released first are reused
/// first.
SpaceAttempt placeAround(const SpaceProblem &problem);

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_SPACE_SPACEPLACEMENT_H
