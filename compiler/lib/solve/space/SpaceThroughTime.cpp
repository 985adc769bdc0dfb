//===- SpaceThroughTime.cpp - Placement in the order of lifetimes ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpacePlacement.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kiln::problems {
namespace {

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

} // namespace

SpaceAttempt placeThroughTime(const SpaceProblem &problem) {
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
    std::vector<SpaceRange> fixed;
    for (std::uint32_t other : pinned)
      if (liveTogether(tile, problem.rectangles[other]) &&
          sharePartitions(tile, 0, problem.rectangles[other],
                          places[other].partition))
        fixed.push_back(
            {places[other].offset,
             places[other].offset + problem.rectangles[other].totalBytes()});
    std::sort(fixed.begin(), fixed.end());
    const SpaceLimit limit = limitOf(problem, tile);
    std::optional<std::uint64_t> at;
    for (auto gap = gaps.sizes().lower_bound({tile.totalBytes(), 0});
         gap != gaps.sizes().end() && !at; ++gap) {
      std::uint64_t from = std::max(gap->second, limit.begin);
      const std::uint64_t end = std::min(gap->second + gap->first, limit.end);
      while (true) {
        std::optional<std::uint64_t> legal = legalFrom(problem, tile, from);
        if (!legal || *legal + tile.totalBytes() > end)
          break;
        auto block = std::find_if(
            fixed.begin(), fixed.end(), [&](const SpaceRange &range) {
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

SpaceAttempt placeSpread(const SpaceProblem &problem, bool aligned) {
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
  /// The last position of the previous tile.
  std::vector<std::int64_t> banks(problem.capacity / isa::psumBankBytes, -1);
  for (std::uint32_t index : byBegin) {
    const SpaceRectangle &tile = problem.rectangles[index];
    std::uint64_t bytes = tile.totalBytes();
    auto needed =
        static_cast<std::size_t>(isa::ceilDiv(bytes, isa::psumBankBytes));
    std::optional<std::size_t> best;
    std::int64_t bestUntil = 0;
    const SpaceLimit limit = limitOf(problem, tile);
    for (std::size_t first = 0; first + needed <= banks.size();
         first += aligned ? needed : 1) {
      if (first * isa::psumBankBytes < limit.begin ||
          first * isa::psumBankBytes + bytes > limit.end)
        continue;
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

SpaceAttempt placeAround(const SpaceProblem &problem) {
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
                            const std::vector<SpaceRange> &taken,
                            std::uint64_t from) {
    for (const SpaceRange &range : taken) {
      const auto at = legalFrom(problem, tile, from);
      if (!at || *at + tile.totalBytes() <= range.first)
        return at;
      from = std::max(from, range.second);
    }
    return legalFrom(problem, tile, from);
  };
  std::uint64_t cursor = 0;
  std::vector<SpaceRange> taken;
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
    const SpaceLimit limit = limitOf(problem, tile);
    auto at = firstFit(tile, taken, std::max(cursor, limit.begin));
    if (!at || *at + tile.totalBytes() > limit.end)
      at = firstFit(tile, taken, limit.begin);
    if (!at || *at + tile.totalBytes() > limit.end)
      return {std::nullopt, index};
    places[index] = {0, *at};
    there.push_back(index);
    cursor = *at + tile.totalBytes();
  }
  return {std::move(places), 0};
}

} // namespace kiln::problems
