//===- SpaceSolve.cpp - Best fit by size and lifetime ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two heuristics. Up to a few thousand tiles: place them one by one, the big
// and long-lived first, each into the tightest gap between those it lives
// with; several priorities, the lowest peak wins. Beyond: walk through time
// with a map of gaps (SpaceThroughTime.cpp). Both put tiles at partition 0
// unless they are pinned.
//
//===----------------------------------------------------------------------===//

#include "SpacePlacement.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <map>

namespace kiln::problems {

std::optional<std::uint64_t> legalFrom(const SpaceProblem &problem,
                                       const SpaceRectangle &tile,
                                       std::uint64_t offset) {
  if (tile.wholeBank)
    return isa::roundUp(
        offset, std::max<std::uint64_t>(isa::psumBankBytes, tile.alignment));
  offset = isa::roundUp(offset, tile.alignment);
  if (problem.space != isa::Space::psum || tile.bytes > isa::psumBankBytes)
    return offset;
  auto crosses = [&](std::uint64_t at) {
    for (std::uint32_t slot = 0; slot < tile.slots; ++slot) {
      std::uint64_t begin = at + slot * tile.slotBytes();
      if (begin / isa::psumBankBytes !=
          (begin + tile.bytes - 1) / isa::psumBankBytes)
        return true;
    }
    return false;
  };
  // Crossing repeats with the bank, so one bank of candidates decides.
  std::uint64_t last = offset + isa::psumBankBytes;
  for (; offset <= last; offset += tile.alignment < 4 ? 4 : tile.alignment) {
    offset = isa::roundUp(offset, tile.alignment);
    if (!crosses(offset))
      return offset;
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t manyTiles = 3000;

/// The start of the tightest gap between `taken` (sorted by start) that holds
/// `tile`.
std::optional<std::uint64_t> bestFit(const SpaceProblem &problem,
                                     const SpaceRectangle &tile,
                                     const std::vector<SpaceRange> &taken) {
  std::optional<std::uint64_t> best;
  std::uint64_t bestWaste = ~std::uint64_t{0};
  std::uint64_t begin = 0;
  const SpaceLimit limit = limitOf(problem, tile);
  auto offer = [&](std::uint64_t end, bool last) {
    std::optional<std::uint64_t> at =
        legalFrom(problem, tile, std::max(begin, limit.begin));
    if (!at || *at + tile.totalBytes() > std::min(end, limit.end))
      return;
    // Room at the top is kept for those that need it: it counts as large.
    std::uint64_t waste =
        last ? ~std::uint64_t{0} - 1 : end - begin - tile.totalBytes();
    if (waste < bestWaste) {
      bestWaste = waste;
      best = at;
    }
  };
  for (const SpaceRange &range : taken) {
    if (range.first > begin)
      offer(range.first, false);
    begin = std::max(begin, range.second);
  }
  if (begin < problem.capacity)
    offer(problem.capacity, true);
  return best;
}

std::uint64_t peakOf(const SpaceProblem &problem,
                     const std::vector<SpacePlace> &places) {
  std::uint64_t peak = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    peak =
        std::max(peak, places[i].offset + problem.rectangles[i].totalBytes());
  return peak;
}

/// One by one in `order`; pinned tiles are placed already.
SpaceAttempt placeInOrder(const SpaceProblem &problem,
                          const std::vector<std::uint32_t> &order) {
  std::vector<SpacePlace> places(problem.rectangles.size());
  std::vector<std::uint32_t> placed;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i)
    if (const auto &pin = problem.rectangles[i].pin) {
      places[i] = {pin->partition, pin->offset};
      placed.push_back(i);
    }
  std::vector<SpaceRange> taken;
  for (std::uint32_t index : order) {
    const SpaceRectangle &tile = problem.rectangles[index];
    taken.clear();
    for (std::uint32_t other : placed) {
      const SpaceRectangle &old = problem.rectangles[other];
      if (liveTogether(tile, old) &&
          sharePartitions(tile, 0, old, places[other].partition))
        taken.push_back(
            {places[other].offset, places[other].offset + old.totalBytes()});
    }
    std::sort(taken.begin(), taken.end());
    std::optional<std::uint64_t> at = bestFit(problem, tile, taken);
    if (!at)
      return {std::nullopt, index};
    places[index] = {0, *at};
    placed.push_back(index);
  }
  return {std::move(places), 0};
}

/// Those that have to stay in a part of the memory first, and the others around
/// them.
SpaceAttempt placeLimitedFirst(const SpaceProblem &problem) {
  SpaceProblem limited = problem;
  limited.rectangles.clear();
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i)
    if (problem.rectangles[i].within || problem.rectangles[i].pin) {
      numbers.push_back(i);
      limited.rectangles.push_back(problem.rectangles[i]);
    }
  const SpaceResult result = solveSpace(limited);
  if (!result.solution)
    return {std::nullopt, numbers[result.failure.rectangle]};
  SpaceProblem rest = problem;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const SpacePlace &place = result.solution->places[i];
    rest.rectangles[numbers[i]].pin = SpacePin{place.partition, place.offset};
  }
  return placeThroughTime(rest);
}

/// The worst moment in the life of the tile that found no place.
SpaceFailure explain(const SpaceProblem &problem, std::uint32_t stuck) {
  SpaceFailure failure;
  failure.rectangle = stuck;
  const SpaceRectangle &tile = problem.rectangles[stuck];
  std::map<std::uint64_t, std::int64_t> change;
  for (const SpaceRectangle &other : problem.rectangles)
    if (liveTogether(tile, other)) {
      std::int64_t bytes = static_cast<std::int64_t>(other.totalBytes());
      change[std::max(other.begin, tile.begin)] += bytes;
      change[std::uint64_t{std::min(other.end, tile.end)} + 1] -= bytes;
    }
  std::int64_t live = 0, most = -1;
  for (auto [position, delta] : change) {
    live += delta;
    if (live > most) {
      most = live;
      failure.position = static_cast<std::uint32_t>(position);
    }
  }
  failure.liveBytes = static_cast<std::uint64_t>(most);
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i)
    if (problem.rectangles[i].begin <= failure.position &&
        failure.position <= problem.rectangles[i].end)
      failure.live.push_back(i);
  std::sort(failure.live.begin(), failure.live.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return std::pair(problem.rectangles[b].totalBytes(), a) <
                     std::pair(problem.rectangles[a].totalBytes(), b);
            });
  return failure;
}

} // namespace

SpaceResult solveSpace(const SpaceProblem &problem) {
  SpaceResult result;
  std::uint32_t stuck = 0;
  auto offer = [&](SpaceAttempt attempt) {
    if (!attempt.places) {
      stuck = attempt.stuck;
      return;
    }
    std::uint64_t peak = peakOf(problem, *attempt.places);
    if (!result.solution || peak < result.solution->peakBytes)
      result.solution = SpaceSolution{std::move(*attempt.places), peak};
  };

  // Pinned tiles never give way.
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i) {
    const SpaceRectangle &tile = problem.rectangles[i];
    if (tile.pin && tile.pin->offset + tile.totalBytes() > problem.capacity) {
      result.failure = explain(problem, i);
      return result;
    }
  }
  if (problem.spread) {
    if (problem.space == isa::Space::sbuf &&
        problem.rectangles.size() <= manyTiles)
      offer(placeAround(problem));
    for (const bool aligned : {false, true})
      if (!result.solution && problem.space == isa::Space::psum)
        offer(placeSpread(problem, aligned));
    result.isSpread = result.solution.has_value();
    if (result.isSpread)
      return result;
  }
  if (problem.rectangles.size() > manyTiles) {
    const auto isFree = [](const SpaceRectangle &tile) {
      return !tile.within && !tile.pin;
    };
    const auto &all = problem.rectangles;
    const bool isMixed =
        std::any_of(all.begin(), all.end(), isFree) &&
        std::any_of(all.begin(), all.end(),
                    [](const SpaceRectangle &tile) { return tile.within; });
    offer(isMixed ? placeLimitedFirst(problem) : placeThroughTime(problem));
  }
  if (problem.rectangles.size() <= manyTiles) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i)
      if (!problem.rectangles[i].pin)
        order.push_back(i);
    auto life = [&](std::uint32_t i) {
      return std::uint64_t{problem.rectangles[i].end} -
             problem.rectangles[i].begin + 1;
    };
    auto bytes = [&](std::uint32_t i) {
      return problem.rectangles[i].totalBytes();
    };
    // Those that have to stay in few bytes come before those that can lie
    // elsewhere.
    auto choice = [&](std::uint32_t i) {
      return limitOf(problem, problem.rectangles[i]).bytes();
    };
    auto attempt = [&](auto &&priority) {
      std::sort(order.begin(), order.end(),
                [&](std::uint32_t a, std::uint32_t b) {
                  if (choice(a) != choice(b))
                    return choice(a) < choice(b);
                  auto x = priority(a), y = priority(b);
                  return x != y ? x > y : a < b;
                });
      offer(placeInOrder(problem, order));
    };
    std::uint64_t bound = spaceBound(problem);
    auto tight = [&] {
      return result.solution && result.solution->peakBytes <= bound;
    };
    attempt([&](std::uint32_t i) { return std::pair(bytes(i), life(i)); });
    if (!tight())
      attempt([&](std::uint32_t i) {
        return std::pair(bytes(i) * life(i), bytes(i));
      });
    if (!tight())
      attempt([&](std::uint32_t i) { return std::pair(life(i), bytes(i)); });
    if (!tight())
      attempt([&](std::uint32_t i) {
        return std::pair(~std::uint64_t{problem.rectangles[i].begin}, bytes(i));
      });
    if (!result.solution)
      offer(placeThroughTime(problem));
  }
  if (!result.solution)
    result.failure = explain(problem, stuck);
  return result;
}

} // namespace kiln::problems
