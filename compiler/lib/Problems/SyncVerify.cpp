//===- SyncVerify.cpp - Does a set of tokens order the program? -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent of the solver: plays the program. Loops are cut to a few
// iterations, the five streams run until each one waits or ends, clocks are
// carried by tokens, and every conflicting pair is looked up with concrete
// addresses. Overlap is decided by listing runs of bytes, not by arithmetic.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Problems/SyncProblem.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace kiln::problems {
namespace {

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
  std::uint32_t firstAddress = 0; ///< Into Play::addresses, by access.
  std::uint32_t index = 0;        ///< In its execution stream, from 1.
  Clock clock{};                  ///< What was complete when it issued.
};

class Play {
public:
  Play(const SyncProblem &problem, const SyncSolution &solution, Cut cut)
      : problem(problem), solution(solution), cut(std::move(cut)),
        semaphores(solution.semaphores) {}

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
  std::int64_t address(const Footprint &bytes) const;
  Problem classify();
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
  Cut cut;
  std::vector<Event> events; ///< In sequential order.
  std::vector<std::int64_t> addresses;
  std::array<std::vector<std::uint32_t>, isa::numEngines> streams;

  // Expansion.
  std::vector<std::uint64_t> iteration = {}; ///< By loop.
  struct RingCount {
    std::uint64_t count = 0;
  };
  std::map<std::pair<LoopId, LoopId>, RingCount> rings; ///< (loop, scope).
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
  struct Entry {
    const SyncAccess *access;
    std::int64_t address;
    std::int64_t low, high; ///< Hull.
    std::uint32_t event;
    bool dead;
  };
  using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const Runs &runsOf(const SyncAccess &access);
  bool overlap(const Entry &a, const Entry &b);
  Problem checkAccess(const Entry &entry, std::uint64_t memory,
                      std::int64_t page);
  std::vector<Entry> entriesSeen;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> pages;
  std::unordered_map<const SyncAccess *, Runs> runCache;
};

std::int64_t Play::address(const Footprint &bytes) const {
  std::int64_t at = bytes.offset;
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
  event.firstAddress = static_cast<std::uint32_t>(addresses.size());
  for (const SyncAccess &access : instruction.accesses)
    addresses.push_back(address(access.bytes));
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
  for (const SyncInstruction &instruction : problem.instructions)
    for (const SyncAccess &access : instruction.accesses)
      if (access.bytes.ring)
        rings[{access.bytes.ring->loop, access.bytes.ring->scope}];
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
    for (auto &[key, ring] : rings)
      if (key.second == loop)
        ring.count = 0;
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
      for (auto &[key, ring] : rings)
        if (key.first == loop)
          ++ring.count;
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

/// Who gives and who takes: one consumer, and beside it one producer.
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
    // What the consumer gave itself is counted exactly; the rest must have
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
      return fmt::format("{} takes tokens of semaphore {} that nobody gave",
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
    if (semaphore.level > 65535)
      return fmt::format("semaphore {} passes 65535", token.semaphore);
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
      return fmt::format("deadlock: {} waits for ever",
                         describe(events[streams[s][next[s]]]));
  return std::nullopt;
}

/// The runs of bytes of an access from address 0, sorted and joined.
const Play::Runs &Play::runsOf(const SyncAccess &access) {
  auto [found, fresh] = runCache.try_emplace(&access);
  Runs &runs = found->second;
  if (!fresh)
    return runs;
  std::vector<std::int64_t> starts{0};
  for (const ByteDim &dim : access.bytes.dims) {
    std::vector<std::int64_t> more;
    more.reserve(starts.size() * dim.count);
    for (std::int64_t start : starts)
      for (std::uint64_t i = 0; i < (dim.stride ? dim.count : 1); ++i)
        more.push_back(start + dim.stride * static_cast<std::int64_t>(i));
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    starts = std::move(more);
  }
  for (std::int64_t start : starts) {
    std::int64_t end = start + static_cast<std::int64_t>(access.bytes.run);
    if (!runs.empty() && start <= runs.back().second)
      runs.back().second = std::max(runs.back().second, end);
    else
      runs.push_back({start, end});
  }
  return runs;
}

bool Play::overlap(const Entry &a, const Entry &b) {
  if (a.low >= b.high || b.low >= a.high)
    return false;
  const Footprint &x = a.access->bytes, &y = b.access->bytes;
  if (x.space != isa::Space::hbm &&
      (x.partition >= y.partition + y.partitions ||
       y.partition >= x.partition + x.partitions))
    return false;
  const Runs &p = runsOf(*a.access), &q = runsOf(*b.access);
  for (std::size_t i = 0, j = 0; i < p.size() && j < q.size();) {
    if (p[i].second + a.address <= q[j].first + b.address)
      ++i;
    else if (q[j].second + b.address <= p[i].first + a.address)
      ++j;
    else
      return true;
  }
  return false;
}

Problem Play::checkAccess(const Entry &entry, std::uint64_t memory,
                          std::int64_t page) {
  const Event &event = events[entry.event];
  std::uint32_t id = static_cast<std::uint32_t>(entriesSeen.size());
  entriesSeen.push_back(entry);
  const Footprint &bytes = entry.access->bytes;
  bool dense = runsOf(*entry.access).size() == 1;
  auto floorPage = [&](std::int64_t at) {
    return at >= 0 ? at / page : -((-at + page - 1) / page);
  };
  for (std::int64_t p = floorPage(entry.low); p <= floorPage(entry.high - 1);
       ++p) {
    std::vector<std::uint32_t> &list =
        pages[(memory << 44) ^ static_cast<std::uint64_t>(p + (1ll << 40))];
    std::size_t kept = 0;
    for (std::uint32_t other : list) {
      Entry &old = entriesSeen[other];
      if (old.dead)
        continue;
      list[kept++] = other;
      const Event &before = events[old.event];
      if (old.event == entry.event)
        continue;
      bool conflict =
          (old.access->write || entry.access->write) && overlap(old, entry);
      bool sameEngine =
          before.execution == event.execution && !isQueue(event.execution);
      if (conflict && !sameEngine &&
          event.clock[before.execution] < before.index)
        return fmt::format("nothing orders {} before {} at byte {} of {}",
                           describe(before), describe(event),
                           std::max(old.low, entry.low),
                           isa::name(bytes.space));
      // A later one that covers an earlier one stands for it.
      const Footprint &was = old.access->bytes;
      bool around =
          bytes.partition <= was.partition &&
          bytes.partition + bytes.partitions >= was.partition + was.partitions;
      bool covers =
          around &&
          ((dense && entry.low <= old.low && old.high <= entry.high) ||
           (entry.access == old.access && entry.address == old.address));
      if (covers &&
          (entry.access->write ||
           (!old.access->write && before.execution == event.execution)))
        old.dead = true, --kept;
    }
    list.resize(kept);
    list.push_back(id);
  }
  return std::nullopt;
}

Problem Play::findRace() {
  std::map<std::pair<isa::Space, std::uint32_t>, std::uint64_t> numbers;
  std::vector<std::int64_t> bytesOf, countOf;
  auto number = [&](const Footprint &bytes) {
    auto [found, fresh] = numbers.try_emplace(
        {bytes.space, bytes.space == isa::Space::hbm ? bytes.tensor : 0},
        numbers.size());
    if (fresh) {
      bytesOf.push_back(0);
      countOf.push_back(0);
    }
    return found->second;
  };
  for (const SyncInstruction &instruction : problem.instructions)
    for (const SyncAccess &access : instruction.accesses) {
      std::uint64_t memory = number(access.bytes);
      const Runs &runs = runsOf(access);
      bytesOf[memory] += runs.back().second - runs.front().first;
      ++countOf[memory];
    }
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    if (events[e].instruction == ~0u)
      continue;
    const SyncInstruction &instruction =
        problem.instructions[events[e].instruction];
    for (std::size_t a = 0; a < instruction.accesses.size(); ++a) {
      const SyncAccess &access = instruction.accesses[a];
      std::int64_t address = addresses[events[e].firstAddress + a];
      const Runs &runs = runsOf(access);
      std::uint64_t memory = number(access.bytes);
      std::int64_t page =
          std::max<std::int64_t>(256, bytesOf[memory] / countOf[memory]);
      if (Problem wrong =
              checkAccess({&access, address, address + runs.front().first,
                           address + runs.back().second, e, false},
                          memory, page))
        return wrong;
    }
  }
  return std::nullopt;
}

/// Iterations per loop: enough for its rings to wrap, fewer where loops nest
/// so deeply that playing them would take long.
std::vector<std::uint64_t> playedTrips(const SyncProblem &problem) {
  std::vector<std::uint64_t> most(problem.loops.size(), 3);
  for (const SyncInstruction &instruction : problem.instructions)
    for (const SyncAccess &access : instruction.accesses)
      if (const auto &ring = access.bytes.ring)
        most[ring->loop] = std::max<std::uint64_t>(
            most[ring->loop], std::min(ring->slots, 16u) + 2);
  return most;
}

} // namespace

Problem verify(const SyncProblem &problem, const SyncSolution &solution) {
  if (Problem wrong = problem.check())
    return wrong;
  bool open =
      std::any_of(problem.loops.begin(), problem.loops.end(),
                  [](const SyncLoop &loop) { return !loop.trips.has_value(); });
  std::vector<std::uint64_t> most = playedTrips(problem);
  for (unsigned variant = 0; variant < (open ? 4u : 1u); ++variant)
    if (Problem wrong =
            Play(problem, solution, Cut{variant, &problem, most}).run())
      return fmt::format("with trip counts of play {}: {}", variant, *wrong);
  // Short trips are the same protocol with fewer turns.
  for (std::uint64_t fewer : {1, 2}) {
    if (problem.loops.empty())
      break;
    std::vector<std::uint64_t> shorter = most;
    for (std::uint64_t &trips : shorter)
      trips = std::min(trips, fewer);
    if (Problem wrong =
            Play(problem, solution, Cut{0, &problem, shorter}).run())
      return fmt::format("with at most {} iterations: {}", fewer, *wrong);
  }
  return std::nullopt;
}

} // namespace kiln::problems
