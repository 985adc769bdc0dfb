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

#include "SyncPlay.h"

namespace kiln::problems::verification {

bool Play::overlap(const Entry &a, const Entry &b) {
  if (a.low >= b.high || b.low >= a.high)
    return false;
  const Footprint &x = a.access->bytes, &y = b.access->bytes;
  if (x.space != isa::Space::hbm &&
      (x.partition >= y.partition + y.partitions ||
       y.partition >= x.partition + x.partitions))
    return false;
  const Runs &p = shapes.runs(a.runs), &q = shapes.runs(b.runs);
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
  bool dense = shapes.runs(entry.runs).size() == 1;
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
      // What a clock orders needs no look at its bytes.
      bool ordered =
          (before.execution == event.execution && !isQueue(event.execution)) ||
          event.clock[before.execution] >= before.index;
      if (!ordered && (old.access->write || entry.access->write) &&
          overlap(old, entry))
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
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    std::uint32_t number = events[e].instruction;
    if (number == ~0u)
      continue;
    const SyncInstruction &instruction = problem.instructions[number];
    for (std::size_t a = 0; a < instruction.accesses.size(); ++a) {
      const Shapes::Access &shape = shapes.access(number, a);
      const Runs &runs = shapes.runs(shape.runs);
      std::int64_t address = addresses[events[e].firstAddress + a];
      if (Problem wrong = checkAccess(
              {&instruction.accesses[a], address, address + runs.front().first,
               address + runs.back().second, e, shape.runs, false},
              shape.memory, shapes.page(shape.memory)))
        return wrong;
    }
  }
  return std::nullopt;
}

} // namespace kiln::problems::verification

namespace kiln::problems {
namespace {

using Trips = std::vector<std::uint64_t>;

/// Loops by how many are around them, and how often the body of each is played.
struct Nest {
  std::vector<unsigned> depth; ///< By loop.
  unsigned deepest = 0;

  explicit Nest(const SyncProblem &problem) : depth(problem.loops.size()) {
    unsigned open = 0;
    for (const SyncItem &item : problem.items)
      if (item.kind == SyncItem::Kind::loopBegin)
        depth[item.index] = open++;
      else if (item.kind == SyncItem::Kind::loopEnd)
        --open;
    for (const unsigned at : depth)
      deepest = std::max(deepest, at);
  }
};

double playedEvents(const SyncProblem &problem, const Trips &most) {
  double total = 0;
  std::vector<double> factors{1};
  for (const SyncItem &item : problem.items)
    if (item.kind == SyncItem::Kind::loopBegin)
      factors.push_back(factors.back() *
                        static_cast<double>(std::min(
                            most[item.index],
                            problem.loops[item.index].trips.value_or(~0ull))));
    else if (item.kind == SyncItem::Kind::loopEnd)
      factors.pop_back();
    else
      total += factors.back();
  return total;
}

/// Iterations of each loop, for one play or several. Enough for its rings to
/// wrap; where loops nest so deeply that this would take long, twice from the
/// outside in; and if even that is too much, twice in a few neighbouring levels
/// at a time and once elsewhere: tokens of a loop flow within its own body.
std::vector<Trips> playedTrips(const SyncProblem &problem) {
  constexpr double budget = 2'000'000;
  constexpr unsigned window = 6;
  Trips most(problem.loops.size(), 3);
  for (const SyncInstruction &instruction : problem.instructions)
    for (const SyncAccess &access : instruction.accesses)
      if (const auto &ring = access.bytes.ring)
        most[ring->loop] = std::max<std::uint64_t>(
            most[ring->loop], std::min(ring->slots, 16u) + 2);
  const Nest nest(problem);
  for (unsigned level = 0;
       level <= nest.deepest && playedEvents(problem, most) > budget; ++level)
    for (std::size_t loop = 0; loop < most.size(); ++loop)
      if (nest.depth[loop] == level)
        most[loop] = 2;
  if (nest.deepest < window || playedEvents(problem, most) <= budget)
    return {most};
  std::vector<Trips> plays;
  for (unsigned first = 0; first + window <= nest.deepest + 1; ++first) {
    Trips &some = plays.emplace_back(most.size(), 1);
    for (std::size_t loop = 0; loop < most.size(); ++loop)
      if (nest.depth[loop] >= first && nest.depth[loop] < first + window)
        some[loop] = 2;
  }
  return plays;
}

} // namespace

Problem verify(const SyncProblem &problem, const SyncSolution &solution) {
  if (Problem wrong = problem.check())
    return wrong;
  bool open =
      std::any_of(problem.loops.begin(), problem.loops.end(),
                  [](const SyncLoop &loop) { return !loop.trips.has_value(); });
  verification::Shapes shapes(problem);
  const auto play = [&](unsigned variant, const Trips &most) {
    return verification::Play(problem, solution, shapes,
                              verification::Cut{variant, &problem, most})
        .run();
  };
  for (const Trips &most : playedTrips(problem)) {
    for (unsigned variant = 0; variant < (open ? 4u : 1u); ++variant)
      if (Problem wrong = play(variant, most))
        return fmt::format("with trip counts of play {}: {}", variant, *wrong);
    // Short trips are the same protocol with fewer turns.
    for (std::uint64_t fewer : {1, 2}) {
      if (problem.loops.empty())
        break;
      Trips shorter = most;
      for (std::uint64_t &trips : shorter)
        trips = std::min(trips, fewer);
      if (shorter == most)
        continue;
      if (Problem wrong = play(0, shorter))
        return fmt::format("with at most {} iterations: {}", fewer, *wrong);
    }
  }
  return std::nullopt;
}

} // namespace kiln::problems
