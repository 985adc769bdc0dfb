//===- SyncPlay.h - One play of a program with its tokens ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_SYNC_SYNCPLAY_H
#define KILN_COMPILER_LIB_PROVE_SYNC_SYNCPLAY_H

#include "SyncShapes.h"

#include "prove/streams/AccessIndex.h"

#include "kiln/compiler/problem/SyncProblem.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace kiln::problems::verification {

using Clock = std::array<std::uint32_t, numExecutionStreams>;

/// Trip counts of one play: the n-th entry of a loop runs cut(loop, n) times.
struct Cut {
  unsigned variant = 0;
  const SyncProblem *problem = nullptr;
  std::vector<std::uint64_t> most; ///< By loop.

  std::uint64_t operator()(LoopId loop, std::uint64_t entry) const {
    const SyncLoop &at = problem->loops[loop];
    if (at.trips)
      return std::min(*at.trips, most[loop]);
    std::uint64_t least = std::min(at.minTrips, most[loop]);
    switch (variant) {
    case 0:
      return most[loop];
    case 1: // As short as allowed.
      return least;
    default: // All lengths in turn, out of step between loops.
      return least + (entry * (variant - 1) + loop) % (most[loop] - least + 1);
    }
  }
};

/// An instruction or fence, once.
struct Event {
  const SyncTokens *tokens = nullptr;
  std::uint32_t instruction = ~0u; ///< ~0: a fence.
  ExecutionStream execution = 0;
  isa::Engine engine = isa::Engine::sync;
  std::uint32_t firstShift = 0; ///< Into Play::shifts, by access, if it moves.
  std::uint32_t index = 0;      ///< In its execution stream, from 1.
  Clock clock{};                ///< What was complete when it issued.
};

class Play {
public:
  Play(const SyncProblem &problem, const SyncSolution &solution,
       const Shapes &shapes, Cut cut)
      : problem(problem), solution(solution), shapes(shapes),
        cut(std::move(cut)), semaphores(solution.semaphores) {}

  Problem run() {
    if (Problem wrong = classify())
      return wrong;
    expand();
    if (Problem wrong = playStreams())
      return wrong;
    for (std::size_t s = 0; s < semaphores.size(); ++s)
      if (semaphores[s].level != 0)
        return fmt::format("semaphore {} ends at {}, not at 0", s,
                           semaphores[s].level);
    return findRace();
  }

private:
  void expand();
  void expandFences(LoopId loop, bool after);
  void expandInstruction(std::uint32_t index);
  std::int64_t shift(const Footprint &bytes) const;
  Problem classify();
  bool takesPart(isa::Engine engine, LoopId loop);
  Problem playStreams();
  bool ready(const Event &event) const;
  Problem issueEvent(std::uint32_t id);
  Problem findRace();
  std::string describe(const Event &event) const {
    if (event.instruction == ~0u)
      return fmt::format("a semaphore instruction on {}",
                         isa::name(event.engine));
    const std::string &name = problem.instructions[event.instruction].name;
    return fmt::format("instruction {}{}{} on {}", event.instruction,
                       name.empty() ? "" : " ", name,
                       executionStreamName(event.execution));
  }

  const SyncProblem &problem;
  const SyncSolution &solution;
  const Shapes &shapes;
  Cut cut;
  Pieces<Event> events;             ///< In sequential order.
  std::vector<std::int64_t> shifts; ///< By loops and rings.
  std::array<std::vector<std::uint32_t>, isa::numEngines> streams;

  std::vector<std::array<bool, isa::numEngines>> parts; ///< By loop.

  // Expansion.
  std::vector<std::uint64_t> iteration = {}; ///< By loop.
  struct RingCount {
    std::uint64_t count = 0;
  };
  std::map<std::pair<LoopId, LoopId>, RingCount> rings; ///< (loop, scope).
  std::vector<std::vector<RingCount *>> ringsOf;        ///< By loop.
  std::vector<std::vector<RingCount *>> ringsWithin;    ///< By scope.
  std::map<LoopId, std::uint64_t> entries;
  std::map<std::pair<LoopId, bool>, std::vector<const SyncFence *>> fencesAt;

  // Tokens. `home` is what the consumer's own stream gave.
  struct Given {
    std::uint64_t total;
    std::uint32_t event;
  };
  struct Semaphore {
    std::uint64_t level = 0, taken = 0;
    int consumer = -1;
    int producer = -1; ///< The other stream that gives, if any.
    std::vector<Given> home, foreign;
  };
  std::vector<Semaphore> semaphores;
  std::array<Clock, isa::numEngines> issue{};
  std::array<std::uint32_t, numExecutionStreams> counts{};

  // Races.
  checker::IndexedAccess accessOf(std::uint32_t id, std::size_t number);
};

} // namespace kiln::problems::verification

#endif // KILN_COMPILER_LIB_PROVE_SYNC_SYNCPLAY_H
