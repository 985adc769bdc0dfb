//===- contention_test.cpp - What cores and collectives share ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launches.h"

namespace kiln::test::contention_test {

using namespace bench;
using namespace kiln::sim::test;

namespace {

enum class Way { load, copy, onChip, nothing };

/// A core that moves 64 MiB, or 8 MiB within HBM.
Program mover(Way way) {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::shared, {128, 16384});
  program.tensor("y", DType::f32, isa::TensorKind::shared, {128, 16384});
  const Access tile = sbuf(DType::f32, 128, 16384, 0);
  const Access other = sbuf(DType::f32, 128, 16384, 65536);
  for (int i = 0; i < 8; ++i)
    if (way == Way::load)
      program.add(Engine::gpsimd,
                  isa::DmaCopy{tile, program.whole(0), i % 4, {}});
    else if (way == Way::copy && i == 0)
      program.add(Engine::gpsimd,
                  isa::DmaCopy{program.whole(1), program.whole(0), 0, {}});
    else if (way == Way::onChip)
      program.add(Engine::gpsimd, isa::DmaCopy{tile, other, i % 4, {}});
  return program;
}

double pairNs(Way first, Way second, const isa::Target &target = isa::trn2) {
  const auto modules = pairOf(mover(first), mover(second));
  const sim::LaunchTiming timing = timeOf({modules, 1, {}, {}}, target);
  checkSums(timing);
  return static_cast<double>(timing.makespan) / 1000;
}

double aloneNs(Way way, const isa::Target &target = isa::trn2) {
  const auto timing = sim::simulateTiming(mover(way).module, target);
  REQUIRE(timing);
  return static_cast<double>(timing->makespan) / 1000;
}

constexpr double loaded = 8.0 * 128 * 16384 * 4;
constexpr double copied = 2.0 * 128 * 16384 * 4; ///< Read and written.

/// Ranks that each take part in collectives of `groups`, all at once: one
/// instruction for each entry, on a queue of its own.
double collectivesNs(unsigned ranks, std::vector<isa::RankLists> groups,
                     std::int64_t elements,
                     const isa::Target &target = isa::trn2) {
  Program program;
  program.module.generation = target.generation;
  program.tensor("x", DType::f32, isa::TensorKind::input, {elements});
  program.tensor("y", DType::f32, isa::TensorKind::output, {elements});
  int queue = 0;
  for (isa::RankLists &lists : groups)
    program.add(Engine::gpsimd, isa::AllReduce{{program.whole(0)},
                                               {program.whole(1)},
                                               std::move(lists),
                                               isa::AluOp::add,
                                               queue++,
                                               {}});
  const sim::LaunchTiming timing =
      timeOf({{&program.module, 1}, ranks, {}, {}}, target);
  checkSums(timing);
  return static_cast<double>(timing.makespan) / 1000;
}

/// Permutes along `pairs`, all at once.
double permutesNs(unsigned ranks, const std::vector<isa::RankLists> &pairs,
                  std::int64_t elements, const isa::Target &target) {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::input, {elements});
  program.tensor("y", DType::f32, isa::TensorKind::output, {elements});
  int queue = 0;
  for (const isa::RankLists &ring : pairs)
    program.add(Engine::gpsimd,
                isa::CollectivePermute{
                    {program.whole(0)}, {program.whole(1)}, ring, queue++, {}});
  const sim::LaunchTiming timing =
      timeOf({{&program.module, 1}, ranks, {}, {}}, target);
  checkSums(timing);
  return static_cast<double>(timing.makespan) / 1000;
}

} // namespace

TEST_CASE("cores of one stack share its bandwidth") {
  // One core's DMA engines are the limit, both together the stack is.
  CHECK(aloneNs(Way::load) == Approx(loaded / 368).epsilon(.02));
  CHECK(pairNs(Way::load, Way::load) ==
        Approx(2 * loaded / 716.8).epsilon(.02));
  CHECK(pairNs(Way::copy, Way::copy) ==
        Approx(2 * copied / 716.8).epsilon(.03));
  CHECK(aloneNs(Way::copy) == Approx(copied / 2 / 368).epsilon(.1));
  // On a slower stack the shares are plain.
  isa::Target slow = isa::trn2;
  slow.hbm_bytes_per_ns = 200;
  CHECK(aloneNs(Way::load, slow) == Approx(loaded / 200).epsilon(.02));
  CHECK(pairNs(Way::load, Way::load, slow) ==
        Approx(2 * loaded / 200).epsilon(.02));
  CHECK(pairNs(Way::load, Way::copy, slow) ==
        Approx((loaded + copied) / 200).epsilon(.02));
}

TEST_CASE("the stack's traffic of all its cores is a bound of each") {
  const auto modules = pairOf(mover(Way::load), mover(Way::load));
  const sim::LaunchTiming timing = timeOf({modules, 1, {}, {}});
  for (const sim::Timing &core : timing.cores) {
    CHECK(core.boundBy == "hbm");
    CHECK(core.lowerBound <= timing.makespan);
    CHECK(core.lowerBound == 2 * core.hbmBusy);
  }
  // Beside an idle one it is the core's own engines.
  const auto single = pairOf(mover(Way::load), mover(Way::nothing));
  CHECK(timeOf({single, 1, {}, {}}).cores[0].boundBy == "dma");
}

TEST_CASE("a core alone on its stack, or beside one that is not in HBM") {
  for (const Way way : {Way::load, Way::copy, Way::onChip}) {
    CHECK(pairNs(way, Way::nothing) == aloneNs(way));
    CHECK(pairNs(Way::nothing, way) == aloneNs(way));
  }
  // What stays on chip is not slowed by the other core's traffic.
  isa::Target slow = isa::trn2;
  slow.hbm_bytes_per_ns = 200;
  const auto lastByte = [&](Way first, Way second) {
    const auto modules = pairOf(mover(first), mover(second));
    const sim::LaunchTiming timing = timeOf({modules, 1, {}, {}}, slow, true);
    sim::Picoseconds last = 0;
    for (const sim::TraceEvent &event : timing.cores[0].events)
      if (event.track >= isa::numEngines)
        last = std::max(last, event.end);
    return last;
  };
  CHECK(lastByte(Way::onChip, Way::load) ==
        lastByte(Way::onChip, Way::nothing));
  CHECK(lastByte(Way::load, Way::load) > lastByte(Way::load, Way::nothing));
  // Each core of trn1 has a stack of its own.
  CHECK(pairNs(Way::load, Way::load, isa::trn1) ==
        aloneNs(Way::load, isa::trn1));
  // A third core begins the second stack.
  Program program = mover(Way::load);
  const auto ranks = [&](unsigned count) {
    return timeOf({{&program.module, 1}, count, {}, {}}).makespan;
  };
  CHECK(ranks(2) > ranks(1));
  CHECK(ranks(3) == ranks(2));
}

TEST_CASE("busy neighbours are cores that are not simulated") {
  isa::Target busy = isa::trn2;
  busy.hbm_busy_neighbours = 1;
  CHECK(aloneNs(Way::load, busy) == Approx(loaded / 358.4).epsilon(.02));
  // Both cores of the stack are simulated: nobody is left to be busy.
  CHECK(pairNs(Way::load, Way::load, busy) == pairNs(Way::load, Way::load));
  busy.hbm_busy_neighbours = 5;
  CHECK(aloneNs(Way::load, busy) == Approx(loaded / 358.4).epsilon(.02));
}

namespace {

/// Only links between chips take time.
isa::Target linksOnly() {
  isa::Target target = isa::trn2;
  target.hbm_bytes_per_ns = 1e6;
  target.dma_engine_bytes_per_ns = 1e4;
  return target;
}

/// `lists`, and every other rank below `ranks` alone.
isa::RankLists complete(isa::RankLists lists, unsigned ranks) {
  const isa::RankLists given = lists;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    const auto number = static_cast<std::int32_t>(rank);
    if (std::none_of(given.begin(), given.end(), [&](const auto &list) {
          return std::find(list.begin(), list.end(), number) != list.end();
        }))
      lists.push_back({number});
  }
  return lists;
}

/// 64 MiB over 256 B/ns.
constexpr double crossing = 64.0 * 1048576 / 256;
constexpr std::int64_t crossingElements = 16 << 20;

} // namespace

TEST_CASE("collectives on one link share it") {
  const auto pairs = [](int count) {
    isa::RankLists lists;
    for (int r = 0; r < count; ++r)
      lists.push_back({r, r + 8});
    return complete(std::move(lists), 32);
  };
  const auto time = [](isa::RankLists lists) {
    return collectivesNs(32, {std::move(lists)}, crossingElements, linksOnly());
  };
  const double one = time(pairs(1));
  CHECK(one > crossing);
  CHECK(one < 1.05 * crossing);
  // Pairs of ranks, each in a list of its own, cross between two chips.
  CHECK(time(pairs(2)) - one == Approx(crossing).epsilon(.001));
  CHECK(time(pairs(8)) - one == Approx(7 * crossing).epsilon(.001));
  // Other chips have other links.
  CHECK(time(complete({{0, 8}, {16, 24}}, 32)) == one);
}

TEST_CASE("permutes in opposite directions do not share a link") {
  const auto time = [](std::vector<isa::RankLists> pairs) {
    return permutesNs(16, std::move(pairs), crossingElements, linksOnly());
  };
  const isa::RankLists there{{0, 8}}, back{{8, 0}}, beside{{1, 9}};
  const double one = time({there});
  CHECK(time({there, back}) == Approx(one).epsilon(.005));
  CHECK(time({there, beside}) - one == Approx(crossing).epsilon(.001));
}

TEST_CASE("collectives of one chip share the engines of their cores") {
  isa::Target target = isa::trn2;
  target.hbm_bytes_per_ns = 1e6;
  const auto time = [&](std::vector<isa::RankLists> groups) {
    return collectivesNs(8, std::move(groups), crossingElements, target);
  };
  const isa::RankLists four = complete({{0, 1, 2, 3}}, 8);
  const double one = time({four});
  CHECK(time({four, four}) > 1.7 * one);
  // Other cores have engines of their own.
  CHECK(time({{{0, 1, 2, 3}, {4, 5, 6, 7}}}) == one);
}

TEST_CASE("a collective between SBUF tiles occupies the DMA engines") {
  const auto run = [](bool loads, bool exchanges) {
    Program program;
    program.tensor("w", DType::f32, isa::TensorKind::input, {128, 8192});
    const Access tile = sbuf(DType::f32, 128, 8192, 0);
    const Access sum = sbuf(DType::f32, 128, 8192, 65536);
    if (exchanges)
      program.add(
          Engine::gpsimd,
          isa::AllReduce{{tile}, {sum}, listOf(2), isa::AluOp::add, 8, {}});
    for (int i = 0; loads && i < 8; ++i)
      program.add(Engine::sync, isa::DmaCopy{sbuf(DType::f32, 128, 8192, 32768),
                                             program.whole(0),
                                             i % 4,
                                             {}});
    const auto timing = timeOf({{&program.module, 1}, 2, {}, {}});
    checkSums(timing);
    CHECK(timing.cores[0].hbmWriteBytes == 0);
    return timing.makespan;
  };
  const auto loads = run(true, false);
  const auto exchange = run(false, true);
  // 4 MiB go out and come in, and each is reduced: about 20 us of engines.
  CHECK(run(true, true) > std::max(loads, exchange) + 10'000'000);
  // From HBM a core pays for the traffic as well, and starts later.
  CHECK(static_cast<double>(exchange) / 1000 <
        collectivesNs(2, {listOf(2)}, 128 * 8192));
}

TEST_CASE("shared stacks and links, timed twice, give the same") {
  Program program = mover(Way::load);
  program.tensor("a", DType::f32, isa::TensorKind::input, {1 << 18});
  program.tensor("b", DType::f32, isa::TensorKind::output, {1 << 18});
  for (int i = 0; i < 3; ++i)
    program.add(Engine::sync, isa::AllReduce{{program.whole(2)},
                                             {program.whole(3)},
                                             listOf(16),
                                             isa::AluOp::add,
                                             8 + i,
                                             {}});
  const sim::Launch launch{{&program.module, 1}, 16, {}, {}};
  const sim::LaunchTiming first = timeOf(launch), second = timeOf(launch);
  checkSums(first);
  CHECK(first.cores == second.cores);
}

} // namespace kiln::test::contention_test
