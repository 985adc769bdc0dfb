//===- SyncFootprint.h - When two footprints can meet ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The solver's view of overlap. Exact for accesses whose addresses move alike;
// where they move apart (other coefficients, other rings) the run-time part is
// taken as free, which can only report more overlap.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_SYNC_SYNCFOOTPRINT_H
#define KILN_COMPILER_LIB_SOLVE_SYNC_SYNCFOOTPRINT_H

#include "kiln/compiler/problem/SyncProblem.h"

#include <vector>

namespace kiln::problems::sync {

/// `stride * x` for some 0 <= x < count.
struct Steps {
  std::int64_t stride = 0;
  std::int64_t count = 1;
};

/// Is there a choice of all x with low <= sum(stride * x) <= high?
bool reaches(std::vector<Steps> steps, std::int64_t low, std::int64_t high);

/// Bytes [low, high).
struct Hull {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Loops by depth, with the questions that the analyses ask.
class LoopTree {
public:
  explicit LoopTree(const SyncProblem &problem);

  LoopId parent(LoopId loop) const { return problem.loops[loop].parent; }
  unsigned depth(LoopId loop) const {
    return loop == noLoop ? 0 : depths[loop];
  }
  /// `outer` encloses `inner` or is it; noLoop encloses everything.
  bool encloses(LoopId outer, LoopId inner) const;
  bool strictlyEncloses(LoopId outer, LoopId inner) const {
    return outer != inner && encloses(outer, inner);
  }
  /// Runs at least once whenever it is reached.
  bool surelyRuns(LoopId loop) const;
  /// Upper bound of the iterations, for expanding a term.
  std::int64_t maxTrips(LoopId loop) const;
  LoopId root(LoopId loop) const;

private:
  const SyncProblem &problem;
  std::vector<unsigned> depths;
};

/// One access with its place in the program.
struct PlacedAccess {
  const Footprint *bytes = nullptr;
  LoopId loop = noLoop; ///< Innermost loop around it.
};

class FootprintAnalysis {
public:
  explicit FootprintAnalysis(const LoopTree &tree) : tree(tree) {}

  /// All bytes touched over every iteration of every loop.
  Hull hull(const Footprint &bytes) const;

  /// Can the two meet in one iteration of `block` (both are inside it)?
  bool meetWithin(const PlacedAccess &a, const PlacedAccess &b,
                  LoopId block) const;

  /// The least distance >= 1 at which `a` of an iteration of `loop` can meet
  /// `b` of a later one; 0 if never. May be too small, never too large.
  std::uint32_t carriedDistance(const PlacedAccess &a, const PlacedAccess &b,
                                LoopId loop) const;

  /// Is every meeting of `a` and a later `b` across iterations of `outer`
  /// already ordered by the distance that holds in a loop between? Flows run
  /// on across entries of inner loops, so distances count global iterations.
  bool orderedBelow(const PlacedAccess &a, const PlacedAccess &b,
                    LoopId outer) const;

  /// Whatever conflicts with `old` later, seen from `block`, also conflicts
  /// with `fresh`, a write that comes after it in the same iteration.
  /// `carried`: with `fresh` in any later iteration instead.
  bool covers(const PlacedAccess &fresh, const PlacedAccess &old, LoopId block,
              bool carried) const;

private:
  bool meet(const PlacedAccess &a, const PlacedAccess &b, LoopId loop,
            std::int64_t distance) const;
  bool sameRing(const Footprint &a, const Footprint &b) const;
  bool orderedByRing(const PlacedAccess &a, const PlacedAccess &b,
                     LoopId outer) const;

  const LoopTree &tree;
};

} // namespace kiln::problems::sync

#endif // KILN_COMPILER_LIB_SOLVE_SYNC_SYNCFOOTPRINT_H
