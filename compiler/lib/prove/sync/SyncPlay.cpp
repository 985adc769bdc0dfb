//===- SyncPlay.cpp - One play of a program with its tokens -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncPlay.h"

#include "kiln/isa/limits.h"

namespace kiln::problems::verification {

std::int64_t Play::shift(const Footprint &bytes) const {
  std::int64_t at = 0;
  for (const LoopTerm &term : bytes.terms)
    at += term.bytes * static_cast<std::int64_t>(iteration[term.loop]);
  if (bytes.ring) {
    auto found = rings.find({bytes.ring->loop, bytes.ring->scope});
    std::uint64_t count = found == rings.end() ? 0 : found->second.count;
    at += bytes.ring->slotBytes *
          static_cast<std::int64_t>(count % bytes.ring->slots);
  }
  return at;
}

void Play::expandInstruction(std::uint32_t index) {
  const SyncInstruction &instruction = problem.instructions[index];
  Event event;
  event.tokens = &solution.instructions[index];
  event.instruction = index;
  event.execution = instruction.execution();
  event.engine = instruction.engine;
  event.firstShift = static_cast<std::uint32_t>(shifts.size());
  if (shapes.moves(index))
    for (const SyncAccess &access : instruction.accesses)
      shifts.push_back(shift(access.bytes));
  streams[static_cast<std::size_t>(event.engine)].push_back(
      static_cast<std::uint32_t>(events.size()));
  events.push_back(event);
}

void Play::expandFences(LoopId loop, bool after) {
  auto found = fencesAt.find({loop, after});
  if (found == fencesAt.end())
    return;
  for (const SyncFence *fence : found->second) {
    Event event;
    event.tokens = &fence->tokens;
    event.engine = fence->engine;
    event.execution = executionStream(fence->engine, -1);
    streams[static_cast<std::size_t>(event.engine)].push_back(
        static_cast<std::uint32_t>(events.size()));
    events.push_back(event);
  }
}

void Play::expand() {
  iteration.assign(problem.loops.size(), 0);
  for (const SyncFence &fence : solution.fences)
    fencesAt[{fence.loop, fence.after}].push_back(&fence);
  for (const auto &[key, slots] : shapes.rings())
    rings[key];
  ringsOf.resize(problem.loops.size());
  ringsWithin.resize(problem.loops.size());
  for (auto &[key, ring] : rings) {
    ringsOf[key.first].push_back(&ring);
    if (key.second != noLoop)
      ringsWithin[key.second].push_back(&ring);
  }
  std::vector<std::size_t> endOf(problem.loops.size()),
      beginOf(problem.loops.size());
  for (std::size_t i = 0; i < problem.items.size(); ++i) {
    if (problem.items[i].kind == SyncItem::Kind::loopBegin)
      beginOf[problem.items[i].index] = i;
    if (problem.items[i].kind == SyncItem::Kind::loopEnd)
      endOf[problem.items[i].index] = i;
  }
  std::vector<std::uint64_t> trips(problem.loops.size());
  auto startIteration = [&](LoopId loop) {
    for (RingCount *ring : ringsWithin[loop])
      ring->count = 0;
  };
  for (std::size_t i = 0; i < problem.items.size(); ++i) {
    const SyncItem &item = problem.items[i];
    LoopId loop = item.index;
    switch (item.kind) {
    case SyncItem::Kind::instruction:
      expandInstruction(item.index);
      break;
    case SyncItem::Kind::loopBegin:
      expandFences(loop, false);
      trips[loop] = cut(loop, entries[loop]++);
      iteration[loop] = 0;
      if (trips[loop] == 0) {
        i = endOf[loop];
        expandFences(loop, true);
      } else {
        startIteration(loop);
      }
      break;
    case SyncItem::Kind::loopEnd:
      for (RingCount *ring : ringsOf[loop])
        ++ring->count;
      if (++iteration[loop] < trips[loop]) {
        startIteration(loop);
        i = beginOf[loop];
      } else {
        expandFences(loop, true);
      }
      break;
    }
  }
}

/// A stream holds a loop if it has an instruction of the body.
bool Play::takesPart(isa::Engine engine, LoopId loop) {
  if (parts.empty()) {
    parts.assign(problem.loops.size(), {});
    std::vector<LoopId> around;
    for (const SyncItem &item : problem.items)
      if (item.kind == SyncItem::Kind::loopBegin)
        around.push_back(item.index);
      else if (item.kind == SyncItem::Kind::loopEnd)
        around.pop_back();
      else
        for (LoopId at : around)
          parts[at][static_cast<std::size_t>(
              problem.instructions[item.index].engine)] = true;
  }
  return parts[loop][static_cast<std::size_t>(engine)];
}

/// Producers and consumer: one consumer, and one producer besides it.
Problem Play::classify() {
  auto visit = [&](const SyncTokens &tokens, int engine) -> Problem {
    for (const Token &token : tokens.waits) {
      if (token.semaphore >= semaphores.size())
        return fmt::format("a wait for semaphore {} of {}", token.semaphore,
                           semaphores.size());
      int &consumer = semaphores[token.semaphore].consumer;
      if (consumer >= 0 && consumer != engine)
        return fmt::format("semaphore {} has two consumers", token.semaphore);
      consumer = engine;
    }
    return std::nullopt;
  };
  auto visitSignals = [&](const SyncTokens &tokens, int execution) -> Problem {
    for (const Token &token : tokens.signals) {
      if (token.semaphore >= semaphores.size())
        return fmt::format("a signal of semaphore {} of {}", token.semaphore,
                           semaphores.size());
      Semaphore &semaphore = semaphores[token.semaphore];
      if (execution == semaphore.consumer)
        continue;
      if (semaphore.producer >= 0 && semaphore.producer != execution)
        return fmt::format("semaphore {} has two producers", token.semaphore);
      semaphore.producer = execution;
    }
    return std::nullopt;
  };
  if (solution.instructions.size() != problem.instructions.size())
    return fmt::format("tokens for {} instructions of {}",
                       solution.instructions.size(),
                       problem.instructions.size());
  for (std::size_t i = 0; i < problem.instructions.size(); ++i)
    if (Problem wrong = visit(solution.instructions[i],
                              static_cast<int>(problem.instructions[i].engine)))
      return wrong;
  for (const SyncFence &fence : solution.fences) {
    if (fence.loop >= problem.loops.size())
      return fmt::format("a fence beside loop {} of {}", fence.loop,
                         problem.loops.size());
    if (!takesPart(fence.engine, fence.loop))
      return fmt::format("a fence of {} beside loop {}, in which it has no "
                         "instruction",
                         isa::name(fence.engine), fence.loop);
    if (Problem wrong = visit(fence.tokens, static_cast<int>(fence.engine)))
      return wrong;
  }
  for (std::size_t i = 0; i < problem.instructions.size(); ++i)
    if (Problem wrong = visitSignals(solution.instructions[i],
                                     problem.instructions[i].execution()))
      return wrong;
  for (const SyncFence &fence : solution.fences)
    if (Problem wrong =
            visitSignals(fence.tokens, static_cast<int>(fence.engine)))
      return wrong;
  return std::nullopt;
}

bool Play::ready(const Event &event) const {
  return std::all_of(event.tokens->waits.begin(), event.tokens->waits.end(),
                     [&](const Token &token) {
                       return semaphores[token.semaphore].level >= token.value;
                     });
}

Problem Play::issueEvent(std::uint32_t id) {
  Event &event = events[id];
  Clock &clock = issue[static_cast<std::size_t>(event.engine)];
  for (const Token &token : event.tokens->waits) {
    Semaphore &semaphore = semaphores[token.semaphore];
    semaphore.level -= token.value;
    semaphore.taken += token.value;
    // Tokens that the consumer gave itself are counted exactly; the others must
    // come from the producer, in its order.
    const std::vector<Given> *given = &semaphore.home;
    std::uint64_t need = semaphore.taken;
    if (semaphore.producer >= 0) {
      std::uint64_t own =
          semaphore.home.empty() ? 0 : semaphore.home.back().total;
      need = need > own ? need - own : 0;
      given = &semaphore.foreign;
    }
    if (need == 0)
      continue;
    auto sign = std::lower_bound(
        given->begin(), given->end(), need,
        [](const Given &entry, std::uint64_t n) { return entry.total < n; });
    if (sign == given->end())
      return fmt::format(
          "{} takes tokens of semaphore {} that were never signalled",
          describe(event), token.semaphore);
    const Event &source = events[sign->event];
    for (std::size_t s = 0; s < numExecutionStreams; ++s)
      clock[s] = std::max(clock[s], source.clock[s]);
    clock[source.execution] = std::max(clock[source.execution], source.index);
  }
  event.index = ++counts[event.execution];
  event.clock = clock;
  for (const Token &token : event.tokens->signals) {
    Semaphore &semaphore = semaphores[token.semaphore];
    semaphore.level += token.value;
    if (semaphore.level > isa::maxTokens)
      return fmt::format("semaphore {} passes {}", token.semaphore,
                         isa::maxTokens);
    auto &list = static_cast<int>(event.execution) == semaphore.consumer
                     ? semaphore.home
                     : semaphore.foreign;
    list.push_back({(list.empty() ? 0 : list.back().total) + token.value, id});
  }
  return std::nullopt;
}

Problem Play::playStreams() {
  std::array<std::size_t, isa::numEngines> next{};
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < isa::numEngines; ++s)
      while (next[s] < streams[s].size() &&
             ready(events[streams[s][next[s]]])) {
        if (Problem wrong = issueEvent(streams[s][next[s]++]))
          return wrong;
        moved = true;
      }
  }
  for (std::size_t s = 0; s < isa::numEngines; ++s)
    if (next[s] < streams[s].size())
      return fmt::format("deadlock: {} waits forever",
                         describe(events[streams[s][next[s]]]));
  return std::nullopt;
}

} // namespace kiln::problems::verification
