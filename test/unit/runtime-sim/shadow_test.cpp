//===- shadow_test.cpp - The memory of who touched what -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/Knowledge.h"
#include "checks/Shadow.h"

#include "catch.h"

#include <array>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace kiln::sim;

namespace {

Event event(unsigned agent, std::uint64_t clock) {
  Event result;
  result.agent = static_cast<std::uint8_t>(agent);
  result.clock = clock;
  result.index = static_cast<std::uint32_t>(100 * agent + clock);
  return result;
}

/// Knows the events of each agent up to a number.
VectorClock knowing(std::vector<std::uint64_t> times) {
  VectorClock clock;
  for (std::size_t i = 0; i < times.size(); ++i)
    clock.time[i] = times[i];
  return clock;
}

constexpr std::int64_t size = 20000; // More than two pages.

/// The same rules, one byte of one lane at a time.
class PlainShadow {
public:
  std::optional<Conflict::Kind> access(std::int64_t begin, std::int64_t end,
                                       unsigned lane0, unsigned lanes,
                                       const Event &event,
                                       const VectorClock &clock, bool writes) {
    std::optional<Conflict::Kind> result;
    for (std::int64_t b = begin; b < end && !result; ++b)
      for (unsigned p = lane0; p < lane0 + lanes && !result; ++p) {
        const auto found = cells.find({b, p});
        if (found == cells.end()) {
          if (!writes)
            result = Conflict::Kind::uninitialised;
          continue;
        }
        const auto races = [&](const Event &other) {
          return !clock.knows(other) && !other.sameAs(event);
        };
        bool conflict = races(found->second.writer);
        for (const Event &reader : found->second.readers)
          conflict = conflict || (writes && races(reader));
        if (conflict)
          result = Conflict::Kind::race;
      }
    if (result)
      return result;
    for (std::int64_t b = begin; b < end; ++b)
      for (unsigned p = lane0; p < lane0 + lanes; ++p)
        if (writes)
          cells[{b, p}] = {event, {}};
        else
          cells[{b, p}].readers.push_back(event);
    return std::nullopt;
  }

private:
  struct Cell {
    Event writer;
    std::vector<Event> readers;
  };
  std::map<std::pair<std::int64_t, unsigned>, Cell> cells;
};

} // namespace

TEST_CASE("lane masks") {
  CHECK(LaneMask::range(0, 0).empty());
  CHECK(LaneMask::range(127, 1).first() == 127);
  CHECK(LaneMask::range(0, 128).contains(LaneMask::range(63, 2)));
  CHECK(!LaneMask::range(0, 64).contains(LaneMask::range(63, 2)));
  CHECK((LaneMask::range(0, 64) & LaneMask::range(64, 64)).empty());
  CHECK(LaneMask::range(32, 96).without(LaneMask::range(32, 40)).first() == 72);
}

TEST_CASE("bytes that were not written are found, to the byte and lane") {
  Shadow shadow(size);
  const LaneMask lanes = LaneMask::range(32, 32);
  REQUIRE(!shadow.write(100, 200, lanes, event(0, 1), {}));
  const VectorClock all = knowing({9, 9});
  CHECK(!shadow.read(100, 200, lanes, event(1, 1), all));
  auto conflict = shadow.read(100, 201, lanes, event(1, 1), all);
  REQUIRE(conflict);
  CHECK(conflict->kind == Conflict::Kind::uninitialised);
  CHECK((conflict->byte == 200 && conflict->partition == 32));
  conflict = shadow.read(99, 101, lanes, event(1, 1), all);
  REQUIRE(conflict);
  CHECK(conflict->byte == 99);
  conflict = shadow.read(100, 200, LaneMask::range(32, 33), event(1, 1), all);
  REQUIRE(conflict);
  CHECK((conflict->byte == 100 && conflict->partition == 64));
}

TEST_CASE("accesses across a page are one access") {
  Shadow shadow(size);
  const LaneMask lane = LaneMask::range(0, 1);
  REQUIRE(!shadow.write(8000, 8400, lane, event(0, 1), {}));
  CHECK(!shadow.read(8100, 8300, lane, event(1, 1), knowing({1})));
  const auto conflict =
      shadow.write(8299, 8301, lane, event(2, 1), knowing({1}));
  REQUIRE(conflict);
  CHECK(conflict->other.agent == 1);
  CHECK(!conflict->otherWrites);
}

TEST_CASE("who races with whom") {
  Shadow shadow(size);
  const LaneMask lane = LaneMask::range(5, 1);
  REQUIRE(!shadow.write(0, 8, lane, event(0, 3), {}));
  SECTION("a reader that does not know the writer") {
    const auto conflict = shadow.read(4, 5, lane, event(1, 1), knowing({2}));
    REQUIRE(conflict);
    CHECK(conflict->kind == Conflict::Kind::race);
    CHECK(conflict->otherWrites);
    CHECK(conflict->other.index == 3);
    CHECK((conflict->byte == 4 && conflict->partition == 5));
  }
  SECTION("a writer that knows the writer but not a reader") {
    REQUIRE(!shadow.read(0, 8, lane, event(1, 7), knowing({3})));
    CHECK(shadow.write(0, 1, lane, event(2, 1), knowing({3, 6})));
    CHECK(!shadow.write(0, 1, lane, event(2, 1), knowing({3, 7})));
  }
  SECTION("readers do not race with each other") {
    REQUIRE(!shadow.read(0, 8, lane, event(1, 1), knowing({3})));
    CHECK(!shadow.read(0, 8, lane, event(2, 1), knowing({3})));
  }
  SECTION("an instruction may write what it reads") {
    REQUIRE(!shadow.read(0, 8, lane, event(1, 1), knowing({3})));
    CHECK(!shadow.write(0, 8, lane, event(1, 1), knowing({3})));
  }
  SECTION("other lanes and other bytes are other places") {
    CHECK(!shadow.write(0, 8, LaneMask::range(6, 1), event(1, 1), {}));
    CHECK(!shadow.write(8, 16, lane, event(1, 1), {}));
  }
}

TEST_CASE("the last writers of a range") {
  Shadow shadow(size);
  REQUIRE(!shadow.write(0, 8, LaneMask::range(0, 4), event(0, 1), {}));
  REQUIRE(
      !shadow.write(4, 8, LaneMask::range(2, 2), event(1, 1), knowing({1})));
  std::set<unsigned> agents;
  const auto note = [&](const Event &writer) { agents.insert(writer.agent); };
  shadow.forEachWriter(0, 4, LaneMask::range(0, 4), note);
  CHECK(agents == std::set<unsigned>{0});
  shadow.forEachWriter(3, 5, LaneMask::range(0, 4), note);
  CHECK(agents == std::set<unsigned>{0, 1});
  agents.clear();
  shadow.forEachWriter(5, 6, LaneMask::range(3, 1), note);
  CHECK(agents == std::set<unsigned>{1});
  agents.clear();
  shadow.forEachWriter(9000, 9001, LaneMask::range(0, 128), note);
  CHECK(agents.empty());
}

TEST_CASE("random accesses agree with one record a byte") {
  std::mt19937 random(11);
  unsigned races = 0, fresh = 0, fine = 0;
  for (int round = 0; round < 60; ++round) {
    Shadow shadow(size);
    PlainShadow plain;
    std::array<std::uint64_t, 3> clocks{};
    std::array<VectorClock, 3> known;
    if (round % 4 != 0) { // Bytes that everybody knows to be written.
      const Event start = event(0, ++clocks[0]);
      for (VectorClock &clock : known)
        clock.time[0] = 1;
      plain.access(8170, 8240, 50, 30, start, known[0], true);
      REQUIRE(
          !shadow.write(8170, 8240, LaneMask::range(50, 30), start, known[0]));
    }
    for (int step = 0; step < 60; ++step) {
      const unsigned agent = random() % 3;
      if (random() % 2 == 0) { // Learn from another one.
        const unsigned giver = random() % 3;
        known[agent].join(known[giver]);
        known[agent].time[giver] = clocks[giver];
      }
      const Event now = event(agent, ++clocks[agent]);
      VectorClock clock = known[agent];
      clock.time[agent] = now.clock;
      const bool writes = random() % 2 == 0;
      // Around the border of two pages.
      const std::int64_t begin = 8180 + random() % 20;
      const std::int64_t end = begin + 1 + random() % 12;
      const unsigned lane = 60 + random() % 6;
      const unsigned lanes = 1 + random() % 5;
      const auto expected =
          plain.access(begin, end, lane, lanes, now, clock, writes);
      const LaneMask mask = LaneMask::range(lane, lanes);
      const auto got = writes ? shadow.write(begin, end, mask, now, clock)
                              : shadow.read(begin, end, mask, now, clock);
      REQUIRE(got.has_value() == expected.has_value());
      if (!got) {
        ++fine;
        continue;
      }
      // A report ends a run: what follows is not defined.
      ++(got->kind == Conflict::Kind::race ? races : fresh);
      break;
    }
  }
  CHECK((races > 5 && fresh > 5 && fine > 50));
}

TEST_CASE("what ranks hand on is what whole tables of clocks would hold") {
  // Holders of knowledge on some ranks wait for each other and meet.
  constexpr unsigned ranks = 7, holders = 12;
  std::mt19937 random(5);
  using Table = std::array<VectorClock, ranks>;
  for (unsigned round = 0; round < 40; ++round) {
    std::array<Knowledge, holders> known;
    std::array<Table, holders> tables{};
    const auto rankOf = [](unsigned holder) { return holder % ranks; };
    for (unsigned step = 0; step < 120; ++step) {
      const unsigned holder = random() % holders;
      switch (random() % 3) {
      case 0: { // It does something.
        auto &time = known[holder].own.time[random() % 4];
        time += 1 + random() % 3;
        tables[holder][rankOf(holder)] = known[holder].own;
        break;
      }
      case 1: { // It waits for another one of its rank.
        const unsigned other = (holder + ranks) % holders;
        if (rankOf(other) != rankOf(holder))
          break;
        known[holder].join(known[other]);
        for (unsigned r = 0; r < ranks; ++r)
          tables[holder][r].join(tables[other][r]);
        break;
      }
      default: { // One of each of some ranks meet.
        const unsigned first = random() % holders;
        const unsigned count = 1 + random() % ranks;
        std::vector<RankClocks::Member> members;
        Table all{};
        for (unsigned i = 0; i < count; ++i) {
          const unsigned member = (first + i) % holders;
          if (std::any_of(members.begin(), members.end(), [&](const auto &m) {
                return m.rank == rankOf(member);
              }))
            continue;
          members.push_back({rankOf(member), &known[member]});
          for (unsigned r = 0; r < ranks; ++r)
            all[r].join(tables[member][r]);
        }
        const RankClocks met = RankClocks::meet(members);
        for (const RankClocks::Member &member : members) {
          const auto at = static_cast<std::size_t>(member.knows - known.data());
          known[at].join({*met.of(member.rank), met});
          for (unsigned r = 0; r < ranks; ++r)
            tables[at][r].join(all[r]);
        }
        break;
      }
      }
      for (unsigned h = 0; h < holders; ++h) {
        REQUIRE(known[h].own.time == tables[h][rankOf(h)].time);
        for (unsigned r = 0; r < ranks; ++r) {
          if (r == rankOf(h))
            continue;
          const VectorClock *clock = known[h].ranks.of(r);
          REQUIRE((clock ? *clock : VectorClock()).time == tables[h][r].time);
        }
      }
    }
  }
}
