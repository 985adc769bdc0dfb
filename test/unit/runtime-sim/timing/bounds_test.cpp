//===- bounds_test.cpp - What collectives take at least -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launches.h"

#include "kiln/isa/split_mix.h"
#include "kiln/sim/energy.h"

#include <algorithm>
#include <utility>

namespace kiln::test::bounds_test {

using namespace bench;
using namespace kiln::sim::test;

namespace {

sim::Picoseconds boundOf(const sim::Timing &timing, std::string_view name) {
  for (const sim::ResourceBound &bound : timing.bounds)
    if (bound.name == name)
      return bound.time;
  FAIL("no bound of " << name);
  return 0;
}

/// The longest bound is the lower bound, and no bound is above the makespan.
void checkBounds(const sim::LaunchTiming &launch) {
  for (const sim::Timing &core : launch.cores) {
    sim::Picoseconds longest = 0;
    for (const sim::ResourceBound &bound : core.bounds) {
      CAPTURE(bound.name, bound.time, launch.makespan);
      CHECK(bound.time <= launch.makespan);
      longest = std::max(longest, bound.time);
    }
    CHECK(core.lowerBound == longest);
    CHECK((core.boundBy == "none") == (longest == 0));
    if (longest > 0)
      CHECK(boundOf(core, core.boundBy) == longest);
  }
}

/// Draws launches of collectives of all kinds among `ranks`, on several queues
/// and in several groups at a time, with and without transfers beside them.
class Launches {
public:
  explicit Launches(std::uint64_t seed) : state(seed) {}

  void check() {
    const std::array targets{isa::trn1, isa::trn2, isa::trn3};
    const isa::Target &target = targets.at(below(3));
    const unsigned ranks = std::array{2u, 3u, 4u, 8u, 16u, 33u, 64u}[below(7)];
    const unsigned cores =
        target.generation == isa::Generation::v2 ? 1 : 1 + below(2);
    const std::int64_t elements = std::int64_t{ranks} << below(14);
    std::vector<Program> programs(cores);
    for (Program &program : programs) {
      program.module.generation = target.generation;
      program.tensor("x", DType::f32, isa::TensorKind::input, {elements});
      program.tensor("y", DType::f32,
                     cores > 1 ? isa::TensorKind::internal
                               : isa::TensorKind::output,
                     {elements * ranks});
    }
    for (unsigned count = 1 + below(6); count > 0; --count) {
      const isa::Body body = draw(programs[0], ranks, elements);
      for (Program &program : programs) {
        // Some follow each other, others are under way together.
        if (below(3) > 0)
          program.add(Engine::gpsimd, body);
        else
          program.then(Engine::gpsimd, body);
      }
    }
    std::vector<isa::Module> modules{programs[0].module};
    if (cores > 1)
      modules = pairOf(programs[0], programs[1]);
    CAPTURE(target.name, ranks, cores, elements);
    const sim::LaunchTiming timing = timeOf({modules, ranks, {}, {}}, target);
    checkBounds(timing);
    for (const sim::Timing &core : timing.cores)
      CHECK(core.meetingBound.count > 0);
  }

private:
  unsigned below(unsigned limit) {
    return static_cast<unsigned>(isa::splitMix(state) % limit);
  }

  /// All ranks, or two groups side by side.
  isa::RankLists lists(unsigned ranks) {
    isa::RankLists all = listOf(ranks);
    if (ranks % 2 != 0 || below(2) == 0)
      return all;
    isa::RankLists halves(2);
    for (const std::int32_t rank : all[0])
      halves[below(2) == 0 ? 0 : static_cast<unsigned>(rank) % 2].push_back(
          rank);
    while (halves[0].size() != halves[1].size()) {
      isa::RankLists::value_type &from =
          halves[halves[0].size() > halves[1].size() ? 0 : 1];
      halves[&from == halves.data() ? 1 : 0].push_back(from.back());
      from.pop_back();
    }
    return halves;
  }

  isa::Body draw(const Program &program, unsigned ranks,
                 std::int64_t elements) {
    const isa::RankLists groups = lists(ranks);
    const auto members = static_cast<std::int64_t>(groups[0].size());
    const int queue = static_cast<int>(below(16));
    const auto part = [](Access whole, std::int64_t count) {
      whole.dims[0].size = static_cast<std::uint32_t>(count);
      return whole;
    };
    const Access x = part(program.whole(0), elements);
    const Access y = program.whole(1);
    switch (below(5)) {
    case 0:
      return isa::AllGather{
          {x}, {part(y, elements * members)}, groups, 0, queue, {}};
    case 1:
      return isa::ReduceScatter{
          {x}, {part(y, elements / members)}, groups, 0, isa::AluOp::add, queue,
          {}};
    case 2:
      return isa::AllReduce{
          {x}, {part(y, elements)}, groups, isa::AluOp::add, queue, {}};
    case 3:
      return isa::AllToAll{{x}, {part(y, elements)}, groups, 0, queue, {}};
    default:
      break;
    }
    isa::RankLists pairs;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ranks); ++rank)
      pairs.push_back({rank, static_cast<std::int32_t>((rank + 1) % ranks)});
    return isa::CollectivePermute{{x}, {part(y, elements)}, pairs, queue, {}};
  }

  std::uint64_t state;
};

} // namespace

TEST_CASE("no bound of a launch of collectives is above its makespan") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Launches(seed).check();
  }
}

namespace {

/// Permutes of 4 MiB from chip to chip, all on one link.
sim::LaunchTiming permutes(unsigned count, const isa::Target &target) {
  Program program;
  program.module.generation = target.generation;
  constexpr std::int64_t elements = 1 << 20;
  program.tensor("x", DType::f32, isa::TensorKind::input, {elements});
  program.tensor("y", DType::f32, isa::TensorKind::output, {elements});
  for (unsigned i = 0; i < count; ++i)
    program.add(Engine::gpsimd, isa::CollectivePermute{{program.whole(0)},
                                                       {program.whole(1)},
                                                       {{0, 8}},
                                                       static_cast<int>(i),
                                                       {}});
  const sim::LaunchTiming timing =
      timeOf({{&program.module, 1}, 9, {}, {}}, target);
  checkSums(timing);
  checkBounds(timing);
  return timing;
}

} // namespace

TEST_CASE("bytes on a link and launches are the bound of what shares it") {
  isa::Target target = isa::trn2;
  target.hbm_bytes_per_ns = 1e9;
  target.dma_skew_ns = 0;
  const double alone = (4 << 20) / target.link_bytes_per_ns;
  // A single one takes what it takes alone, to the picosecond.
  const sim::LaunchTiming one = permutes(1, target);
  CHECK(one.cores[0].boundBy == "links");
  CHECK(one.cores[0].lowerBound == one.makespan);
  CHECK(boundOf(one.cores[0], "collective") == one.makespan);
  CHECK(one.cores[0].meetingBound.link == "chip 0 to chip 1");
  CHECK(static_cast<double>(one.cores[0].meetingBound.linkBusy) / 1000 ==
        Approx(alone).margin(1));
  // Four share the link. The longest one alone knows of one of them.
  const sim::LaunchTiming four = permutes(4, target);
  const sim::Timing &core = four.cores[0];
  CHECK(core.boundBy == "links");
  CHECK(core.meetingBound.count == 4);
  CHECK(boundOf(core, "collective") == one.makespan);
  CHECK(core.lowerBound - one.makespan == Approx(3000 * alone).margin(10));
  // They come one after the other: the bound leaves out three launches.
  CHECK(core.lowerBound < four.makespan);
  CHECK(four.makespan <= 4 * one.makespan);
  // Rank 3 is in no pair.
  CHECK(four.cores[3].meetingBound.linkBusy == 0);
}

TEST_CASE("a small collective is bound by its launch and hops") {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::input, {64});
  program.tensor("y", DType::f32, isa::TensorKind::output, {256});
  program.then(
      Engine::gpsimd,
      isa::AllGather{
          {program.whole(0)}, {program.whole(1)}, listOf(4), 0, 8, {}});
  const sim::LaunchTiming timing = timeOf({{&program.module, 1}, 4, {}, {}});
  checkBounds(timing);
  const double floor =
      isa::trn2.collective_launch_hbm_ns + isa::trn2.collective_hop_ns;
  for (const sim::Timing &core : timing.cores) {
    CHECK(core.lowerBound >= 1000 * floor);
    CHECK(static_cast<double>(core.lowerBound) >=
          0.9 * static_cast<double>(timing.makespan));
  }
}

TEST_CASE("who meets nobody has no bound of collectives") {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::input, {64});
  const sim::LaunchTiming timing = timeOf({{&program.module, 1}, 2, {}, {}});
  checkBounds(timing);
  for (const sim::Timing &core : timing.cores) {
    CHECK(core.meetingBound == sim::MeetingBound());
    CHECK(boundOf(core, "links") == 0);
    CHECK(boundOf(core, "collective") == 0);
  }
}

TEST_CASE("bytes between chips are shared out among those that pass them on") {
  const auto permute = [](isa::RankLists pairs) {
    Program program;
    program.tensor("x", DType::f32, isa::TensorKind::input, {1024});
    program.tensor("y", DType::f32, isa::TensorKind::output, {1024});
    program.then(
        Engine::gpsimd,
        isa::CollectivePermute{
            {program.whole(0)}, {program.whole(1)}, std::move(pairs), 8, {}});
    std::uint64_t links = 0, nodes = 0;
    for (const sim::Timing &core :
         timeOf({{&program.module, 1}, 129, {}, {}}).cores) {
      const sim::EnergyCounts counts =
          sim::energyCounts(program.module, core, isa::trn2);
      links += counts.of(sim::EnergyOf::link);
      nodes += counts.of(sim::EnergyOf::node);
    }
    return std::pair(links, nodes);
  };
  // Eight ranks lie on a chip, 128 in a node.
  CHECK(permute({{0, 1}}) == std::pair<std::uint64_t, std::uint64_t>(0, 0));
  CHECK(permute({{0, 8}, {1, 9}}) ==
        std::pair<std::uint64_t, std::uint64_t>(2 * 4096, 0));
  CHECK(permute({{0, 128}}) ==
        std::pair<std::uint64_t, std::uint64_t>(0, 4096));
}

} // namespace kiln::test::bounds_test
