//===- OrderSolve.cpp - List scheduling by critical path ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Problems/OrderProblem.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

namespace kiln::problems {
namespace {

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
                                  std::int64_t interval) {
  std::vector<std::int64_t> height(problem.operations.size());
  for (std::size_t i = 0; i < height.size(); ++i)
    height[i] = problem.operations[i].latency;
  unsigned rounds = interval > 0 ? 4 : 1;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t op = height.size(); op-- > 0;)
      for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
           ++i) {
        const OrderEdge &edge = problem.edges[successors.edge[i]];
        height[op] = std::max(height[op], edge.latency + height[edge.to]);
      }
    if (interval > 0)
      for (const OrderEdge &edge : problem.edges)
        if (edge.distance > 0)
          height[edge.from] =
              std::max(height[edge.from],
                       edge.latency + height[edge.to] -
                           interval * static_cast<std::int64_t>(edge.distance));
  }
  return height;
}

/// Issues what can start first; of what can start now, the highest.
OrderSolution listSchedule(const OrderProblem &problem,
                           const Successors &successors,
                           const std::vector<std::int64_t> &height) {
  std::size_t size = problem.operations.size();
  std::vector<std::uint32_t> missing(size, 0);
  std::vector<std::int64_t> ready(size, 0);
  for (const OrderEdge &edge : problem.edges)
    if (edge.distance == 0)
      ++missing[edge.to];

  // Per engine: operations whose inputs come later, by time; operations that
  // could start now, by urgency. Indices break ties.
  using Later = std::pair<std::int64_t, std::uint32_t>;
  using Now = std::tuple<std::int64_t, std::uint32_t>;
  struct Stream {
    std::priority_queue<Later, std::vector<Later>, std::greater<>> later;
    std::priority_queue<Now, std::vector<Now>, std::greater<>> now;
    std::int64_t free = 0;
  };
  std::array<Stream, isa::numEngines> streams;
  std::array<std::int64_t, numExecutionStreams> queueFree{};
  auto release = [&](std::uint32_t op) {
    streams[static_cast<std::size_t>(problem.operations[op].engine)].later.push(
        {ready[op], op});
  };
  for (std::uint32_t op = 0; op < size; ++op)
    if (missing[op] == 0)
      release(op);

  OrderSolution solution;
  solution.order.reserve(size);
  while (solution.order.size() < size) {
    Stream *best = nullptr;
    std::int64_t soonest = 0;
    for (Stream &stream : streams) {
      if (stream.now.empty() && stream.later.empty())
        continue;
      std::int64_t start = stream.now.empty()
                               ? std::max(stream.free, stream.later.top().first)
                               : stream.free;
      if (!best || start < soonest) {
        best = &stream;
        soonest = start;
      }
    }
    while (!best->later.empty() && best->later.top().first <= soonest) {
      std::uint32_t op = best->later.top().second;
      best->later.pop();
      best->now.push({-height[op], op});
    }
    std::uint32_t op = std::get<1>(best->now.top());
    best->now.pop();
    const OrderOperation &operation = problem.operations[op];
    std::int64_t start = soonest;
    if (operation.queue >= 0) {
      best->free = start + operation.issue;
      std::int64_t &queue = queueFree[operation.execution()];
      start = std::max(queue, best->free);
      queue = start + operation.occupancy;
    } else {
      best->free = start + operation.occupancy;
    }
    solution.order.push_back(op);
    for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
         ++i) {
      const OrderEdge &edge = problem.edges[successors.edge[i]];
      ready[edge.to] = std::max(ready[edge.to], start + edge.latency);
      if (--missing[edge.to] == 0)
        release(edge.to);
    }
  }
  return solution;
}

/// What one block may cost: operations and edges looked at, over all trials.
constexpr std::size_t searchBudget = 600'000;
constexpr std::size_t mostTrials = 100;

/// The same numbers everywhere: a compiler has no luck of its own.
class Noise {
public:
  /// Between -limit and limit.
  std::int64_t operator()(std::int64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::int64_t>(
               state % (2 * static_cast<std::uint64_t>(limit) + 1)) -
           limit;
  }

private:
  std::uint64_t state = 0x9e3779b97f4a7c15u;
};

} // namespace

OrderSolution solveOrderAsWritten(const OrderProblem &problem) {
  OrderSolution solution;
  solution.order.resize(problem.operations.size());
  for (std::uint32_t i = 0; i < solution.order.size(); ++i)
    solution.order[i] = i;
  return solution;
}

OrderSolution solveOrder(const OrderProblem &problem) {
  Successors successors(problem);
  OrderBounds bounds = orderBounds(problem);
  OrderSolution best = solveOrderAsWritten(problem);
  OrderReport bestReport = replayOrder(problem, best);
  auto offer = [&](OrderSolution candidate) {
    OrderReport report = replayOrder(problem, candidate);
    if (std::tie(report.interval, report.makespan) <
        std::tie(bestReport.interval, bestReport.makespan)) {
      best = std::move(candidate);
      bestReport = report;
      return true;
    }
    return false;
  };
  offer(listSchedule(problem, successors, heights(problem, successors, 0)));
  if (!problem.loop)
    return best;
  std::int64_t bound =
      std::max({bounds.resource, bounds.recurrence, std::int64_t{1}});
  std::vector<std::int64_t> height = heights(problem, successors, bound);
  offer(listSchedule(problem, successors, height));
  // What is urgent is a guess: others are tried, around the best one so far,
  // with smaller and smaller steps.
  std::size_t trials =
      std::min(mostTrials, searchBudget / (16 * (problem.operations.size() +
                                                 problem.edges.size() + 1)));
  std::int64_t reach = std::max<std::int64_t>(bounds.path / 2, 1);
  Noise noise;
  for (std::size_t trial = 0;
       trial < trials && bestReport.interval > bound + bound / 50; ++trial) {
    std::int64_t step = std::max<std::int64_t>(
        reach - reach * static_cast<std::int64_t>(trial) /
                    static_cast<std::int64_t>(trials),
        1);
    std::vector<std::int64_t> candidate = height;
    for (std::int64_t &value : candidate)
      if (noise(2) == 0)
        value += noise(step);
    if (offer(listSchedule(problem, successors, candidate)))
      height = std::move(candidate);
  }
  return best;
}

} // namespace kiln::problems
