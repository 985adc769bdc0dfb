//===- space.cpp - Space: placement against bounds and brute force --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "catch.h"
#include "kiln/compiler/problem/SpaceProblem.h"

#include <algorithm>
#include <array>

using namespace kiln;
using namespace kiln::problems;

namespace {

SpaceProblem randomTiles(std::uint64_t seed, unsigned count, bool psum) {
  test::Random random(seed);
  SpaceProblem problem;
  problem.space = psum ? isa::Space::psum : isa::Space::sbuf;
  problem.capacity = psum ? 16384 : 196608;
  std::uint32_t length = count * 2;
  for (unsigned i = 0; i < count; ++i) {
    SpaceRectangle tile;
    tile.name = "t" + std::to_string(i);
    tile.partitions = random.oneIn(4) ? 64 : 128;
    tile.bytes = psum ? 64u << random.below(6) : 16 * (1 + random.below(64));
    tile.alignment = 1u << random.below(6);
    tile.begin = random.below(length);
    tile.end = std::min(length, tile.begin + random.below(12));
    tile.slots = 1 + (random.oneIn(4) ? random.below(3) : 0);
    tile.wholeBank = psum && random.oneIn(3);
    if (psum && tile.slots > 1)
      tile.wholeBank = true;
    problem.rectangles.push_back(tile);
  }
  return problem;
}

/// The least peak over all placements of a few tiles in units of 16 bytes.
std::uint64_t leastPeak(const SpaceProblem &problem, std::size_t next,
                        std::vector<std::uint64_t> &at, std::uint64_t peak,
                        std::uint64_t best) {
  if (peak >= best)
    return best;
  if (next == problem.rectangles.size())
    return peak;
  const SpaceRectangle &tile = problem.rectangles[next];
  for (std::uint64_t offset = 0; offset + tile.totalBytes() < best;
       offset += 16) {
    bool clash = false;
    for (std::size_t i = 0; i < next && !clash; ++i) {
      const SpaceRectangle &old = problem.rectangles[i];
      clash = old.begin <= tile.end && tile.begin <= old.end &&
              at[i] < offset + tile.totalBytes() &&
              offset < at[i] + old.totalBytes();
    }
    if (clash)
      continue;
    at[next] = offset;
    best = leastPeak(problem, next + 1, at,
                     std::max(peak, offset + tile.totalBytes()), best);
  }
  return best;
}

} // namespace

TEST_CASE("placements verify and come near the bound") {
  std::uint64_t used = 0, bound = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SpaceProblem problem = randomTiles(seed, 10 + seed * 4, false);
    REQUIRE_FALSE(problem.check());
    SpaceResult result = solveSpace(problem);
    REQUIRE(result.solution);
    CHECK(verify(problem, *result.solution).value_or("") == "");
    CHECK(result.solution->peakBytes >= spaceBound(problem));
    used += result.solution->peakBytes;
    bound += spaceBound(problem);
  }
  INFO("used " << used << ", bound " << bound);
  CHECK(used * 100 <= bound * 115);
}

TEST_CASE("small instances are packed as brute force packs them, nearly") {
  std::uint64_t used = 0, least = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    test::Random random(seed);
    SpaceProblem problem;
    problem.capacity = 4096;
    for (unsigned i = 0; i < 5; ++i) {
      SpaceRectangle tile;
      tile.bytes = 16 * (1 + random.below(4));
      tile.alignment = 16;
      tile.begin = random.below(6);
      tile.end = tile.begin + random.below(4);
      problem.rectangles.push_back(tile);
    }
    SpaceResult result = solveSpace(problem);
    REQUIRE(result.solution);
    CHECK_FALSE(verify(problem, *result.solution));
    std::vector<std::uint64_t> at(5);
    std::uint64_t best =
        leastPeak(problem, 0, at, 0, result.solution->peakBytes + 1);
    CHECK(best <= result.solution->peakBytes);
    used += result.solution->peakBytes;
    least += best;
  }
  CHECK(used * 100 <= least * 103);
}

TEST_CASE("PSUM keeps to banks") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SpaceProblem problem = randomTiles(seed, 12, true);
    SpaceResult result = solveSpace(problem);
    if (result.solution)
      CHECK(verify(problem, *result.solution).value_or("") == "");
    else
      CHECK_FALSE(result.failure.live.empty());
  }
}

TEST_CASE("pinned tiles stay and others go around them") {
  auto parsed = parseSpaceProblem(R"(space sbuf 1024
    tile 128 256 0 10 pin 0 128 name fixed
    tile 128 512 0 10 align 32 name big
    tile 64 128 2 4 name small
  )");
  REQUIRE(parsed.value);
  SpaceResult result = solveSpace(*parsed.value);
  REQUIRE(result.solution);
  CHECK_FALSE(verify(*parsed.value, *result.solution));
  CHECK(result.solution->places[0].offset == 128);
  CHECK(result.solution->places[1].offset == 384);
  CHECK(result.solution->places[2].offset == 0);
}

TEST_CASE("tiles stay within their limits, and others leave them room") {
  auto parsed = parseSpaceProblem(R"(space sbuf 4096
    tile 128 1024 0 10 name free
    tile 128 512 0 4 within 0 1024 name a
    tile 128 512 2 6 within 0 1024 name b
    tile 128 256 7 9 within 512 1024 name inner
    tile 128 256 0 10 pin 0 2048 within 2048 4096 name pinned
  )");
  REQUIRE(parsed.value);
  const SpaceProblem &problem = *parsed.value;
  const SpaceResult result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK(verify(problem, *result.solution).value_or("") == "");
  CHECK(result.solution->places[0].offset >= 1024);
  CHECK(spaceBound(problem, {0, 1024}) == 1024);
  CHECK(spaceBound(problem, {512, 1024}) == 256);
  // The checker looks at the places, not at what the solver thought.
  SpaceSolution moved = *result.solution;
  std::swap(moved.places[0].offset, moved.places[1].offset);
  moved.places[1].offset = 3000;
  moved.peakBytes = 3512;
  CHECK(verify(problem, moved).value_or("").find("outside of 0 to 1024") !=
        std::string::npos);
  CHECK(parseSpaceProblem("space sbuf 64\ntile 1 4 0 0 within 8 8").error ==
        "tile 0: within bytes 8 to 8");
}

TEST_CASE("a limit that is too small stops its own tiles") {
  auto parsed = parseSpaceProblem(R"(space sbuf 4096
    tile 128 512 0 4 within 0 1024
    tile 128 768 2 6 within 0 1024
    tile 128 64 0 9
  )");
  REQUIRE(parsed.value);
  const SpaceResult result = solveSpace(*parsed.value);
  REQUIRE_FALSE(result.solution);
  CHECK(result.failure.rectangle < 2);
  CHECK(spaceBound(*parsed.value, {0, 1024}) == 1280);
}

TEST_CASE("every way to place tiles keeps their limits") {
  for (const bool psum : {false, true})
    for (const bool spread : {false, true})
      for (const unsigned count : {20u, 200u, 4000u}) {
        if (psum && count > 200)
          continue;
        unsigned placed = 0;
        for (std::uint64_t seed = 0; seed < (count > 200 ? 2u : 30u); ++seed) {
          SpaceProblem problem = randomTiles(seed, count, psum);
          problem.spread = spread;
          // Half of the memory, for every second tile or for all.
          const std::uint64_t half = problem.capacity / 2;
          for (std::size_t i = 0; i < problem.rectangles.size(); ++i)
            if (seed % 2 == 0 || i % 2 == 0)
              problem.rectangles[i].within = SpaceLimit{half, 2 * half};
          const SpaceResult result = solveSpace(problem);
          if (!result.solution)
            continue;
          ++placed;
          CHECK(verify(problem, *result.solution).value_or("") == "");
        }
        CHECK((psum || placed > 0));
      }
}

TEST_CASE("no room says what was live, largest first") {
  auto parsed = parseSpaceProblem(R"(space sbuf 1000
    tile 128 400 0 10 name weights
    tile 128 500 2 6 name scores
    tile 128 300 4 5 name late
    tile 128 900 20 21 name elsewhere
  )");
  REQUIRE(parsed.value);
  SpaceResult result = solveSpace(*parsed.value);
  REQUIRE_FALSE(result.solution);
  CHECK(result.failure.position == 4);
  CHECK(result.failure.liveBytes == 1200);
  CHECK(result.failure.live == std::vector<std::uint32_t>{1, 0, 2});
  std::string text = describeFailure(*parsed.value, result.failure);
  CHECK(text.find("1200 of 1000 B are live at position 4") !=
        std::string::npos);
  CHECK(text.find("scores") < text.find("weights"));
  CHECK(text.find("elsewhere") == std::string::npos);
}

TEST_CASE("verification finds overlap, misalignment, overflow, crossing") {
  auto parsed = parseSpaceProblem("space sbuf 1000\n"
                                  "tile 128 100 0 5 align 4\n"
                                  "tile 128 100 5 9\n");
  REQUIRE(parsed.value);
  const SpaceProblem &problem = *parsed.value;
  CHECK_FALSE(verify(problem, {{{0, 0}, {0, 100}}, 200}));
  CHECK(verify(problem, {{{0, 0}, {0, 99}}, 199}));
  CHECK(verify(problem, {{{0, 2}, {0, 200}}, 300}));
  CHECK(verify(problem, {{{0, 0}, {0, 950}}, 1050}));
  CHECK(verify(problem, {{{32, 0}, {0, 100}}, 200}));
  auto psum = parseSpaceProblem("space psum 16384\ntile 128 1024 0 1\n");
  REQUIRE(psum.value);
  CHECK(verify(*psum.value, {{{0, 1536}}, 2560}));
  CHECK_FALSE(verify(*psum.value, {{{0, 1024}}, 2048}));
}

TEST_CASE("what certainly has no room is known without placing it") {
  unsigned certain = 0, placed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SpaceProblem problem = randomTiles(seed, 30, false);
    problem.rectangles[seed % 30].pin = SpacePin{0, 64};
    problem.capacity = spaceBound(problem) + 64 * (seed % 24) - 512;
    const bool found = solveSpace(problem).solution.has_value();
    placed += found;
    certain += !mayHaveRoom(problem);
    CHECK((mayHaveRoom(problem) || !found));
  }
  CHECK(certain > 20);
  CHECK(placed > 20);
  // Beside each other, not one behind the other.
  auto beside = parseSpaceProblem(
      "space sbuf 1024\ntile 64 1024 0 1\ntile 64 1024 0 1 pin 64 0\n");
  REQUIRE(beside.value);
  CHECK(mayHaveRoom(*beside.value));
  CHECK(solveSpace(*beside.value).solution);
}

TEST_CASE("a hundred thousand tiles are placed") {
  SpaceProblem problem = randomTiles(5, 100000, false);
  SpaceResult result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK_FALSE(verify(problem, *result.solution));
  CHECK(result.solution->peakBytes * 10 <= spaceBound(problem) * 20);
}

TEST_CASE("space instances print and parse") {
  for (bool psum : {false, true}) {
    SpaceProblem problem = randomTiles(9, 20, psum);
    problem.rectangles[0].pin = SpacePin{0, 64};
    problem.rectangles[1].within = SpaceLimit{64, 4096};
    std::string text = print(problem);
    auto parsed = parseSpaceProblem(text);
    REQUIRE(parsed.value);
    CHECK(print(*parsed.value) == text);
  }
  CHECK(parseSpaceProblem("space hbm 4").error ==
        "line 1: expected sbuf or psum");
}

TEST_CASE("spreading takes the bank that was given up longest ago") {
  SpaceProblem problem;
  problem.space = isa::Space::psum;
  problem.capacity = 4 * isa::psumBankBytes;
  problem.spread = true;
  // One after the other: four banks in turn, though one would hold them all.
  for (std::uint32_t i = 0; i < 6; ++i) {
    SpaceRectangle tile;
    tile.bytes = 512;
    tile.wholeBank = true;
    tile.begin = tile.end = i;
    problem.rectangles.push_back(tile);
  }
  SpaceResult result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK_FALSE(verify(problem, *result.solution));
  for (std::uint32_t i = 0; i < 6; ++i)
    CHECK(result.solution->places[i].offset ==
          std::uint64_t{i % 4} * isa::psumBankBytes);
  CHECK(parseSpaceProblem(print(problem)).value->spread);

  // Rings that fill the memory leave no single banks between each other, though
  // the one in use just before then comes first.
  problem.rectangles.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    problem.rectangles[i].slots = i == 0 ? 1 : 2;
    problem.rectangles[i].begin = problem.rectangles[i].end = i == 0 ? 0 : 1;
  }
  result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK(result.isSpread);
  CHECK_FALSE(verify(problem, *result.solution));

  // Where it finds no place, best fit still may: two halves of one bank.
  problem.capacity = isa::psumBankBytes;
  problem.rectangles.resize(2);
  for (SpaceRectangle &tile : problem.rectangles) {
    tile.wholeBank = false;
    tile.slots = 1;
    tile.begin = tile.end = 0;
  }
  result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK_FALSE(result.isSpread);
  CHECK_FALSE(verify(problem, *result.solution));
}

TEST_CASE("spreading goes around the bytes of SBUF") {
  SpaceProblem problem;
  problem.capacity = 4096;
  problem.spread = true;
  // One after the other: the bytes in turn, though 1024 would hold them all.
  for (std::uint32_t i = 0; i < 6; ++i) {
    SpaceRectangle tile;
    tile.bytes = 1024;
    tile.begin = tile.end = i;
    problem.rectangles.push_back(tile);
  }
  // What lives on is gone around.
  problem.rectangles[1].end = 9;
  SpaceResult result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK(result.isSpread);
  CHECK_FALSE(verify(problem, *result.solution));
  constexpr std::array<std::uint64_t, 6> turns{0, 1024, 2048, 3072, 0, 2048};
  for (std::uint32_t i = 0; i < 6; ++i)
    CHECK(result.solution->places[i].offset == turns[i]);
  // So is what is pinned.
  problem.rectangles[5].pin = SpacePin{0, 0};
  problem.rectangles[5].begin = 0;
  result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK(result.isSpread);
  CHECK(result.solution->places[0].offset == 1024);
  CHECK_FALSE(verify(problem, *result.solution));

  // Where it leaves gaps that are too small, best fit may find a place.
  problem.rectangles.resize(4);
  constexpr std::array<std::array<std::uint32_t, 3>, 4> tiles{
      {{1024, 0, 0}, {2048, 0, 3}, {1024, 1, 3}, {1024, 2, 3}}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.rectangles[i].bytes = tiles[i][0];
    problem.rectangles[i].begin = tiles[i][1];
    problem.rectangles[i].end = tiles[i][2];
  }
  result = solveSpace(problem);
  REQUIRE(result.solution);
  CHECK_FALSE(verify(problem, *result.solution));

  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    SpaceProblem random = randomTiles(seed, 10 + seed * 4, false);
    random.spread = true;
    if (seed % 3 == 0)
      random.rectangles[0].pin = SpacePin{0, 4096};
    result = solveSpace(random);
    REQUIRE(result.solution);
    CHECK(verify(random, *result.solution).value_or("") == "");
  }
}

TEST_CASE("placements verify where the solver takes another way") {
  // Few tiles are tried in several orders, many are placed through time.
  for (const unsigned count : {2999u, 3000u, 3001u})
    for (const auto [pinned, spread] :
         {std::pair(false, false), {true, false}, {false, true}}) {
      CAPTURE(count, pinned, spread);
      SpaceProblem problem = randomTiles(11, count, false);
      problem.spread = spread;
      if (pinned)
        problem.rectangles[count / 2].pin = SpacePin{0, 1 << 16};
      const SpaceResult result = solveSpace(problem);
      REQUIRE(result.solution);
      CHECK(verify(problem, *result.solution).value_or("") == "");
      // Going around looks at all that is there, for each tile.
      CHECK(result.isSpread == (spread && count <= 3000));
    }
}

TEST_CASE("numbers that no memory has are refused, not added up") {
  SpaceProblem problem = randomTiles(1, 1, false);
  const auto with = [&](auto change) {
    SpaceProblem changed = problem;
    change(changed.rectangles[0]);
    return changed.check().value_or("");
  };
  CHECK(
      with([](SpaceRectangle &tile) {
        tile.pin = SpacePin{0, ~std::uint64_t{0}};
      }).find("pinned to byte 18446744073709551615, a partition has 196608") !=
      std::string::npos);
  CHECK(with([](SpaceRectangle &tile) {
          tile.bytes = std::uint64_t{1} << 60;
        }).find("no memory has more") != std::string::npos);
  CHECK(with([](SpaceRectangle &tile) {
          tile.bytes = std::uint64_t{1} << 30;
          tile.slots = 1 << 30;
        }).find("no memory has more") != std::string::npos);
  CHECK(with([](SpaceRectangle &) {}).empty());
}
