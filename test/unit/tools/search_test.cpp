//===- search_test.cpp - Which points a search tries ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/tune/search.h"

#include <limits>
#include <set>

using namespace kiln::tune;

namespace {

/// A bowl around `centre`; the points that `refuses` has no cost.
std::vector<Trial> searchBowl(const SearchSpace &space, std::size_t budget,
                              const Point &centre,
                              bool (*refuses)(const Point &)) {
  return search(space, budget, [&](const std::vector<Point> &points) {
    std::vector<Cost> costs;
    for (const Point &point : points) {
      std::uint64_t cost = 10;
      for (std::size_t i = 0; i < point.size(); ++i) {
        REQUIRE(point[i] < space.sizes[i]);
        const auto gap =
            point[i] > centre[i] ? point[i] - centre[i] : centre[i] - point[i];
        cost += gap * gap;
      }
      costs.push_back(refuses(point) ? Cost() : Cost(cost));
    }
    return costs;
  });
}

bool never(const Point &) { return false; }
bool always(const Point &) { return true; }

std::set<Point> pointsIn(const std::vector<Trial> &trials) {
  std::set<Point> points;
  for (const Trial &trial : trials)
    points.insert(trial.point);
  return points;
}

} // namespace

TEST_CASE("a space that the budget covers is tried whole, each point once") {
  const SearchSpace space{{3, 4}, {1, 2}};
  for (const std::size_t budget : {12, 13, 1000}) {
    const std::vector<Trial> trials = searchBowl(space, budget, {2, 0}, never);
    CHECK(trials.size() == 12);
    CHECK(pointsIn(trials).size() == 12);
    CHECK(trials.front().point == Point{1, 2});
    CHECK(trials[*best(trials)].point == Point{2, 0});
  }
}

TEST_CASE("one point less than the space: the budget is used, and no more") {
  const SearchSpace space{{3, 4}, {1, 2}};
  for (std::size_t budget = 0; budget < 12; ++budget) {
    const std::vector<Trial> trials = searchBowl(space, budget, {2, 0}, never);
    CHECK(trials.size() == std::max<std::size_t>(budget, 1));
    CHECK(pointsIn(trials).size() == trials.size());
    CHECK(trials.front().point == Point{1, 2});
  }
}

TEST_CASE("a bowl is descended, whatever the size of the space") {
  const SearchSpace space{std::vector<std::size_t>(20, 10), Point(20, 0)};
  CHECK_FALSE(pointsOf(space)); // 10^20
  Point centre;
  for (std::size_t i = 0; i < 20; ++i)
    centre.push_back((7 * i) % 10);
  const std::vector<Trial> trials = searchBowl(space, 400, centre, never);
  CHECK(trials.size() == 400);
  CHECK(trials[*best(trials)].point == centre);
  // The same path again.
  const std::vector<Trial> again = searchBowl(space, 400, centre, never);
  for (std::size_t i = 0; i < trials.size(); ++i)
    CHECK(trials[i].point == again[i].point);
}

TEST_CASE("refused points are no answer, and none stops the search") {
  const SearchSpace space{{5, 5, 5}, {0, 0, 0}};
  const auto refuses = [](const Point &point) { return point[0] == 0; };
  const std::vector<Trial> trials = searchBowl(space, 40, {0, 3, 3}, refuses);
  REQUIRE(best(trials));
  CHECK(trials[*best(trials)].point == Point{1, 3, 3});
  CHECK_FALSE(trials.front().cost);

  const std::vector<Trial> none = searchBowl(space, 1000, {0, 0, 0}, always);
  CHECK(none.size() == 125);
  CHECK_FALSE(best(none));
}

TEST_CASE("equals: the first that was tried") {
  const SearchSpace space{{4}, {2}};
  const std::vector<Trial> trials =
      search(space, 4, [](const std::vector<Point> &points) {
        return std::vector<Cost>(points.size(), 5);
      });
  CHECK(*best(trials) == 0);
  CHECK(trials[0].point == Point{2});
}

TEST_CASE("the number of points, at the limit and past it") {
  CHECK(pointsOf({{}, {}}) == 1);
  const std::size_t half = std::size_t{1} << 32;
  CHECK(pointsOf({{half, half - 1}, {}}) == half * (half - 1));
  CHECK_FALSE(pointsOf({{half, half}, {}}));
}
