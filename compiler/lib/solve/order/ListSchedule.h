//===- ListSchedule.h - One order, by urgency -----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_ORDER_LISTSCHEDULE_H
#define KILN_COMPILER_LIB_SOLVE_ORDER_LISTSCHEDULE_H

#include "PsumBanks.h"

#include "kiln/compiler/problem/OrderProblem.h"

#include <array>
#include <vector>

namespace kiln::problems {

/// Successor lists of the edges within an iteration.
struct Successors {
  std::vector<std::uint32_t> first, edge;

  explicit Successors(const OrderProblem &problem)
      : first(problem.operations.size() + 1, 0) {
    for (const OrderEdge &e : problem.edges)
      if (e.distance == 0)
        ++first[e.from + 1];
    for (std::size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    edge.resize(first.back());
    std::vector<std::uint32_t> cursor(first.begin(), first.end() - 1);
    for (std::uint32_t e = 0; e < problem.edges.size(); ++e)
      if (problem.edges[e].distance == 0)
        edge[cursor[problem.edges[e].from]++] = e;
  }
};

/// Longest way from the start of each operation to the end of the block. With
/// an interval, ways through later iterations count too, less the interval
/// for each: what is urgent for the recurrence comes first.
std::vector<std::int64_t> heights(const OrderProblem &problem,
                                  const Successors &successors,
                                  std::int64_t interval);

/// How urgent each operation is, or what waits for it in the same iteration.
std::vector<std::int64_t> urgencies(const OrderProblem &problem,
                                    const Successors &successors);

/// What earlier iterations leave behind.
struct Steady {
  std::vector<std::vector<std::int64_t>> starts; ///< Of each, newest last.
  std::array<std::int64_t, isa::numEngines> streams{};
  std::array<std::int64_t, numExecutionStreams> queues{};
  std::int64_t moved = 0; ///< When the DMA engines are idle.
  PsumBanks banks;

  explicit Steady(const OrderProblem &problem) : banks(problem) {}
};

/// Issues what can start first; of what can start now, the most urgent, and of
/// those the highest. What has no
/// room in memory is held back until something is free. The iteration follows
/// the ones in `steady`, which it joins.
OrderSolution listSchedule(const OrderProblem &problem,
                           const Successors &successors,
                           const std::vector<std::int64_t> &height,
                           Steady &steady);

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_ORDER_LISTSCHEDULE_H
