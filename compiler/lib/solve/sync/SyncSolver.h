//===- SyncSolver.h - The sweep over blocks -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_SYNC_SYNCSOLVER_H
#define KILN_COMPILER_LIB_SOLVE_SYNC_SYNCSOLVER_H

#include "SyncFlows.h"

#include "SyncLiveSet.h"
#include "kiln/isa/rounding.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace kiln::problems::sync {

using Time = std::int32_t;
inline constexpr Time never = -(1 << 30);
using Clock = std::array<Time, numExecutionStreams>;

constexpr Clock emptyClock() {
  Clock clock{};
  for (Time &time : clock)
    time = never;
  return clock;
}

inline void merge(Clock &into, const Clock &from, Time shift = 0) {
  for (unsigned s = 0; s < numExecutionStreams; ++s)
    into[s] = std::max(into[s], from[s] <= never / 2 ? never : from[s] + shift);
}

using StreamSet = std::uint32_t; ///< One bit per execution stream.
constexpr StreamSet bit(unsigned stream) { return StreamSet{1} << stream; }

struct Node {
  NodeRef ref;
  std::uint32_t firstInstruction = 0, endInstruction = 0;
};

/// What the parent needs to know about a solved block.
struct Summary {
  StreamSet issuers = 0;   ///< Streams that take part.
  StreamSet executors = 0; ///< Streams with accesses inside.
  /// Streams of which every iteration surely runs an instruction.
  StreamSet surely = 0;
  /// knows[t]: streams whose work inside `t` has waited for at the end.
  std::array<StreamSet, isa::numEngines> knows{};
  std::vector<Node> nodes;
};

inline constexpr unsigned completionDistance = 4;
/// More transfers than a loop has on their way, as a rule.
inline constexpr unsigned ownCompletionDistance = 16;

class Solver {
public:
  Solver(const SyncProblem &problem, const LoopTree &tree)
      : problem(problem), tree(tree), analysis(tree) {
    flatten();
  }

  std::vector<Flow> run() {
    LiveSet liveSet(accesses);
    live = &liveSet;
    summaries.resize(problem.loops.size());
    std::size_t item = 0;
    std::uint32_t instruction = 0;
    solveBlock(noLoop, item, instruction);
    return std::move(flows);
  }

private:
  //--- The program, flattened ----------------------------------------------//

  void flatten() {
    std::map<std::pair<isa::Space, std::uint32_t>, std::uint32_t> memories;
    std::vector<LoopId> around{noLoop};
    firstAccess.reserve(problem.instructions.size() + 1);
    for (const SyncItem &item : problem.items) {
      if (item.kind == SyncItem::Kind::loopBegin) {
        around.push_back(item.index);
      } else if (item.kind == SyncItem::Kind::loopEnd) {
        around.pop_back();
      } else {
        const SyncInstruction &instruction = problem.instructions[item.index];
        firstAccess.push_back(static_cast<std::uint32_t>(accesses.size()));
        for (const SyncAccess &access : instruction.accesses) {
          FlatAccess flat;
          flat.place = {&access.bytes, around.back()};
          flat.hull = analysis.hull(access.bytes);
          flat.instruction = item.index;
          auto key = std::pair(
              access.bytes.space,
              access.bytes.space == isa::Space::hbm ? access.bytes.tensor : 0);
          flat.memory =
              memories
                  .try_emplace(key, static_cast<std::uint32_t>(memories.size()))
                  .first->second;
          flat.execution = instruction.execution();
          flat.issuer = instruction.engine;
          feeders[flat.execution] = instruction.engine;
          flat.write = access.write;
          accesses.push_back(flat);
        }
      }
    }
    firstAccess.push_back(static_cast<std::uint32_t>(accesses.size()));
    nodeOf.resize(problem.instructions.size());
  }

  //--- One block -----------------------------------------------------------//

  void solveBlock(LoopId block, std::size_t &item, std::uint32_t &instruction);
  void sweepWithin();
  void sweepCarried();
  void summarise(Summary &summary);

  /// Clocks of the streams of a node, after its waits (an instruction) or
  /// behind its fence (a loop).
  struct Snapshot {
    Pieces<Clock> clocks;
    std::vector<std::uint32_t> first; ///< By node; loops hold five.

    void start(std::size_t nodes) {
      clocks.clear();
      first.assign(nodes, 0);
    }
  };

  struct Candidates {
    std::array<Clock, isa::numEngines> best;
    /// Queue work in loops that may not run: orders nothing but itself.
    struct Weak {
      isa::Engine to;
      ExecutionStream from;
      Time time;
      friend bool operator==(const Weak &, const Weak &) = default;
    };
    std::vector<Weak> weak;
  };

  StreamSet issuersOf(std::uint32_t node) const {
    const NodeRef &ref = nodes[node].ref;
    return ref.loop ? summaries[ref.index].issuers
                    : bit(static_cast<unsigned>(
                          problem.instructions[ref.index].engine));
  }
  void resetCandidates(std::uint32_t node) {
    for (unsigned t = 0; t < isa::numEngines; ++t)
      if (issuersOf(node) & bit(t))
        candidates.best[t] = emptyClock();
    candidates.weak.clear();
  }
  void consider(const FlatAccess &old, const FlatAccess &fresh, bool carried);
  void note(const FlatAccess &old, const FlatAccess &fresh, Time time);
  void acceptCandidates(std::uint32_t node);
  void accept(ExecutionStream from, Time time, isa::Engine to,
              std::uint32_t node, bool weak);
  ExecutionStream signaller(ExecutionStream from, std::uint32_t node,
                            isa::Engine to, Time time);
  void ensureCompletion(LoopId loop, ExecutionStream queue);
  bool waitsItself(ExecutionStream from, std::uint32_t node, isa::Engine to,
                   Time time) const;
  void awaitTransfers(LoopId loop, LoopId inside, ExecutionStream queue,
                      isa::Engine to, NodeRef target);
  void finishNode(std::uint32_t node);
  void addEdge(Flow flow, Flow::Edge edge);
  Clock sourceClock(const Snapshot &snapshot, std::uint32_t node,
                    ExecutionStream from) const {
    std::uint32_t first = snapshot.first[node];
    if (!nodes[node].ref.loop)
      return snapshot.clocks[first];
    return snapshot.clocks[first + from];
  }

  struct Back {
    std::uint32_t node;
    std::uint32_t distance;
  };
  Back split(Time time) const {
    Time size = static_cast<Time>(nodes.size());
    std::uint32_t distance =
        time >= 0 ? 0 : static_cast<std::uint32_t>(isa::ceilDiv(-time, size));
    return {
        static_cast<std::uint32_t>(time + static_cast<Time>(distance) * size),
        distance};
  }

  const SyncProblem &problem;
  const LoopTree &tree;
  FootprintAnalysis analysis;
  Pieces<FlatAccess> accesses;
  std::vector<std::uint32_t> firstAccess; ///< By instruction, and one more.
  std::vector<Summary> summaries;
  std::vector<Flow> flows;
  std::map<std::tuple<unsigned, unsigned, LoopId, unsigned, LoopId, bool>,
           std::size_t>
      flowIndex;
  std::array<isa::Engine, numExecutionStreams> feeders{}; ///< Of queues.
  /// Loops and queues whose feeder has waited for the transfers itself.
  std::set<std::pair<LoopId, unsigned>> awaited;
  LiveSet *live = nullptr;

  // The current block.
  LoopId block = noLoop;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> nodeOf; ///< By instruction.
  std::array<Clock, isa::numEngines> know;
  /// Source of the latest token itself. An engine says more by a token than
  /// that its own work is done: it passes on what it waited for.
  std::array<Clock, isa::numEngines> heard;
  Candidates candidates;
  Snapshot within, steady;
  bool second = false; ///< The sweep over a later iteration.
  struct Accepted {
    std::uint32_t target;
    isa::Engine to;
    std::uint32_t source;
    ExecutionStream from;
    Time raise; ///< What `to` learns of `stream`, beside the clock.
    ExecutionStream stream;
  };
  /// Edges within an iteration, for the next one. No other comes behind the top
  /// level.
  std::vector<Accepted> accepted;
};

} // namespace kiln::problems::sync

#endif // KILN_COMPILER_LIB_SOLVE_SYNC_SYNCSOLVER_H
