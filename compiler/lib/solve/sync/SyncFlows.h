//===- SyncFlows.h - Streams of tokens between two streams ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_SYNC_SYNCFLOWS_H
#define KILN_COMPILER_LIB_SOLVE_SYNC_SYNCFLOWS_H

#include "SyncFootprint.h"

#include <optional>
#include <vector>

namespace kiln::problems::sync {

/// A child of a block: an instruction or a whole loop.
struct NodeRef {
  bool loop = false;
  std::uint32_t index = 0;
};

/// All tokens from one execution stream to one issuing stream within one
/// block at one distance. The k-th signal answers the k-th wait, so sources
/// and targets are both in program order.
struct Flow {
  ExecutionStream from = 0;
  isa::Engine to = isa::Engine::sync;
  LoopId block = noLoop;
  std::uint32_t distance = 0; ///< Iterations; credits cover the first ones.
  /// A loop, `block` or one around it. The flow is drained behind it, so that
  /// `to` then knows that `from` is done with it. Other carried flows run on
  /// beyond the outermost loop.
  LoopId completes = noLoop;
  /// Drained only in front of this one, if the loop is.
  std::optional<NodeRef> before = {};

  struct Edge {
    NodeRef source;
    NodeRef target;
  };
  std::vector<Edge> edges = {};
};

/// The flows that order every hazard.
std::vector<Flow> findFlows(const SyncProblem &problem, const LoopTree &tree);

/// Flows as tokens: places them, numbers at most so many semaphores.
Parsed<SyncSolution> placeTokens(const SyncProblem &problem,
                                 const LoopTree &tree,
                                 const std::vector<Flow> &flows,
                                 std::size_t semaphores);

} // namespace kiln::problems::sync

#endif // KILN_COMPILER_LIB_SOLVE_SYNC_SYNCFLOWS_H
