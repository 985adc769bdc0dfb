//===- SyncSolve.cpp - Hazards to token flows -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Block by block, inner loops first. A child loop counts as one node of its
// block. Within a block the accesses are swept in program order against those
// that may still conflict; what a stream already knows through earlier tokens
// (a clock per stream) needs no new one. For a loop the sweep goes round a
// second time, against the accesses of earlier iterations.
//
// Times are node numbers, minus the size of the block for each iteration back.
//
//===----------------------------------------------------------------------===//

#include "SyncSolver.h"

namespace kiln::problems::sync {

void Solver::solveBlock(LoopId id, std::size_t &item,
                        std::uint32_t &instruction) {
  std::vector<Node> children;
  while (item < problem.items.size() &&
         problem.items[item].kind != SyncItem::Kind::loopEnd) {
    const SyncItem &at = problem.items[item++];
    Node node{{at.kind == SyncItem::Kind::loopBegin, at.index},
              instruction,
              instruction + 1};
    if (node.ref.loop) {
      solveBlock(at.index, item, instruction);
      node.endInstruction = instruction;
      ++item; // Its loopEnd.
    } else {
      ++instruction;
    }
    children.push_back(node);
  }

  block = id;
  nodes = std::move(children);
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    for (std::uint32_t i = nodes[node].firstInstruction;
         i < nodes[node].endInstruction; ++i)
      nodeOf[i] = node;
  know.fill(emptyClock());
  heard.fill(emptyClock());
  candidates.best.fill(emptyClock());
  accepted.clear();
  live->clear();
  sweepWithin();
  if (block == noLoop)
    return;
  sweepCarried();
  summarise(summaries[block]);
}

void Solver::sweepWithin() {
  second = false;
  within.start(nodes.size());
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    resetCandidates(node);
    for (std::uint32_t i = nodes[node].firstInstruction;
         i < nodes[node].endInstruction; ++i) {
      for (std::uint32_t a = firstAccess[i]; a < firstAccess[i + 1]; ++a) {
        const FlatAccess &fresh = accesses[a];
        live->query(fresh, [&](std::uint32_t o) {
          const FlatAccess &old = accesses[o];
          if (old.instruction == fresh.instruction)
            return false;
          if ((old.write || fresh.write) && nodeOf[old.instruction] != node)
            consider(old, fresh, false);
          // A write hides what it covers; a read hides an equal one of the
          // same stream, which it cannot overtake.
          bool hides =
              fresh.write || (!old.write && old.execution == fresh.execution);
          return hides && analysis.covers(fresh.place, old.place, block, false);
        });
      }
      for (std::uint32_t a = firstAccess[i]; a < firstAccess[i + 1]; ++a)
        live->insert(a);
    }
    acceptCandidates(node);
    finishNode(node);
  }
}

void Solver::sweepCarried() {
  second = true;
  steady.start(nodes.size());
  Time size = static_cast<Time>(nodes.size());
  for (auto *clocks : {&know, &heard})
    for (Clock &clock : *clocks)
      for (Time &time : clock)
        time = time == never ? never : time - size;
  std::size_t next = 0;
  std::vector<Accepted> inside = std::move(accepted);
  accepted.clear();
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    resetCandidates(node);
    for (; next < inside.size() && inside[next].target == node; ++next) {
      const Accepted &edge = inside[next];
      Clock &clock = know[static_cast<unsigned>(edge.to)];
      merge(clock, sourceClock(steady, edge.source, edge.from));
      clock[edge.stream] = std::max(clock[edge.stream], edge.raise);
      Time &word = heard[static_cast<unsigned>(edge.to)][edge.from];
      word = std::max(word, static_cast<Time>(edge.source));
    }
    for (std::uint32_t i = nodes[node].firstInstruction;
         i < nodes[node].endInstruction; ++i)
      for (std::uint32_t a = firstAccess[i]; a < firstAccess[i + 1]; ++a) {
        const FlatAccess &fresh = accesses[a];
        live->query(fresh, [&](std::uint32_t o) {
          const FlatAccess &old = accesses[o];
          if (old.write || fresh.write)
            consider(old, fresh, true);
          return fresh.write &&
                 analysis.covers(fresh.place, old.place, block, true);
        });
      }
    acceptCandidates(node);
    finishNode(node);
  }
}

/// Whether this pair needs a token, and since when.
void Solver::consider(const FlatAccess &old, const FlatAccess &fresh,
                      bool carried) {
  if (old.execution == fresh.execution && !isQueue(old.execution))
    return; // An engine keeps its own order.
  std::uint32_t source = nodeOf[old.instruction];
  Time size = static_cast<Time>(nodes.size());
  Time soonest = static_cast<Time>(source) - (carried ? size : 0);
  unsigned to = static_cast<unsigned>(fresh.issuer);
  if (know[to][old.execution] >= soonest ||
      candidates.best[to][old.execution] >= soonest)
    return;
  if (!carried) {
    if (analysis.meetWithin(old.place, fresh.place, block))
      note(old, fresh, soonest);
    return;
  }
  std::uint32_t distance =
      analysis.carriedDistance(old.place, fresh.place, block);
  if (distance == 0)
    return;
  // Times are 32 bits. A distance may be too small, never too large.
  constexpr Time farthest = 1 << 28;
  distance = std::min(distance,
                      static_cast<std::uint32_t>(std::max(farthest / size, 1)));
  if (source == nodeOf[fresh.instruction] && nodes[source].ref.loop &&
      analysis.orderedBelow(old.place, fresh.place, block))
    return;
  note(old, fresh,
       static_cast<Time>(source) - static_cast<Time>(distance) * size);
}

void Solver::note(const FlatAccess &old, const FlatAccess &fresh, Time time) {
  unsigned to = static_cast<unsigned>(fresh.issuer);
  const NodeRef &ref = nodes[nodeOf[old.instruction]].ref;
  if (ref.loop && isQueue(old.execution)) {
    const Summary &summary = summaries[ref.index];
    bool sure =
        tree.surelyRuns(ref.index) && (summary.surely & bit(old.execution));
    if (!sure) {
      Candidates::Weak weak{fresh.issuer, old.execution, time};
      if (!(summary.knows[to] & bit(old.execution)) &&
          std::find(candidates.weak.begin(), candidates.weak.end(), weak) ==
              candidates.weak.end())
        candidates.weak.push_back(weak);
      return;
    }
  }
  Time &best = candidates.best[to][old.execution];
  best = std::max(best, time);
}

void Solver::acceptCandidates(std::uint32_t node) {
  StreamSet issuers = issuersOf(node);
  for (unsigned t = 0; t < isa::numEngines; ++t) {
    if (!(issuers & bit(t)))
      continue;
    isa::Engine to = static_cast<isa::Engine>(t);
    // Latest first: it is likely to know of the others. Engines before
    // queues: they carry what they have waited for.
    while (true) {
      int pick = -1;
      for (unsigned s = 0; s < numExecutionStreams; ++s) {
        Time time = candidates.best[t][s];
        if (time > know[t][s] &&
            (pick < 0 ||
             time > candidates.best[t][static_cast<unsigned>(pick)]))
          pick = static_cast<int>(s);
      }
      if (pick < 0)
        break;
      unsigned from = static_cast<unsigned>(pick);
      Time time = candidates.best[t][from];
      accept(static_cast<ExecutionStream>(from), time, to, node, false);
    }
    for (const Candidates::Weak &weak : candidates.weak)
      if (weak.to == to && know[t][weak.from] < weak.time)
        accept(weak.from, weak.time, to, node, true);
  }
}

/// What signals that `from` is done with `node`: an instruction itself; for a
/// loop, a fence of the engine after it; for a queue, an engine that has waited
/// for it.
ExecutionStream Solver::signaller(ExecutionStream from, std::uint32_t node,
                                  isa::Engine to, Time time) {
  const NodeRef &ref = nodes[node].ref;
  if (!ref.loop || !isQueue(from))
    return from;
  unsigned t = static_cast<unsigned>(to);
  Summary &summary = summaries[ref.index];
  auto knows = [&](unsigned r) { return (summary.knows[r] & bit(from)) != 0; };
  if (knows(t))
    return static_cast<ExecutionStream>(t);
  for (unsigned r = 0; r < isa::numEngines; ++r)
    if (knows(r) && heard[t][r] >= time)
      return static_cast<ExecutionStream>(r);
  for (unsigned r = 0; r < isa::numEngines; ++r)
    if (knows(r))
      return static_cast<ExecutionStream>(r);
  ensureCompletion(ref.index, from);
  for (unsigned r = 0; r < isa::numEngines; ++r)
    if (knows(r))
      return static_cast<ExecutionStream>(r);
  return from;
}

void Solver::accept(ExecutionStream from, Time time, isa::Engine to,
                    std::uint32_t target, bool weak) {
  auto [source, distance] = split(time);
  unsigned t = static_cast<unsigned>(to);
  if (waitsItself(from, source, to, time)) {
    const LoopId loop = nodes[source].ref.index;
    if (awaited.emplace(loop, from).second)
      awaitTransfers(loop, loop, from, to, nodes[target].ref);
    if (weak)
      return;
    know[t][from] = std::max(know[t][from], time);
    if (!second && block != noLoop)
      accepted.push_back(
          {target, to, source, static_cast<ExecutionStream>(t), time, from});
    return;
  }
  ExecutionStream via = signaller(from, source, to, time);
  // In a loop's own stream, or after a token it has sent since, it is known.
  bool known = isQueue(from) && nodes[source].ref.loop &&
               (via == t || heard[t][via] >= time);
  if (!known) {
    addEdge({via, to, block, distance}, {nodes[source].ref, nodes[target].ref});
    Time shift = -static_cast<Time>(distance) * static_cast<Time>(nodes.size());
    merge(know[t],
          sourceClock(distance || !second ? within : steady, source, via),
          shift);
    know[t][via] = std::max(know[t][via], time);
    heard[t][via] = std::max(heard[t][via], time);
    if (!second && block != noLoop)
      accepted.push_back({target, to, source, via, time, via});
  }
  if (!weak)
    know[t][from] = std::max(know[t][from], time);
  if (!second && block != noLoop && !weak && from != via)
    accepted.push_back({target, to, source, via, time, from});
}

void Solver::finishNode(std::uint32_t node) {
  Snapshot &snapshot = second ? steady : within;
  snapshot.first[node] = static_cast<std::uint32_t>(snapshot.clocks.size());
  const NodeRef &ref = nodes[node].ref;
  if (!ref.loop) {
    const SyncInstruction &instruction = problem.instructions[ref.index];
    snapshot.clocks.push_back(know[static_cast<unsigned>(instruction.engine)]);
    return;
  }
  const Summary &summary = summaries[ref.index];
  for (unsigned t = 0; t < isa::numEngines; ++t) {
    if (tree.surelyRuns(ref.index))
      for (unsigned s = 0; s < numExecutionStreams; ++s)
        if (summary.knows[t] & summary.surely & bit(s))
          know[t][s] = std::max(know[t][s], static_cast<Time>(node));
    snapshot.clocks.push_back(know[t]);
  }
}

/// Makes the feeder of `queue` wait until its work inside `loop` is done.
void Solver::ensureCompletion(LoopId loop, ExecutionStream queue) {
  Summary &summary = summaries[loop];
  const Node *last = nullptr;
  isa::Engine feeder = isa::Engine::sync;
  for (const Node &node : summary.nodes) {
    if (node.ref.loop) {
      if (summaries[node.ref.index].executors & bit(queue)) {
        ensureCompletion(node.ref.index, queue);
        for (std::uint32_t i = node.firstInstruction; i < node.endInstruction;
             ++i)
          if (problem.instructions[i].execution() == queue)
            feeder = problem.instructions[i].engine;
      }
    } else if (problem.instructions[node.ref.index].execution() == queue) {
      last = &node;
      feeder = problem.instructions[node.ref.index].engine;
    }
  }
  StreamSet &known = summary.knows[static_cast<unsigned>(feeder)];
  if (known & bit(queue))
    return;
  if (last)
    addEdge({queue, feeder, loop, completionDistance, loop},
            {last->ref, last->ref});
  known |= bit(queue);
}

/// The stream that fed a queue in an earlier loop waits for the transfers, not
/// for another engine that uses them: that engine signals only after its own
/// loop.
bool Solver::waitsItself(ExecutionStream from, std::uint32_t node,
                         isa::Engine to, Time time) const {
  const NodeRef &ref = nodes[node].ref;
  if (!ref.loop || !isQueue(from) || feeders[from] != to)
    return false;
  if (awaited.count({ref.index, from}))
    return true;
  const Summary &summary = summaries[ref.index];
  const unsigned t = static_cast<unsigned>(to);
  if (second || (summary.knows[t] & bit(from)))
    return false;
  for (unsigned r = 0; r < isa::numEngines; ++r)
    if ((summary.knows[r] & bit(from)) && heard[t][r] >= time)
      return false;
  return true;
}

/// Tokens of what `queue` runs in `inside`, which is `loop` or in it. They are
/// all there in front of `target`.
void Solver::awaitTransfers(LoopId loop, LoopId inside, ExecutionStream queue,
                            isa::Engine to, NodeRef target) {
  std::optional<NodeRef> last;
  for (const Node &node : summaries[inside].nodes)
    if (!node.ref.loop) {
      if (problem.instructions[node.ref.index].execution() == queue)
        last = node.ref;
    } else if (summaries[node.ref.index].executors & bit(queue)) {
      awaitTransfers(loop, node.ref.index, queue, to, target);
    }
  if (last)
    addEdge({queue, to, inside, ownCompletionDistance, loop, target},
            {*last, *last});
}

void Solver::addEdge(Flow flow, Flow::Edge edge) {
  auto [entry, fresh] = flowIndex.try_emplace(
      {flow.from, static_cast<unsigned>(flow.to), flow.block, flow.distance,
       flow.completes, flow.before.has_value()},
      flows.size());
  if (fresh)
    flows.push_back(std::move(flow));
  flows[entry->second].edges.push_back(edge);
}

void Solver::summarise(Summary &summary) {
  std::array<std::array<bool, numExecutionStreams>, isa::numEngines> missing{};
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    const NodeRef &ref = nodes[node].ref;
    StreamSet executors = 0;
    if (ref.loop) {
      const Summary &child = summaries[ref.index];
      executors = child.executors;
      summary.issuers |= child.issuers;
      if (tree.surelyRuns(ref.index))
        summary.surely |= child.surely;
    } else {
      const SyncInstruction &instruction = problem.instructions[ref.index];
      executors = bit(instruction.execution());
      summary.issuers |= bit(static_cast<unsigned>(instruction.engine));
      summary.surely |= executors;
    }
    summary.executors |= executors;
    for (unsigned s = 0; s < numExecutionStreams; ++s)
      if (executors & bit(s))
        for (unsigned t = 0; t < isa::numEngines; ++t)
          if (know[t][s] < static_cast<Time>(node) &&
              !(ref.loop && (summaries[ref.index].knows[t] & bit(s))))
            missing[t][s] = true;
  }
  for (unsigned t = 0; t < isa::numEngines; ++t)
    if (summary.issuers & bit(t))
      for (unsigned s = 0; s < numExecutionStreams; ++s)
        if ((summary.executors & bit(s)) && !missing[t][s])
          summary.knows[t] |= bit(s);
  summary.nodes = std::move(nodes);
}

std::vector<Flow> findFlows(const SyncProblem &problem, const LoopTree &tree) {
  return Solver(problem, tree).run();
}

} // namespace kiln::problems::sync
