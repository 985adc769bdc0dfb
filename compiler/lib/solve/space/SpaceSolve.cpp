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
// with a map of gaps. Both put tiles at partition 0 unless they are pinned.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/SpaceProblem.h"
#include "kiln/isa/rounding.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kiln::problems {
namespace {

constexpr std::size_t manyTiles = 3000;

/// The first legal offset of `tile` at or above `offset`, alignment and banks
/// considered; nothing if it cannot be legal anywhere near.
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

/// Bytes [first, second).
using Range = std::pair<std::uint64_t, std::uint64_t>;

/// The start of the tightest gap between `taken` (sorted by start) that holds
/// `tile`.
std::optional<std::uint64_t> bestFit(const SpaceProblem &problem,
                                     const SpaceRectangle &tile,
                                     const std::vector<Range> &taken) {
  std::optional<std::uint64_t> best;
  std::uint64_t bestWaste = ~std::uint64_t{0};
  std::uint64_t begin = 0;
  auto offer = [&](std::uint64_t end, bool last) {
    std::optional<std::uint64_t> at = legalFrom(problem, tile, begin);
    if (!at || *at + tile.totalBytes() > end)
      return;
    // Room at the top is kept for those that need it: it counts as large.
    std::uint64_t waste =
        last ? ~std::uint64_t{0} - 1 : end - begin - tile.totalBytes();
    if (waste < bestWaste) {
      bestWaste = waste;
      best = at;
    }
  };
  for (const Range &range : taken) {
    if (range.first > begin)
      offer(range.first, false);
    begin = std::max(begin, range.second);
  }
  if (begin < problem.capacity)
    offer(problem.capacity, true);
  return best;
}

bool liveTogether(const SpaceRectangle &a, const SpaceRectangle &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

bool sharePartitions(const SpaceRectangle &a, std::uint32_t startA,
                     const SpaceRectangle &b, std::uint32_t startB) {
  return startA < startB + b.partitions && startB < startA + a.partitions;
}

std::uint64_t peakOf(const SpaceProblem &problem,
                     const std::vector<SpacePlace> &places) {
  std::uint64_t peak = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    peak =
        std::max(peak, places[i].offset + problem.rectangles[i].totalBytes());
  return peak;
}

struct Attempt {
  std::optional<std::vector<SpacePlace>> places;
  std::uint32_t stuck = 0;
};

/// One by one in `order`; pinned tiles are placed already.
Attempt placeInOrder(const SpaceProblem &problem,
                     const std::vector<std::uint32_t> &order) {
  std::vector<SpacePlace> places(problem.rectangles.size());
  std::vector<std::uint32_t> placed;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i)
    if (const auto &pin = problem.rectangles[i].pin) {
      places[i] = {pin->partition, pin->offset};
      placed.push_back(i);
    }
  std::vector<Range> taken;
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

/// Gaps by offset and by size, for the walk through time.
class Gaps {
public:
  explicit Gaps(std::uint64_t capacity) { insert(0, capacity); }

  void insert(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end)
      return;
    auto after = byOffset.lower_bound(begin);
    if (after != byOffset.end() && after->first == end) {
      end = after->second;
      remove(after);
    }
    after = byOffset.lower_bound(begin);
    if (after != byOffset.begin()) {
      auto below = std::prev(after);
      if (below->second == begin) {
        begin = below->first;
        remove(below);
      }
    }
    byOffset.emplace(begin, end);
    bySize.emplace(end - begin, begin);
  }
  void take(std::uint64_t begin, std::uint64_t end) {
    auto gap = std::prev(byOffset.upper_bound(begin));
    std::uint64_t gapBegin = gap->first, gapEnd = gap->second;
    remove(gap);
    insert(gapBegin, begin);
    insert(end, gapEnd);
  }
  const std::set<std::pair<std::uint64_t, std::uint64_t>> &sizes() const {
    return bySize;
  }

private:
  void remove(std::map<std::uint64_t, std::uint64_t>::iterator gap) {
    bySize.erase({gap->second - gap->first, gap->first});
    byOffset.erase(gap);
  }
  std::map<std::uint64_t, std::uint64_t> byOffset;          ///< begin -> end.
  std::set<std::pair<std::uint64_t, std::uint64_t>> bySize; ///< size, begin.
};

/// Through time: tiles leave and enter, each into the smallest gap that holds
/// it and that no pinned tile of its lifetime needs.
Attempt placeThroughTime(const SpaceProblem &problem) {
  std::size_t size = problem.rectangles.size();
  std::vector<SpacePlace> places(size);
  std::vector<std::uint32_t> byBegin, pinned;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (const auto &pin = problem.rectangles[i].pin) {
      places[i] = {pin->partition, pin->offset};
      pinned.push_back(i);
    } else {
      byBegin.push_back(i);
    }
  }
  std::sort(byBegin.begin(), byBegin.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              const SpaceRectangle &x = problem.rectangles[a];
              const SpaceRectangle &y = problem.rectangles[b];
              return std::tuple(x.begin, y.totalBytes(), a) <
                     std::tuple(y.begin, x.totalBytes(), b);
            });
  Gaps gaps(problem.capacity);
  std::set<std::pair<std::uint32_t, std::uint32_t>> leaving; // end, tile
  for (std::uint32_t index : byBegin) {
    const SpaceRectangle &tile = problem.rectangles[index];
    while (!leaving.empty() && leaving.begin()->first < tile.begin) {
      std::uint32_t gone = leaving.begin()->second;
      leaving.erase(leaving.begin());
      gaps.insert(places[gone].offset,
                  places[gone].offset + problem.rectangles[gone].totalBytes());
    }
    std::vector<Range> fixed;
    for (std::uint32_t other : pinned)
      if (liveTogether(tile, problem.rectangles[other]) &&
          sharePartitions(tile, 0, problem.rectangles[other],
                          places[other].partition))
        fixed.push_back(
            {places[other].offset,
             places[other].offset + problem.rectangles[other].totalBytes()});
    std::sort(fixed.begin(), fixed.end());
    std::optional<std::uint64_t> at;
    for (auto gap = gaps.sizes().lower_bound({tile.totalBytes(), 0});
         gap != gaps.sizes().end() && !at; ++gap) {
      std::uint64_t from = gap->second, end = gap->second + gap->first;
      while (true) {
        std::optional<std::uint64_t> legal = legalFrom(problem, tile, from);
        if (!legal || *legal + tile.totalBytes() > end)
          break;
        auto block =
            std::find_if(fixed.begin(), fixed.end(), [&](const Range &range) {
              return range.first < *legal + tile.totalBytes() &&
                     *legal < range.second;
            });
        if (block == fixed.end()) {
          at = legal;
          break;
        }
        from = block->second;
      }
    }
    if (!at)
      return {std::nullopt, index};
    gaps.take(*at, *at + tile.totalBytes());
    places[index] = {0, *at};
    leaving.insert({tile.end, index});
  }
  return {std::move(places), 0};
}

/// Through time, each tile into the banks that were given up longest ago. With
/// `aligned`, rings of as many banks leave no gaps between each other.
Attempt placeSpread(const SpaceProblem &problem, bool aligned) {
  std::vector<std::uint32_t> byBegin;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i) {
    if (problem.rectangles[i].pin)
      return {std::nullopt, i};
    byBegin.push_back(i);
  }
  std::sort(byBegin.begin(), byBegin.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return std::pair(problem.rectangles[a].begin, a) <
                     std::pair(problem.rectangles[b].begin, b);
            });
  std::vector<SpacePlace> places(problem.rectangles.size());
  /// The last position of who was there.
  std::vector<std::int64_t> banks(problem.capacity / isa::psumBankBytes, -1);
  for (std::uint32_t index : byBegin) {
    const SpaceRectangle &tile = problem.rectangles[index];
    std::uint64_t bytes = tile.totalBytes();
    auto needed =
        static_cast<std::size_t>(isa::ceilDiv(bytes, isa::psumBankBytes));
    std::optional<std::size_t> best;
    std::int64_t bestUntil = 0;
    for (std::size_t first = 0; first + needed <= banks.size();
         first += aligned ? needed : 1) {
      std::int64_t until = -1;
      for (std::size_t i = first; i < first + needed; ++i)
        until = std::max(until, banks[i]);
      if (until < static_cast<std::int64_t>(tile.begin) &&
          (!best || until < bestUntil)) {
        best = first;
        bestUntil = until;
      }
    }
    if (!best)
      return {std::nullopt, index};
    for (std::size_t i = *best; i < *best + needed; ++i)
      banks[i] = tile.end;
    places[index] = {0, *best * isa::psumBankBytes};
  }
  return {std::move(places), 0};
}

/// Through time, each tile into the first gap behind the one placed before it,
/// and round again: what was given up longest ago is taken next.
Attempt placeAround(const SpaceProblem &problem) {
  std::vector<std::uint32_t> byBegin;
  std::vector<SpacePlace> places(problem.rectangles.size());
  std::vector<std::uint32_t> there;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i) {
    const auto &pin = problem.rectangles[i].pin;
    (pin ? there : byBegin).push_back(i);
    if (pin)
      places[i] = {pin->partition, pin->offset};
  }
  std::sort(byBegin.begin(), byBegin.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return std::pair(problem.rectangles[a].begin, a) <
                     std::pair(problem.rectangles[b].begin, b);
            });
  const auto firstFit = [&](const SpaceRectangle &tile,
                            const std::vector<Range> &taken,
                            std::uint64_t from) {
    for (const Range &range : taken) {
      const auto at = legalFrom(problem, tile, from);
      if (!at || *at + tile.totalBytes() <= range.first)
        return at;
      from = std::max(from, range.second);
    }
    return legalFrom(problem, tile, from);
  };
  std::uint64_t cursor = 0;
  std::vector<Range> taken;
  for (std::uint32_t index : byBegin) {
    const SpaceRectangle &tile = problem.rectangles[index];
    std::erase_if(there, [&](std::uint32_t other) {
      const SpaceRectangle &old = problem.rectangles[other];
      return !old.pin && old.end < tile.begin;
    });
    taken.clear();
    for (std::uint32_t other : there)
      if (liveTogether(tile, problem.rectangles[other]))
        taken.push_back(
            {places[other].offset,
             places[other].offset + problem.rectangles[other].totalBytes()});
    std::sort(taken.begin(), taken.end());
    auto at = firstFit(tile, taken, cursor);
    if (!at || *at + tile.totalBytes() > problem.capacity)
      at = firstFit(tile, taken, 0);
    if (!at || *at + tile.totalBytes() > problem.capacity)
      return {std::nullopt, index};
    places[index] = {0, *at};
    there.push_back(index);
    cursor = *at + tile.totalBytes();
  }
  return {std::move(places), 0};
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
  auto offer = [&](Attempt attempt) {
    if (!attempt.places) {
      stuck = attempt.stuck;
      return;
    }
    std::uint64_t peak = peakOf(problem, *attempt.places);
    if (!result.solution || peak < result.solution->peakBytes)
      result.solution = SpaceSolution{std::move(*attempt.places), peak};
  };

  // Pinned tiles cannot give way, to nobody.
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
  if (problem.rectangles.size() > manyTiles)
    offer(placeThroughTime(problem));
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
    auto attempt = [&](auto &&priority) {
      std::sort(order.begin(), order.end(),
                [&](std::uint32_t a, std::uint32_t b) {
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
