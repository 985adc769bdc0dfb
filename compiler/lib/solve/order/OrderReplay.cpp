//===- OrderReplay.cpp - Plays an order on decoupled streams --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderReplay.h"

#include "PsumBanks.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace kiln::problems {

OrderReplay::OrderReplay(const OrderProblem &problem)
    : problem(problem), first(problem.operations.size() + 1, 0) {
  for (const OrderEdge &edge : problem.edges) {
    ++first[edge.to + 1];
    furthest = std::max(furthest, edge.distance);
  }
  for (std::size_t i = 1; i < first.size(); ++i)
    first[i] += first[i - 1];
  inputs.resize(problem.edges.size());
  std::vector<std::uint32_t> cursor(first.begin(), first.end() - 1);
  for (const OrderEdge &edge : problem.edges)
    inputs[cursor[edge.to]++] = {edge.from, edge.distance, edge.latency};
  // Operations that share many bytes have an edge for each piece of them.
  std::uint32_t kept = 0;
  for (std::size_t op = 0; op + 1 < first.size(); ++op) {
    const auto begin = inputs.begin() + first[op],
               end = inputs.begin() + cursor[op];
    std::sort(begin, end, [](const Input &a, const Input &b) {
      return std::tie(a.distance, a.from, b.latency) <
             std::tie(b.distance, b.from, a.latency);
    });
    const auto last =
        std::unique(begin, end, [](const Input &a, const Input &b) {
          return a.distance == b.distance && a.from == b.from;
        });
    const auto count = static_cast<std::uint32_t>(last - begin);
    std::move(begin, last, inputs.begin() + kept);
    first[op] = kept;
    kept += count;
  }
  first.back() = kept;
  inputs.resize(kept);
}

/// Carried edges against the order wait for the iteration before, so one pass
/// in the order settles an iteration.
OrderReport OrderReplay::play(const OrderSolution &solution) const {
  const std::size_t size = problem.operations.size();
  // Long enough for the slowest stream to hold the others back.
  std::uint32_t rounds = problem.loop ? std::max(16u, 4 * furthest + 8) : 1;
  std::vector<std::vector<std::int64_t>> starts(
      std::min(furthest + 1, rounds), std::vector<std::int64_t>(size, 0));
  std::array<std::int64_t, numExecutionStreams> free{};
  OrderReport report;
  PsumBanks banks(problem);
  machine::WarmUp warmUp(problem.warmUp);
  std::int64_t end = 0, middle = 0, moved = 0;
  // The starts of the iteration so many before.
  std::vector<const std::int64_t *> ago(starts.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<std::int64_t> &now = starts[round % starts.size()];
    for (std::size_t i = 0; i < ago.size() && i <= round; ++i)
      ago[i] = starts[(round - i) % starts.size()].data();
    for (std::uint32_t op : solution.order) {
      const OrderOperation &operation = problem.operations[op];
      std::int64_t ready = banks.take(op);
      for (std::uint32_t i = first[op]; i < first[op + 1]; ++i) {
        const Input &input = inputs[i];
        if (input.distance > round)
          break; // The nearest come first.
        ready =
            std::max(ready, ago[input.distance][input.from] + input.latency);
      }
      std::int64_t &stream = free[static_cast<std::size_t>(operation.engine)];
      std::int64_t start = std::max(stream, ready);
      if (operation.queue >= 0) {
        stream = start + operation.issue;
        std::int64_t &queue = free[operation.execution()];
        start = std::max(queue, stream);
        if (!problem.loop) {
          start = std::max(start, moved);
          moved = start + operation.moving;
        }
        queue = start + operation.occupancy;
      } else {
        // A late start models a slow instruction: its results come as much
        // later.
        if (operation.engine == isa::Engine::tensor)
          start += warmUp.delay(start, operation.occupancy);
        stream = start + operation.occupancy;
      }
      banks.leave(op, start + operation.occupancy);
      now[op] = start;
      end = std::max(end,
                     start + std::max(operation.occupancy, operation.latency));
    }
    if (round == 0)
      report.makespan = end;
    if (round + 1 == rounds / 2)
      middle = end;
  }
  report.interval =
      rounds > 1
          ? (end - middle) / static_cast<std::int64_t>(rounds - rounds / 2)
          : report.makespan;
  return report;
}

OrderReport replayOrder(const OrderProblem &problem,
                        const OrderSolution &solution) {
  return OrderReplay(problem).play(solution);
}

} // namespace kiln::problems
