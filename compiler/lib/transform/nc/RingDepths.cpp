//===- RingDepths.cpp - Copies that let a schedule run as predicted -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingDepths.h"

#include <algorithm>
#include <limits>

using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

namespace {

/// Of the time with fewer copies: less is not worth more.
constexpr double leastGain = 0.99;
/// One of so many parts of the room is for copies that no start time asks for.
constexpr int64_t spareRoom = 2;
/// More copies of each buffer, at most.
constexpr uint32_t mostSpares = 2;
/// Iterations that are replayed.
constexpr uint64_t mostReplayed = 64;

class Rings {
public:
  Rings(const LoopProblem &body, uint64_t trips)
      : body(body), late(problems::delayed(body.problem)), trips(trips) {}

  /// With bodies of `iterations`, which are those of its smallest buffer, and
  /// `spares` more copies of each.
  std::optional<problems::ModuloSolution>
  deepened(problems::ModuloSolution solution, uint32_t iterations,
           uint32_t spares) const {
    const problems::ModuloProblem &problem = body.problem;
    std::optional<size_t> smallest;
    for (size_t b = 0; b < problem.buffers.size(); ++b) {
      if (!isOpen(problem.buffers[b]))
        continue;
      if (solution.copies[b] + spares > iterations)
        return std::nullopt;
      solution.copies[b] += spares;
      if (!smallest ||
          problem.buffers[b].bytes < problem.buffers[*smallest].bytes)
        smallest = b;
    }
    if (!smallest)
      return std::nullopt;
    solution.copies[*smallest] = iterations;
    if (chooseBody(problem, solution, trips, /*dividesTrips=*/false) !=
            iterations ||
        !hasRoom(solution))
      return std::nullopt;
    return solution;
  }

  /// With one more copy of one buffer, in the same body, if it has room.
  std::optional<problems::ModuloSolution>
  withOneMore(problems::ModuloSolution solution, size_t buffer) const {
    const problems::ModuloProblem &problem = body.problem;
    const auto iterationsOf = [&](problems::ModuloSolution of) {
      return chooseBody(problem, of, trips, /*dividesTrips=*/false);
    };
    const uint32_t before = iterationsOf(solution);
    if (!isOpen(problem.buffers[buffer]) || solution.copies[buffer] >= before)
      return std::nullopt;
    ++solution.copies[buffer];
    if (iterationsOf(solution) != before || !hasRoom(solution))
      return std::nullopt;
    return solution;
  }

  /// ps for all iterations, with the latencies that are worse: those of the
  /// problem, or longer ones. Which is not always the latter, because the order
  /// of transfers changes.
  double timeOf(const problems::ModuloSolution &solution,
                const PipelineLayout &layout, int64_t shift) const {
    std::vector<problems::ModuloTurns> turns;
    for (const LoopProblem::Turns &entry : body.turns)
      turns.push_back(entry.in(layout.period(trips), body.problem, shift));
    const auto played =
        static_cast<uint32_t>(std::min<uint64_t>(trips, mostReplayed));
    const auto replayed = [&](const problems::ModuloProblem &problem) {
      const problems::ModuloReport report =
          replayModulo(problem, solution, played, turns);
      return static_cast<double>(report.makespan) +
             static_cast<double>(trips - played) * report.interval;
    };
    return std::max(replayed(body.problem), replayed(late));
  }

  int64_t bestShift(const problems::ModuloSolution &solution,
                    const PipelineLayout &layout) const {
    return !body.turns.empty() &&
                   timeOf(solution, layout, 1) < timeOf(solution, layout, 0)
               ? 1
               : 0;
  }

  double timeOf(const problems::ModuloSolution &solution) const {
    problems::ModuloSolution rounded = solution;
    const std::optional<PipelineLayout> layout =
        layOut(body.problem, rounded, trips, /*isNested=*/false,
               /*isFixed=*/false);
    return layout ? timeOf(rounded, *layout, bestShift(rounded, *layout))
                  : std::numeric_limits<double>::infinity();
  }

private:
  bool hasRoom(const problems::ModuloSolution &solution) const {
    return body.problem.taken(isa::Space::sbuf, solution.copies) * spareRoom <=
           body.problem.sbufRoom;
  }
  static bool isOpen(const problems::ModuloBuffer &buffer) {
    return buffer.space == isa::Space::sbuf && buffer.copies == 0;
  }

  const LoopProblem &body;
  problems::ModuloProblem late;
  uint64_t trips;
};

} // namespace

void kiln::compiler::nc::deepenRings(const LoopProblem &body,
                                     problems::ModuloSolution &solution,
                                     uint64_t trips) {
  problems::ModuloSolution usual = solution;
  const uint32_t first =
      chooseBody(body.problem, usual, trips, /*dividesTrips=*/false);
  if (first == 0)
    return;
  const Rings rings(body, trips);
  double least = rings.timeOf(solution);
  for (uint32_t spares = 0; spares <= mostSpares; ++spares)
    for (uint32_t iterations = first;
         iterations <= std::min(first + spares, mostIterations); ++iterations) {
      const std::optional<problems::ModuloSolution> deeper =
          rings.deepened(solution, iterations, spares);
      const double time = deeper ? rings.timeOf(*deeper) : least;
      if (time >= leastGain * least)
        continue;
      least = time;
      usual = *deeper;
    }
  // One buffer after the other, until the bound leaves no gain.
  const double bound =
      static_cast<double>(problems::moduloBounds(body.problem).bound()) *
      static_cast<double>(trips);
  for (size_t b = 0;
       b < body.problem.buffers.size() && leastGain * least > bound; ++b)
    if (const auto deeper = rings.withOneMore(usual, b)) {
      const double time = rings.timeOf(*deeper);
      if (time >= leastGain * least)
        continue;
      least = time;
      usual = *deeper;
    }
  solution = std::move(usual);
}

int64_t
kiln::compiler::nc::shiftOfTurns(const LoopProblem &body,
                                 const problems::ModuloSolution &solution,
                                 const PipelineLayout &layout, uint64_t trips) {
  return Rings(body, trips).bestShift(solution, layout);
}
