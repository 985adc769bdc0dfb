//===- Search.cpp - Which points of a space to try ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tune/search.h"

#include "kiln/isa/split_mix.h"

#include <algorithm>
#include <map>

namespace kiln::tune {
namespace {

class Searcher {
public:
  Searcher(const SearchSpace &space, std::size_t budget, const Measure &measure)
      : space(space), budget(std::max<std::size_t>(budget, 1)),
        measure(measure) {}

  std::vector<Trial> run() {
    tryAll({space.start});
    const std::optional<std::uint64_t> points = pointsOf(space);
    if (points && *points <= budget)
      tryEverything(*points);
    else
      tryFromMany();
    return std::move(trials);
  }

private:
  bool isSpent() const { return trials.size() >= budget; }

  /// Those that are new, as far as the budget goes.
  void tryAll(const std::vector<Point> &points) {
    std::vector<Point> fresh;
    for (const Point &point : points)
      if (trials.size() + fresh.size() < budget &&
          known.try_emplace(point, std::nullopt).second)
        fresh.push_back(point);
    if (fresh.empty())
      return;
    const std::vector<Cost> costs = measure(fresh);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      known[fresh[i]] = costs[i];
      trials.push_back({fresh[i], costs[i]});
    }
  }

  /// The last axis varies fastest.
  void tryEverything(std::uint64_t count) {
    std::vector<Point> points;
    Point point(space.sizes.size(), 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      points.push_back(point);
      for (std::size_t axis = point.size(); axis-- > 0;) {
        if (++point[axis] < space.sizes[axis])
          break;
        point[axis] = 0;
      }
    }
    tryAll(points);
  }

  void tryFromMany() {
    descend(space.start);
    // If few points are left, random ones are mostly known.
    for (std::size_t misses = 0; !isSpent() && misses < 64;) {
      const std::size_t before = trials.size();
      std::vector<Point> starts(seeds);
      for (Point &start : starts)
        start = randomPoint();
      tryAll(starts);
      const Point *first = &starts.front();
      for (const Point &start : starts)
        if (isFaster(start, *first))
          first = &start;
      descend(*first);
      misses = trials.size() == before ? misses + 1 : 0;
    }
  }

  /// One axis after the other takes its best value, until nothing changes.
  void descend(Point at) {
    for (bool changed = true; changed && !isSpent();) {
      changed = false;
      for (std::size_t axis = 0; axis < space.sizes.size(); ++axis) {
        std::vector<Point> line;
        for (std::size_t value = 0; value < space.sizes[axis]; ++value) {
          line.push_back(at);
          line.back()[axis] = value;
        }
        tryAll(line);
        for (const Point &point : line)
          if (isFaster(point, at)) {
            at = point;
            changed = true;
          }
      }
    }
  }

  bool isFaster(const Point &a, const Point &b) const {
    const auto ofA = known.find(a), ofB = known.find(b);
    if (ofA == known.end() || !ofA->second)
      return false;
    return ofB == known.end() || !ofB->second || *ofA->second < *ofB->second;
  }

  Point randomPoint() {
    Point point;
    for (const std::size_t size : space.sizes)
      point.push_back(static_cast<std::size_t>(random() % size));
    return point;
  }

  std::uint64_t random() { return isa::splitMix(state); }

  static constexpr std::size_t seeds = 4; ///< Random points of a new start.

  const SearchSpace &space;
  std::size_t budget;
  const Measure &measure;
  std::vector<Trial> trials;
  std::map<Point, Cost> known;
  std::uint64_t state = 1;
};

} // namespace

std::optional<std::uint64_t> pointsOf(const SearchSpace &space) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : space.sizes)
    if (__builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  return count;
}

std::vector<Trial> search(const SearchSpace &space, std::size_t budget,
                          const Measure &measure) {
  return Searcher(space, budget, measure).run();
}

std::optional<std::size_t> best(const std::vector<Trial> &trials) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].cost && (!found || *trials[i].cost < *trials[*found].cost))
      found = i;
  return found;
}

} // namespace kiln::tune
