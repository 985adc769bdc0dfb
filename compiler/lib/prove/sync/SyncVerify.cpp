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
// addresses.
//
//===----------------------------------------------------------------------===//

#include "SyncPlay.h"

namespace kiln::problems::verification {

checker::IndexedAccess Play::accessOf(std::uint32_t id, std::size_t number) {
  const Event &event = events[id];
  const Shapes::Access &access = shapes.access(event.instruction, number);
  checker::IndexedAccess out;
  out.low = access.low;
  if (shapes.moves(event.instruction))
    out.low += shifts[event.firstShift + number];
  out.end = out.low + shapes.table()[access.shape].extent;
  out.memory = access.memory;
  out.shape = access.shape;
  out.partition = access.partition;
  out.partitionEnd = access.partitionEnd;
  out.write = access.write;
  out.executor = event.execution;
  out.owner = id;
  out.number = event.index;
  return out;
}

Problem Play::findRace() {
  checker::AccessIndex index(shapes.table());
  const auto forAll = [&](auto use) {
    for (std::uint32_t id = 0; id < events.size(); ++id)
      if (const std::uint32_t number = events[id].instruction; number != ~0u)
        for (std::size_t a = 0; a < shapes.numAccesses(number); ++a)
          use(accessOf(id, a));
  };
  forAll([&](const checker::IndexedAccess &access) { index.announce(access); });
  index.choosePitches();
  forAll([&](const checker::IndexedAccess &access) { index.measure(access); });
  index.makeBins();
  Problem wrong;
  const auto ordered = [&](const checker::IndexedAccess &old,
                           const checker::IndexedAccess &fresh) {
    return (old.executor == fresh.executor && !isQueue(fresh.executor)) ||
           events[fresh.owner].clock[old.executor] >= old.number;
  };
  forAll([&](const checker::IndexedAccess &fresh) {
    if (wrong)
      return;
    index.visit(fresh, ordered, [&](const checker::IndexedAccess &old) {
      wrong = fmt::format("nothing orders {} before {} at byte {} of {}",
                          describe(events[old.owner]),
                          describe(events[fresh.owner]),
                          std::max(old.low, fresh.low),
                          isa::name(shapes.spaceOf(fresh.memory)));
      return true;
    });
  });
  return wrong;
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
/// wrap; where that would take long, twice from the outside in; and if even
/// that is too much, twice in some neighbouring levels at a time, as many as
/// can be, and once elsewhere: tokens of a loop flow within its own body.
std::vector<Trips> playedTrips(const SyncProblem &problem,
                               const verification::Shapes &shapes) {
  const double budget =
      200'000 + 4. * static_cast<double>(problem.items.size());
  Trips most(problem.loops.size(), 3);
  for (const auto &[ring, slots] : shapes.rings())
    most[ring.first] =
        std::max<std::uint64_t>(most[ring.first], std::uint64_t{slots} + 2);
  if (playedEvents(problem, most) <= budget)
    return {most};
  const Nest nest(problem);
  const Trips wanted = most;
  for (unsigned level = 0;
       level <= nest.deepest && playedEvents(problem, most) > budget; ++level)
    for (std::size_t loop = 0; loop < most.size(); ++loop)
      if (nest.depth[loop] == level)
        most[loop] = 2;
  constexpr unsigned widest = 16;
  const unsigned levels = nest.deepest + 1;
  unsigned window = std::min(levels, widest);
  const auto openAt = [&](unsigned first) {
    Trips some(most.size(), 1);
    for (std::size_t loop = 0; loop < most.size(); ++loop)
      if (nest.depth[loop] >= first && nest.depth[loop] < first + window)
        some[loop] = wanted[loop];
    return some;
  };
  const auto all = [&] {
    double total = 0;
    for (unsigned first = 0; first + window <= levels; ++first)
      total += playedEvents(problem, openAt(first));
    return total;
  };
  while (window > 1 && all() > budget)
    --window;
  std::vector<Trips> plays;
  for (unsigned first = 0; first + window <= levels; ++first)
    plays.push_back(openAt(first));
  if (playedEvents(problem, most) <= budget)
    plays.push_back(most);
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
  const std::vector<Trips> plays = playedTrips(problem, shapes);
  for (const Trips &most : plays) {
    for (unsigned variant = 0; variant < (open ? 4u : 1u); ++variant)
      if (Problem wrong = play(variant, most))
        return fmt::format("with trip counts of play {}: {}", variant, *wrong);
    // Short trip counts are the same protocol with fewer iterations.
    for (std::uint64_t fewer : {1, 2}) {
      if (fewer == 1 && &most != &plays.front())
        continue; // The same in all plays.
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
