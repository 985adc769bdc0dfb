//===- dependences_test.cpp - Producers, slack and the critical path ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

#include "Dependences.h"

using namespace kiln::sim::test;
using kiln::profile::Dependences;
using kiln::profile::dependencesOf;

namespace {

/// Instruction `index` of an engine on its own track, visible 5 ps later.
TraceEvent work(unsigned engine, std::uint32_t index, Picoseconds start,
                Picoseconds end) {
  const auto track = static_cast<std::uint8_t>(engine);
  return {track, track, index, start, end, end + 5};
}

/// Instruction `to` of engine `by` took what `from` of another one gave at
/// `given`; it was there 10 ps later.
TraceToken token(unsigned by, std::uint32_t to, unsigned engine,
                 std::uint32_t from, Picoseconds given, Picoseconds taken) {
  return {static_cast<std::uint8_t>(by),
          to,
          Producer(static_cast<std::uint8_t>(engine), from),
          given,
          given + 10,
          taken};
}

/// Two engines work for a third, which takes the later result at once.
Timing forked() {
  Timing timing;
  timing.makespan = 205;
  timing.events = {work(0, 0, 0, 100), work(1, 0, 0, 40), work(2, 0, 115, 200)};
  timing.tokens = {token(2, 0, 0, 0, 105, 115), token(2, 0, 1, 0, 45, 115)};
  return timing;
}

} // namespace

TEST_CASE("an event knows whose tokens it took") {
  const Dependences found = dependencesOf(forked());
  const auto producers = found.producersOf(2);
  CHECK(std::vector(producers.begin(), producers.end()) ==
        std::vector<std::uint32_t>{0, 1});
  CHECK(found.producersOf(0).empty());
}

TEST_CASE("slack is what an event may be later") {
  const Dependences found = dependencesOf(forked());
  // The second producer's token lay there for 60 ps.
  CHECK(found.slack == std::vector<Picoseconds>{0, 60, 0});
  CHECK(found.criticalPath == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("of runs of one instruction, a token is that of the right one") {
  Timing timing;
  timing.makespan = 325;
  // Twice: 0 gives, 1 takes. The second run of 0 ends before the first of 1.
  timing.events = {work(0, 0, 0, 50), work(0, 0, 50, 100), work(1, 0, 65, 165),
                   work(1, 0, 165, 320)};
  timing.tokens = {token(1, 0, 0, 0, 55, 65), token(1, 0, 0, 0, 105, 115)};
  const Dependences found = dependencesOf(timing);
  CHECK(found.producersOf(2).front() == 0);
  CHECK(found.producersOf(3).front() == 1);
  // The second run waits in the queue of its engine, from 115 on; its token
  // came at that moment, so that nothing is known of how late it could be.
  CHECK(found.slack == std::vector<Picoseconds>{0, 0, 0, 0});
  // The engine was the last thing that it waited for.
  CHECK(found.criticalPath == std::vector<std::uint32_t>{0, 2, 3});
}

TEST_CASE("a transfer that starts up while its queue is idle") {
  // Queue 0 of engine 4 ends a transfer at 100. The next one has its token at
  // 110 and begins at 160, as soon as a transfer can: like the first one, 50 ps
  // behind what it needs. What was before it in the queue did not hold it up.
  Timing timing;
  timing.makespan = 200;
  timing.events = {work(0, 0, 0, 5), TraceEvent{5, 4, 0, 70, 100, 110},
                   work(0, 1, 80, 95), TraceEvent{5, 4, 1, 160, 190, 200}};
  timing.tokens = {token(4, 0, 0, 0, 10, 20), token(4, 1, 0, 1, 100, 110)};
  const Dependences found = dependencesOf(timing);
  CHECK(found.criticalPath == std::vector<std::uint32_t>{0, 2, 3});
}

TEST_CASE("an engine's own earlier result is on the path") {
  // The second instruction of engine 1 has its token early, and waits for the
  // first one's result, which is visible 5 ps after its end.
  Timing timing;
  timing.makespan = 205;
  timing.events = {work(1, 0, 0, 80), work(0, 0, 0, 40), work(1, 1, 85, 200)};
  timing.tokens = {token(1, 1, 0, 0, 45, 70)};
  TraceWait wait;
  wait.engine = 1;
  wait.index = 1;
  wait.reason = StallReason::dependence;
  wait.producer = Producer(1, 0);
  wait.start = 80;
  wait.end = 85;
  timing.waits = {wait};
  const Dependences found = dependencesOf(timing);
  const auto producers = found.producersOf(2);
  CHECK(std::vector(producers.begin(), producers.end()) ==
        std::vector<std::uint32_t>{1, 0});
  CHECK(found.criticalPath == std::vector<std::uint32_t>{0, 2});
  CHECK(found.slack == std::vector<Picoseconds>{0, 15, 0});
}

TEST_CASE("what follows on an engine may need what came before") {
  Timing timing;
  timing.makespan = 205;
  // No token, no wait: the second instruction may still read the first one's
  // result, which was visible 15 ps before.
  timing.events = {work(1, 0, 0, 80), work(1, 1, 100, 200)};
  CHECK(dependencesOf(timing).slack == std::vector<Picoseconds>{15, 0});
}

TEST_CASE("slack is never more than the measured room of a real run") {
  const Profiled p = profiled();
  const Dependences found = dependencesOf(p.timing);
  REQUIRE(found.slack.size() == p.timing.events.size());
  bool some = false;
  for (std::size_t e = 0; e < found.slack.size(); ++e) {
    CHECK(found.slack[e] >= 0);
    CHECK(found.slack[e] <= p.timing.makespan - p.timing.events[e].visible);
    some |= found.slack[e] > 0;
  }
  CHECK(some);
  CHECK(found.slack[found.criticalPath.back()] == 0);
  CHECK(p.timing.events[found.criticalPath.front()].start <
        p.timing.makespan / 20);
}
