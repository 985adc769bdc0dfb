//===- OrderSolve.cpp - Searches for an order -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListSchedule.h"
#include "OrderReplay.h"

#include <algorithm>
#include <limits>

namespace kiln::problems {
namespace {

/// The effort for one block: operations and edges examined, over all trials.
constexpr std::size_t searchBudget = 600'000;
constexpr std::size_t mostTrials = 100;
/// For a loop whose trip count is unknown.
constexpr std::int64_t assumedTrips = 8;
/// ps by which transfers may be late, and what waits for another engine.
constexpr std::int64_t mostLate = 1'500'000;
/// Iterations that a trial lists; each is an order of its own.
constexpr unsigned iterationsTried = 3;

/// The same pseudo-random numbers on every host: compilation is deterministic.
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

/// Edges go forward in the numbering, and no time is before that of an input,
/// so a stable sort respects them.
OrderSolution solveOrderAsTimed(const OrderProblem &problem) {
  const Successors successors(problem);
  std::vector<std::int64_t> time(problem.operations.size(),
                                 std::numeric_limits<std::int64_t>::min());
  std::int64_t first = 0, last = 0;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const OrderOperation &operation : problem.operations) {
    first = std::min(first, operation.start.value_or(first));
    last = std::max(last, operation.start.value_or(last));
    begin = std::min(begin, operation.start.value_or(begin));
  }
  // An operation that no operation with a time waits for uses results of the
  // last iterations. If these are late, it must not hold up its streams.
  std::vector<bool> isAwaited(time.size()), hasInputs(time.size());
  // When it has to start so that its users start in time.
  std::vector<std::int64_t> needed(time.size());
  // The same if everything starts as soon as it can.
  std::vector<std::int64_t> soonest(time.size()), early(time.size());
  for (std::uint32_t op = 0; op < time.size(); ++op)
    for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
         ++i) {
      const OrderEdge &edge = problem.edges[successors.edge[i]];
      soonest[edge.to] = std::max(soonest[edge.to], soonest[op] + edge.latency);
    }
  for (auto op = static_cast<std::uint32_t>(time.size()); op-- > 0;) {
    isAwaited[op] = problem.operations[op].start.has_value();
    needed[op] = problem.operations[op].start.value_or(last);
    early[op] = problem.operations[op].start ? begin + soonest[op] : last;
    for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
         ++i) {
      const OrderEdge &edge = problem.edges[successors.edge[i]];
      isAwaited[op] = isAwaited[op] || isAwaited[edge.to];
      needed[op] = std::min(needed[op], needed[edge.to] - edge.latency);
      early[op] = std::min(early[op], early[edge.to] - edge.latency);
      hasInputs[edge.to] = true;
    }
  }
  for (std::uint32_t op = 0; op < time.size(); ++op) {
    const OrderOperation &operation = problem.operations[op];
    // Transfers that wait for nothing run ahead, in the order of their need. In
    // code that runs once, nothing is left to run beside them: those that are
    // needed later come later.
    const bool isLoad =
        operation.queue >= 0 && !operation.start && !hasInputs[op];
    const std::int64_t latest = std::min(needed[op], early[op]) - mostLate;
    const bool mayWait = !problem.loop && isAwaited[op] && latest > begin;
    time[op] = isLoad && mayWait ? latest
               : isLoad
                   ? (isAwaited[op] ? first - 1 + needed[op] - last : first)
                   : std::max(time[op], operation.start.value_or(first));
    // A transfer holds up its stream until its data is there, and nothing here
    // waits for this one.
    if (operation.queue >= 0 && !operation.start && hasInputs[op] &&
        successors.first[op] == successors.first[op + 1])
      time[op] = std::max(time[op], last + 1);
    for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
         ++i) {
      const OrderEdge &edge = problem.edges[successors.edge[i]];
      // Another engine may just have begun a long instruction.
      const bool isLeft =
          !isAwaited[edge.to] &&
          (operation.start ||
           operation.execution() != problem.operations[edge.to].execution());
      time[edge.to] = std::max(time[edge.to], time[op] + edge.latency +
                                                  (isLeft ? mostLate : 0));
    }
  }
  OrderSolution solution = solveOrderAsWritten(problem);
  std::stable_sort(
      solution.order.begin(), solution.order.end(),
      [&](std::uint32_t a, std::uint32_t b) { return time[a] < time[b]; });
  return solution;
}

/// The transfers that wait for nothing, in the order in which `solution` uses
/// what they bring. Others keep their places.
static OrderSolution loadsByNeed(const OrderProblem &problem,
                                 OrderSolution solution) {
  const auto size = static_cast<std::uint32_t>(problem.operations.size());
  std::vector<std::uint32_t> place(size), need(size, size);
  for (std::uint32_t i = 0; i < size; ++i)
    place[solution.order[i]] = i;
  std::vector<bool> waits(size);
  for (const OrderEdge &edge : problem.edges)
    if (edge.distance == 0) {
      waits[edge.to] = true;
      need[edge.from] = std::min(need[edge.from], place[edge.to]);
    }
  std::array<std::vector<std::uint32_t>, isa::numEngines> places;
  for (std::uint32_t i = 0; i < size; ++i) {
    const OrderOperation &operation = problem.operations[solution.order[i]];
    if (operation.queue >= 0 && !waits[solution.order[i]])
      places[static_cast<std::size_t>(operation.engine)].push_back(i);
  }
  // Each is in time in its place, so the one that is needed first may have the
  // first of them.
  for (const std::vector<std::uint32_t> &ours : places) {
    std::vector<std::uint32_t> loads;
    for (const std::uint32_t i : ours)
      loads.push_back(solution.order[i]);
    std::stable_sort(
        loads.begin(), loads.end(),
        [&](std::uint32_t a, std::uint32_t b) { return need[a] < need[b]; });
    for (std::size_t i = 0; i < ours.size(); ++i)
      solution.order[ours[i]] = loads[i];
  }
  return solution;
}

/// The whole loop, or the block that runs once.
static std::int64_t total(const OrderProblem &problem,
                          const OrderReport &report) {
  const std::int64_t trips = !problem.loop       ? 1
                             : problem.trips > 0 ? problem.trips
                                                 : assumedTrips;
  return report.makespan + (trips - 1) * report.interval;
}

static OrderSolution searchOrder(const OrderProblem &problem) {
  Successors successors(problem);
  OrderSolution best = solveOrderAsWritten(problem);
  const OrderReplay replay(problem);
  OrderReport bestReport = replay.play(best);
  std::int64_t bestExcess = excessBytes(problem, best);
  std::int64_t bestTime = total(problem, bestReport);
  // The source order knows no urgency: any order that takes no more memory is
  // better.
  bool isWritten = problem.hasUrgencies();
  auto offer = [&](OrderSolution candidate) {
    OrderReport report = replay.play(candidate);
    std::int64_t excess = excessBytes(problem, candidate);
    const std::int64_t time = total(problem, report);
    if (isWritten ? excess <= bestExcess
                  : std::tie(excess, time) < std::tie(bestExcess, bestTime)) {
      isWritten = false;
      best = std::move(candidate);
      bestReport = report;
      bestTime = time;
      bestExcess = excess;
      return true;
    }
    return false;
  };
  // The order of an iteration on an idle machine, and of later ones, which find
  // the streams as the ones before left them.
  auto schedule = [&](const std::vector<std::int64_t> &height) {
    Steady steady(problem);
    bool better = false;
    for (unsigned i = 0; i < (problem.loop ? iterationsTried : 1u); ++i)
      better |= offer(listSchedule(problem, successors, height, steady));
    return better;
  };
  schedule(heights(problem, successors, 0));
  // By height, chains go on side by side and end together. By the order of the
  // source, the first one ends as soon as it has its operands, and what follows
  // gets its banks.
  std::vector<std::int64_t> places(problem.operations.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = -static_cast<std::int64_t>(i);
  schedule(places);
  if (!problem.loop) {
    if (!problem.hasUrgencies())
      offer(loadsByNeed(problem, best));
    return best;
  }
  const OrderBounds bounds = orderBounds(problem);
  const std::int64_t bound =
      std::max({bounds.resource, bounds.recurrence, std::int64_t{1}});
  std::vector<std::int64_t> height = heights(problem, successors, bound);
  schedule(height);
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
    if (schedule(candidate))
      height = std::move(candidate);
  }
  return best;
}

OrderSolution solveOrder(const OrderProblem &problem) {
  if (std::none_of(problem.operations.begin(), problem.operations.end(),
                   [](const OrderOperation &op) { return op.start; }))
    return searchOrder(problem);
  OrderSolution timed = solveOrderAsTimed(problem);
  const std::int64_t excess = excessBytes(problem, timed);
  if (excess == 0)
    return timed;
  // No order shortens buffers that live longer than the block: there is room
  // for as much as the order of the program takes.
  OrderSolution found = searchOrder(problem);
  const auto timeOf = [&](const OrderSolution &solution) {
    return total(problem, replayOrder(problem, solution));
  };
  const bool hasRoom =
      excess <= excessBytes(problem, solveOrderAsWritten(problem));
  return hasRoom && timeOf(timed) < timeOf(found) ? timed : found;
}

} // namespace kiln::problems
