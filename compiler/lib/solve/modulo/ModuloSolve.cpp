//===- ModuloSolve.cpp - Iterative modulo scheduling ----------------- -===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Intervals from the bound upward, until one can be placed. PSUM is divided
// before, SBUF after that.
//
//===----------------------------------------------------------------------===//

#include "ModuloPlacement.h"
#include "ModuloSearch.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kiln::problems {
namespace {

/// From the start of the writer to the last release, in original iterations:
/// the copies that a schedule needs of each buffer.
std::vector<std::uint32_t> copiesNeeded(const ModuloProblem &problem,
                                        const ModuloSolution &solution) {
  const std::size_t size = problem.operations.size();
  std::vector<std::uint32_t> copies;
  for (const ModuloBuffer &buffer : problem.buffers) {
    std::uint32_t needed = 1;
    for (std::uint32_t u = 0; u < solution.unroll; ++u) {
      std::int64_t free = 0;
      for (const ModuloBuffer::User &user : buffer.users)
        free = std::max(free, solution.start[u * size + user.operation] +
                                  user.release);
      const auto takenAgain = [&](std::uint32_t iteration) {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const ModuloBuffer::User &user : buffer.users)
          if (user.writes)
            first = std::min(
                first, solution.start[iteration % solution.unroll * size +
                                      user.operation] +
                           iteration / solution.unroll * solution.interval);
        return first;
      };
      while (takenAgain(u + needed) < free)
        ++needed;
    }
    copies.push_back(needed);
  }
  return copies;
}

/// Intervals are raised by this part of the least one.
constexpr std::int64_t intervalSteps = 128;
/// So often; then by four times as much.
constexpr unsigned fineRaises = 16;
constexpr std::int64_t coarseRaise = 4;
/// How often a schedule that needs less SBUF is sought.
constexpr unsigned mostShrinks = 8;
/// Copies of a buffer in SBUF: of more, no body of a loop is a multiple.
constexpr std::uint32_t mostCopies = 16;
/// Slack by which copies in PSUM are weighed when nothing else decides.
constexpr std::int64_t usualMargin = 150'000;
/// Margins tried, in ps.
constexpr std::array<std::int64_t, 11> margins{
    0,       20'000,  40'000,  70'000,  100'000,  150'000,
    200'000, 300'000, 450'000, 700'000, 1'000'000};
/// Orders tried at each interval: so many together have as many nodes.
constexpr unsigned nodesTried = 512, mostAttempts = 16;
/// A margin may cost so small a part of the interval.
constexpr std::int64_t usualSlack = 16, timedSlack = 64;
/// By which a latency may turn out longer than predicted.
constexpr std::int64_t usualDelay = 60'000;
/// Iterations replayed to see what a schedule makes of that.
constexpr std::uint32_t replayedTrips = 48;

/// Copies of each buffer in PSUM, where there are few: one each, then, while
/// there is room, one more of the buffer that shortens the worst cycle most.
/// Buffers in SBUF get none: what they need is known after solving.
std::vector<std::uint32_t> psumCopies(const ModuloProblem &problem,
                                      const ModuloOptions &options) {
  std::vector<std::uint32_t> copies;
  for (const ModuloBuffer &buffer : problem.buffers)
    copies.push_back(buffer.copies                      ? buffer.copies
                     : buffer.space == isa::Space::psum ? 1u
                                                        : 0u);
  std::int64_t atMost = 0;
  for (const ModuloEdge &edge : problem.edges)
    atMost += edge.latency + usualMargin;
  for (const ModuloBuffer &buffer : problem.buffers)
    for (const ModuloBuffer::User &user : buffer.users)
      atMost += user.release + usualMargin;
  const std::int64_t margin = std::max(options.margin, usualMargin);
  while (true) {
    std::optional<std::size_t> best;
    std::int64_t bestCycle = 0;
    for (std::size_t b = 0; b < copies.size(); ++b) {
      const ModuloBuffer &buffer = problem.buffers[b];
      if (buffer.space != isa::Space::psum || buffer.copies)
        continue;
      ++copies[b];
      const bool fits =
          problem.taken(isa::Space::psum, copies) <= problem.psumRoom;
      const std::int64_t cycle =
          fits ? recurrenceOf(ModuloGraph(problem, 1, margin, copies), atMost)
               : 0;
      --copies[b];
      if (!fits)
        continue;
      // At equal cycles to the buffer that has fewest.
      if (!best ||
          std::pair(cycle, copies[b]) < std::pair(bestCycle, copies[*best])) {
        best = b;
        bestCycle = cycle;
      }
    }
    if (!best)
      return copies;
    ++copies[*best];
  }
}

/// One copy more of each buffer in SBUF than the times ask for, smallest first,
/// while they take no more than this part of the room. A ring that is just deep
/// enough passes each delay of its readers on to its writer.
constexpr std::int64_t spareRoom = 2;
void addSpares(const ModuloProblem &problem, RoomRange &rooms,
               ModuloSolution &solution) {
  std::vector<std::size_t> buffers;
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    if (problem.buffers[b].space == isa::Space::sbuf &&
        !problem.buffers[b].copies)
      buffers.push_back(b);
  std::stable_sort(buffers.begin(), buffers.end(), [&](auto a, auto b) {
    return problem.buffers[a].bytes < problem.buffers[b].bytes;
  });
  std::int64_t taken = problem.taken(isa::Space::sbuf, solution.copies);
  for (const std::size_t b : buffers) {
    taken += problem.buffers[b].bytes;
    if (!rooms.fits(taken * spareRoom))
      return;
    ++solution.copies[b];
  }
}

/// One copy less of the buffers that take most, until they fit; false if they
/// cannot.
bool shrink(const ModuloProblem &problem, RoomRange &rooms,
            std::vector<std::uint32_t> &copies) {
  do {
    std::optional<std::size_t> largest;
    for (std::size_t b = 0; b < copies.size(); ++b) {
      const ModuloBuffer &buffer = problem.buffers[b];
      if (buffer.space != isa::Space::sbuf || buffer.copies || copies[b] < 2)
        continue;
      if (!largest || buffer.taken(copies[b]) >
                          problem.buffers[*largest].taken(copies[*largest]))
        largest = b;
    }
    if (!largest)
      return false;
    --copies[*largest];
  } while (!rooms.fits(problem.taken(isa::Space::sbuf, copies)));
  return true;
}

} // namespace

/// A cycle takes no longer than all edges together.
static std::int64_t latencies(const ModuloGraph &graph) {
  std::int64_t sum = 0;
  for (const ModuloGraph::Edge &edge : graph.edges)
    sum += edge.latency;
  return sum;
}

static std::optional<ModuloSolution> solveWith(const ModuloProblem &problem,
                                               const ModuloOptions &options,
                                               Transfers transfers,
                                               RoomRange &rooms) {
  const ModuloBounds bounds = moduloBounds(problem);
  std::vector<std::uint32_t> demanded = psumCopies(problem, options);
  if (problem.taken(isa::Space::psum, demanded) > problem.psumRoom)
    return std::nullopt;
  std::int64_t least = std::max({options.leastInterval, std::int64_t{1},
                                 bounds.resource() * options.unroll});
  for (unsigned shrunk = 0; shrunk <= mostShrinks; ++shrunk) {
    const ModuloGraph graph(problem, options.unroll, options.margin, demanded);
    const unsigned attempts =
        options.attempts
            ? options.attempts
            : std::clamp(nodesTried / graph.nodes, 1u, mostAttempts);
    least = std::max(least, recurrenceOf(graph, latencies(graph)));
    const std::int64_t step = std::max<std::int64_t>(1, least / intervalSteps);
    std::optional<ModuloSolution> found;
    for (unsigned raise = 0; raise < options.raises && !found; ++raise) {
      const std::int64_t raises =
          raise < fineRaises ? raise
                             : fineRaises + (raise - fineRaises) * coarseRaise;
      const std::int64_t interval = least + raises * step;
      if (options.mostInterval > 0 && interval > options.mostInterval)
        return std::nullopt;
      if (auto start = placeModulo(graph, interval, options.placements,
                                   attempts, transfers))
        found = {options.unroll, interval, std::move(*start), {}};
    }
    if (!found)
      return std::nullopt;
    found->copies = copiesNeeded(problem, *found);
    for (std::size_t b = 0; b < demanded.size(); ++b)
      found->copies[b] = std::max(found->copies[b], demanded[b]);
    // A value that is made early and used late has to be made later.
    bool tooMany = false;
    for (std::size_t b = 0; b < demanded.size(); ++b)
      if (found->copies[b] > mostCopies && !problem.buffers[b].copies) {
        demanded[b] = mostCopies;
        tooMany = true;
      }
    if (tooMany) {
      least = found->interval;
      continue;
    }
    if (rooms.fits(problem.taken(isa::Space::sbuf, found->copies))) {
      if (options.isTimed)
        addSpares(problem, rooms, *found);
      return found;
    }
    // Over the room: the buffers that take most of it get fewer copies.
    for (std::size_t b = 0; b < demanded.size(); ++b)
      if (problem.buffers[b].space == isa::Space::sbuf)
        demanded[b] = found->copies[b];
    if (!shrink(problem, rooms, demanded))
      return std::nullopt;
    least = found->interval;
  }
  return std::nullopt;
}

/// A schedule in which transfers have places runs as predicted more often than
/// one in which they queue, so it may be longer by such a part. If none is
/// found so near, none is found at much shorter intervals, either.
constexpr std::int64_t shorterPart = 32, longerPart = 48;

/// `transfers`, where it is given, is what is sought; else it becomes what was
/// found.
static std::optional<ModuloSolution>
solveWithEither(const ModuloProblem &problem, const ModuloOptions &options,
                std::optional<Transfers> &transfers, RoomRange &rooms) {
  if (transfers)
    return solveWith(problem, options, *transfers, rooms);
  ModuloOptions least = options;
  least.raises = 1;
  if (auto placed = solveWith(problem, least, Transfers::placed, rooms)) {
    transfers = Transfers::placed;
    return placed;
  }
  std::optional<ModuloSolution> queued =
      solveWith(problem, options, Transfers::queued, rooms);
  ModuloOptions near = options;
  if (queued) {
    const std::int64_t interval = queued->interval;
    near.leastInterval =
        std::max(near.leastInterval, interval - interval / shorterPart);
    const std::int64_t longest = interval + interval / longerPart;
    near.mostInterval =
        near.mostInterval > 0 ? std::min(near.mostInterval, longest) : longest;
  }
  if (auto placed = solveWith(problem, near, Transfers::placed, rooms)) {
    transfers = Transfers::placed;
    return placed;
  }
  if (queued)
    transfers = Transfers::queued;
  return queued;
}

std::optional<ModuloSolution> searchModulo(const ModuloProblem &problem,
                                           const ModuloOptions &options,
                                           RoomRange &rooms) {
  std::optional<Transfers> transfers;
  return solveWithEither(problem, options, transfers, rooms);
}

ModuloProblem delayed(ModuloProblem problem) {
  for (ModuloEdge &edge : problem.edges)
    if (edge.spreads)
      edge.latency +=
          problem.operations[edge.from].work > 0 ? transferMargin : usualDelay;
  return problem;
}

/// Of so many trips, or of one among very many.
static double timeOf(const ModuloProblem &problem,
                     const ModuloSolution &solution, std::uint32_t trips) {
  const std::uint32_t played =
      trips ? std::min(trips, replayedTrips) : replayedTrips;
  const ModuloReport report = replayModulo(problem, solution, played);
  if (trips == 0)
    return report.interval;
  return static_cast<double>(report.makespan) +
         (trips - played) * report.interval;
}

static std::int64_t mostSlack(const ModuloOptions &options) {
  return options.isTimed ? timedSlack : usualSlack;
}

std::vector<ModuloSolution> searchWithMargins(const ModuloProblem &problem,
                                              ModuloOptions options,
                                              RoomRange &rooms) {
  std::vector<ModuloSolution> found;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::optional<Transfers> transfers;
  for (const std::int64_t margin : margins) {
    options.margin = margin;
    if (std::optional<ModuloSolution> solution =
            solveWithEither(problem, options, transfers, rooms)) {
      if (options.mostDepth > 0 && solution->depth() > options.mostDepth)
        continue;
      least = std::min(least, solution->interval);
      options.mostInterval = least + least / mostSlack(options);
      // With more margin, shorter intervals hardly ever fit, and each one that
      // does not takes as long as all others.
      options.leastInterval = least;
      found.push_back(std::move(*solution));
    }
  }
  return found;
}

std::optional<ModuloSolution>
mostRobust(const ModuloProblem &problem, const ModuloOptions &options,
           const std::vector<ModuloSolution> &found) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const ModuloSolution &solution : found)
    least = std::min(least, solution.interval);
  const auto isShort = [&](const ModuloSolution &solution) {
    return solution.interval <= least + least / mostSlack(options);
  };
  const auto fits = [&](const ModuloSolution &solution) {
    return isShort(solution) &&
           (options.usualDepth == 0 || solution.depth() <= options.usualDepth);
  };
  const bool anyFits = std::any_of(found.begin(), found.end(), fits);
  const ModuloProblem late = delayed(problem);
  const ModuloSolution *best = nullptr;
  double bestTime = 0;
  for (const ModuloSolution &solution : found) {
    if (anyFits ? !fits(solution) : !isShort(solution))
      continue;
    const double time = timeOf(late, solution, options.trips);
    // At the same time the larger margin.
    if (!best || time <= bestTime) {
      best = &solution;
      bestTime = time;
    }
  }
  return best ? std::optional(*best) : std::nullopt;
}

} // namespace kiln::problems
