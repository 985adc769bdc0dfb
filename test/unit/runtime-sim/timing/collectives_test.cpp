//===- collectives_test.cpp - Bytes of collectives on links ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launches.h"

#include "timing/Links.h"

#include <algorithm>
#include <functional>
#include <map>

namespace kiln::test::collectives_test {

using namespace bench;
using namespace kiln::sim::test;

namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

/// Only links between chips take time, and hops so much that all take one.
isa::Target linksOnly(isa::Target target = isa::trn2) {
  target.collective_hop_ns = 100000;
  target.hbm_bytes_per_ns = 1e9;
  target.dma_engine_bytes_per_ns = 1e7;
  target.dma_skew_ns = 0;
  return target;
}

/// What `make` does with x and y among ranks of one core, from the moment at
/// which the collective starts to move until the last engine has its part.
double movingNs(unsigned ranks, std::uint64_t source, std::uint64_t room,
                const std::function<isa::Body(Access, Access)> &make,
                const isa::Target &target = linksOnly()) {
  Program program;
  program.module.generation = target.generation;
  const auto extent = [](std::uint64_t n) {
    return std::vector<std::int64_t>{static_cast<std::int64_t>(n)};
  };
  program.tensor("x", DType::f32, isa::TensorKind::input, extent(source));
  program.tensor("y", DType::f32, isa::TensorKind::output, extent(room));
  program.then(Engine::gpsimd, make(program.whole(0), program.whole(1)));
  const sim::LaunchTiming timing =
      timeOf({{&program.module, 1}, ranks, {}, {}}, target);
  checkSums(timing);
  return static_cast<double>(timing.makespan) / 1000 -
         target.collective_launch_hbm_ns - target.collective_hop_ns -
         target.dma_done_ns;
}

/// `list`, and every other rank below `ranks` alone.
isa::RankLists alone(std::vector<std::int32_t> list, unsigned ranks) {
  isa::RankLists lists{list};
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ranks); ++rank)
    if (std::find(list.begin(), list.end(), rank) == list.end())
      lists.push_back({rank});
  return lists;
}

double gatherNs(std::vector<std::int32_t> list, unsigned ranks,
                std::uint64_t elements,
                const isa::Target &target = linksOnly()) {
  const std::uint64_t n = list.size();
  return movingNs(
      ranks, elements, elements * n,
      [&](Access x, Access y) -> isa::Body {
        return isa::AllGather{{x}, {y}, alone(list, ranks), 0, 8, {}};
      },
      target);
}

} // namespace

TEST_CASE("a mesh crosses between two chips for each pair of ranks") {
  constexpr double piece = 32768, link = 256;
  constexpr std::uint64_t elements = 8192;
  const auto time = [&](std::vector<std::int32_t> list) {
    return gatherNs(std::move(list), 64, elements);
  };
  // Eight ranks lie on a chip.
  CHECK(time({0, 8}) == Approx(piece / link).margin(2));
  CHECK(time({0, 1, 8}) == Approx(2 * piece / link).margin(2));
  CHECK(time({0, 1, 8, 9}) == Approx(4 * piece / link).margin(2));
  CHECK(time({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) ==
        Approx(64 * piece / link).margin(2));
  // The order of the list moves no bytes.
  CHECK(time({0, 8, 1, 9}) == time({0, 1, 8, 9}));
  // Up to four other chips have a link each; more share what leaves a chip.
  CHECK(time({0, 8, 16, 24, 32}) == Approx(piece / link).margin(2));
  CHECK(time({0, 8, 16, 24, 32, 40}) == Approx(5 * piece / 4 / link).margin(2));
  CHECK(time({0, 8, 16, 24, 32, 40, 48, 56}) ==
        Approx(7 * piece / 4 / link).margin(2));
}

TEST_CASE("between chips an all-to-all and permutes cross for each pair") {
  constexpr double bytes = 65536, link = 256;
  constexpr std::uint64_t elements = 16384;
  const auto exchange = [&](std::vector<std::int32_t> list) {
    return movingNs(16, elements, elements,
                    [&](Access x, Access y) -> isa::Body {
                      return isa::AllToAll{{x}, {y}, alone(list, 16), 0, 8, {}};
                    });
  };
  CHECK(exchange({0, 8}) == Approx(bytes / 2 / link).margin(2));
  CHECK(exchange({0, 1, 8, 9}) == Approx(4 * bytes / 4 / link).margin(2));
  const auto permute = [&](isa::RankLists pairs) {
    return movingNs(16, elements, elements,
                    [&](Access x, Access y) -> isa::Body {
                      return isa::CollectivePermute{{x}, {y}, pairs, 8, {}};
                    });
  };
  const double one = permute({{0, 8}});
  CHECK(one == Approx(bytes / link).margin(2));
  CHECK(permute({{0, 8}, {1, 9}, {2, 10}}) == Approx(3 * one).margin(4));
  // Both ways at once.
  CHECK(permute({{0, 8}, {8, 0}}) == Approx(one).margin(2));
}

TEST_CASE("between nodes only what leaves one takes its way out") {
  // A node of trn1 has 32 ranks of a core; each has 25 Gb/s.
  isa::Target target = linksOnly(isa::trn1);
  target.node_hop_ns = target.collective_hop_ns;
  constexpr std::uint64_t elements = 4096;
  const double piece = elements * 4 / 3.125;
  CHECK(gatherNs({0, 32}, 33, elements, target) == Approx(piece).margin(2));
  // Both ranks of node 0 get the third's piece; it takes its way in once each.
  CHECK(gatherNs({0, 1, 32}, 33, elements, target) ==
        Approx(2 * piece).margin(2));
}

namespace {

/// An all_gather_v or all_to_all_v of four or more ranks of two cores.
struct Tables {
  bool gathers = true;
  unsigned ranks = 4;
  bool inParts = false, reduces = false; ///< Of an exchange; of a sum.
  std::uint64_t source = 1 << 16, slot = 1 << 16;
  isa::Target target = isa::trn2;

  sim::LaunchTiming time(const Rows &rows) const {
    Program program;
    program.module.generation = target.generation;
    program.tensor("x", DType::f32, isa::TensorKind::input,
                   {static_cast<std::int64_t>(source)});
    program.tensor("y", DType::f32, isa::TensorKind::output,
                   {static_cast<std::int64_t>(slot * ranks)});
    program.tensor("m", DType::u32, isa::TensorKind::inout, {3, ranks});
    if (inParts)
      addParts(program);
    else if (reduces)
      program.then(Engine::gpsimd, isa::ReduceScatterV{{program.whole(0)},
                                                       {program.whole(1)},
                                                       listOf(ranks),
                                                       program.whole(2),
                                                       isa::AluOp::add,
                                                       false,
                                                       8,
                                                       {}});
    else if (gathers)
      program.then(Engine::gpsimd, isa::AllGatherV{{program.whole(0)},
                                                   {program.whole(1)},
                                                   listOf(ranks),
                                                   program.whole(2),
                                                   false,
                                                   false,
                                                   8,
                                                   {}});
    else
      program.then(Engine::gpsimd, isa::AllToAllV{{program.whole(0)},
                                                  {program.whole(1)},
                                                  listOf(ranks),
                                                  program.whole(2),
                                                  false,
                                                  false,
                                                  8,
                                                  {}});
    const auto modules = pairOf(program, {});
    sim::LaunchTimingOptions options;
    options.sentCounts.resize(rows.empty() ? 0 : std::size_t{2} * ranks);
    for (std::size_t r = 0; r < rows.size(); ++r)
      options.sentCounts[2 * r][static_cast<std::size_t>(Engine::gpsimd)] = {
          rows[r]};
    auto result =
        sim::simulateLaunch({modules, ranks, {}, {}}, target, options);
    if (!result)
      FAIL(result.error().str());
    checkSums(*result);
    return *result;
  }
  double ns(const Rows &rows) const {
    return static_cast<double>(time(rows).makespan) / 1000;
  }

private:
  void addParts(Program &program) const {
    program.tensor("k", DType::u32, isa::TensorKind::internal, {3, ranks});
    program.then(Engine::gpsimd, isa::AllToAllVPrepare{program.whole(3),
                                                       listOf(ranks),
                                                       program.whole(2),
                                                       false,
                                                       false,
                                                       8,
                                                       {}});
    program.then(Engine::gpsimd, isa::AllToAllVTrigger{{program.whole(0)},
                                                       {program.whole(1)},
                                                       listOf(ranks),
                                                       program.whole(3),
                                                       program.whole(2),
                                                       false,
                                                       false,
                                                       8,
                                                       {}});
  }
};

/// The same all-gather with one size for all.
sim::Picoseconds plainGather(std::int64_t elements) {
  Program program;
  program.tensor("x", DType::f32, isa::TensorKind::input, {elements});
  program.tensor("y", DType::f32, isa::TensorKind::output, {4 * elements});
  program.then(
      Engine::gpsimd,
      isa::AllGather{
          {program.whole(0)}, {program.whole(1)}, listOf(4), 0, 8, {}});
  const auto modules = pairOf(program, {});
  return timeOf({modules, 4, {}, {}}).makespan;
}

Rows all(std::uint32_t count, unsigned ranks = 4) {
  return Rows(ranks, std::vector<std::uint32_t>(ranks, count));
}

} // namespace

TEST_CASE("collectives with tables take as long as what the tables say") {
  Tables gather;
  // Equal counts are an all-gather of that size, whatever the buffers hold;
  // 64 Ki elements a rank are the first that do not go as a mesh.
  for (const std::uint32_t count : {1u, 1000u, 65535u, 65536u}) {
    CAPTURE(count);
    CHECK(gather.time(all(count)).makespan == plainGather(count));
  }
  CHECK(gather.time(all(1000)).fullBuffersAssumed() == 0);
  // Nothing to send: start and hop.
  CHECK(gather.ns(all(0)) == Approx(4000 + 1500 + 300).margin(1));
  // One sends all: its engines are as busy as before, the others only write.
  gather.target.hbm_bytes_per_ns = 1e9;
  Rows rows = all(0);
  rows[2][0] = 10000;
  const sim::LaunchTiming one = gather.time(rows),
                          four = gather.time(all(10000));
  CHECK(one.makespan == four.makespan);
  CHECK(one.cores[4].hbmReadBytes == four.cores[4].hbmReadBytes);
  CHECK(one.cores[0].hbmReadBytes == 0);
  CHECK(one.cores[0].hbmWriteBytes == 40000);
  CHECK(four.cores[0].hbmWriteBytes == 160000);
}

TEST_CASE("the preparation takes the launch, the trigger the rest") {
  Tables exchange;
  exchange.gathers = false;
  const Rows rows = all(5000);
  const double whole = exchange.ns(rows);
  exchange.inParts = true;
  const double both = exchange.ns(rows);
  // Whatever is launched is launched once; then one more start and its token.
  const double launch = exchange.target.collective_launch_hbm_ns;
  CHECK(both > whole + exchange.target.dma_start_ns);
  CHECK(both < whole + exchange.target.dma_start_ns + 1000);
  // The trigger alone pays no launch.
  exchange.target.collective_launch_hbm_ns = 0;
  CHECK(both - exchange.ns(rows) == Approx(launch).margin(1));
  CHECK(exchange.time({}).fullBuffersAssumed() == 4);
}

TEST_CASE("counted sums take as long as their pieces") {
  Tables sums;
  sums.reduces = true;
  const auto plain = [](std::int64_t elements) {
    Program program;
    program.tensor("x", DType::f32, isa::TensorKind::input, {4 * elements});
    program.tensor("y", DType::f32, isa::TensorKind::output, {elements});
    program.then(Engine::gpsimd, isa::ReduceScatter{{program.whole(0)},
                                                    {program.whole(1)},
                                                    listOf(4),
                                                    0,
                                                    isa::AluOp::add,
                                                    8,
                                                    {}});
    const auto modules = pairOf(program, {});
    return timeOf({modules, 4, {}, {}}).makespan;
  };
  for (const std::uint32_t count : {1u, 1000u, 4096u}) {
    CAPTURE(count);
    CHECK(sums.time(all(count)).makespan == plain(count));
  }
  CHECK(sums.ns(all(0)) == Approx(4000 + 1500 + 300).margin(1));
}

TEST_CASE("without tables pieces fill their slots, an upper bound") {
  Tables gather;
  gather.source = 1 << 20;
  gather.slot = 5000;
  const sim::LaunchTiming unknown = gather.time({});
  CHECK(unknown.fullBuffersAssumed() == 4);
  CHECK(unknown.cores[2].fullBuffersAssumed == 1);
  CHECK(unknown.makespan == gather.time(all(5000)).makespan);
  CHECK(unknown.makespan > gather.time(all(4999)).makespan);
  // A smaller source bounds a piece as well.
  gather.source = 3000;
  CHECK(gather.time({}).makespan == gather.time(all(3000)).makespan);
}

TEST_CASE("the busiest of an exchange with tables sets the time") {
  Tables exchange;
  exchange.gathers = false;
  exchange.target = isa::trn3;
  exchange.ranks = 8;
  exchange.target.hbm_bytes_per_ns = 1e9;
  exchange.target.dma_skew_ns = 0;
  const double idle = exchange.ns(all(0, 8));
  const double engines = exchange.target.dma_engine_bytes_per_ns * 16;
  // To itself nothing passes a link; the engines move it once.
  Rows rows = all(0, 8);
  rows[1][1] = 50000;
  CHECK(exchange.ns(rows) - idle == Approx(200000 / engines).margin(2));
  // On its chip it passes the sender's engines before.
  rows = all(0, 8);
  rows[1][2] = 50000;
  CHECK(exchange.ns(rows) - idle == Approx(400000 / engines).margin(2));
  // To the other chip the link; two ranks of one chip share it.
  rows = all(0, 8);
  rows[1][6] = 50000;
  const double crossing = 200000 / exchange.target.link_bytes_per_ns;
  CHECK(exchange.ns(rows) - idle ==
        Approx(200000 / engines + crossing).margin(2));
  rows[2][7] = 50000;
  CHECK(exchange.ns(rows) - idle ==
        Approx(200000 / engines + 2 * crossing).margin(2));
  // What one receives is written by its engines alone.
  rows = all(0, 8);
  for (const unsigned from : {0u, 1u, 2u})
    rows[from][3] = 50000;
  CHECK(exchange.ns(rows) - idle == Approx(4 * 200000 / engines).margin(2));
  // Five other chips send to one, which has four links.
  exchange.ranks = 24;
  rows = all(0, 24);
  for (const unsigned from : {4u, 8u, 12u, 16u, 20u})
    rows[from][3] = 50000;
  CHECK(exchange.ns(rows) - idle ==
        Approx(5 * 200000 / engines + 5 * crossing / 4).margin(2));
}

TEST_CASE("counts that are missing are asked for") {
  Program program;
  const auto run = [&](std::size_t cores, std::vector<std::uint32_t> row) {
    program.tensor("x", DType::f32, isa::TensorKind::input, {64});
    program.tensor("y", DType::f32, isa::TensorKind::output, {64});
    program.tensor("m", DType::u32, isa::TensorKind::inout, {3, 1});
    program.then(Engine::gpsimd, isa::AllToAllV{{program.whole(0)},
                                                {program.whole(1)},
                                                listOf(1),
                                                program.whole(2),
                                                false,
                                                false,
                                                8,
                                                {}});
    sim::LaunchTimingOptions options;
    options.sentCounts.resize(cores);
    if (!row.empty())
      options.sentCounts[0][3] = {row};
    return sim::simulateLaunch({{&program.module, 1}, 1, {}, {}}, isa::trn2,
                               options);
  };
  CHECK(run(0, {}));
  program = {};
  CHECK(run(1, {7}));
  for (const std::vector<std::uint32_t> &row : {Rows::value_type{}, {7, 7}}) {
    program = {};
    const auto result = run(1, row);
    REQUIRE(!result);
    CHECK(result.error().code == "KILN-X203");
    CHECK(result.error().text.find("counts for 1 rank;") != std::string::npos);
  }
}

namespace {

using sim::timing::Link;

/// Runs flows to their ends; the ends by tag.
std::map<std::uint32_t, sim::Picoseconds> endsOf(sim::timing::Links &links) {
  std::map<std::uint32_t, sim::Picoseconds> ends;
  std::vector<std::uint32_t> ended;
  while (links.next() != sim::timing::never) {
    const sim::Picoseconds now = links.next();
    ended.clear();
    links.step(ended);
    for (const std::uint32_t tag : ended)
      ends[tag] = now;
  }
  return ends;
}

Link wire(unsigned number) { return {Link::Kind::chip, number, number, 0}; }
using Ends = std::map<std::uint32_t, sim::Picoseconds>;

} // namespace

TEST_CASE("flows on a link share it from when one joins until one leaves") {
  sim::timing::Links links;
  links.add(0, 0, {{wire(0), 1'000'000}});
  links.add(1, 500'000, {{wire(0), 1'000'000}});
  // The first has half left, which takes it twice as long; then the second
  // has half left, and the link for itself.
  CHECK(endsOf(links) == Ends{{0, 1'500'000}, {1, 2'000'000}});
  // A short one comes and goes: the long one is later by its length.
  links.add(2, 3'000'000, {{wire(0), 1'000'000}});
  links.add(3, 3'100'000, {{wire(0), 200'000}});
  CHECK(endsOf(links) == Ends{{3, 3'500'000}, {2, 4'200'000}});
  // One that joins at the very end of another shares nothing.
  links.add(4, 5'000'000, {{wire(0), 1'000'000}});
  links.add(5, 6'000'000, {{wire(0), 1'000'000}});
  CHECK(endsOf(links) == Ends{{4, 6'000'000}, {5, 7'000'000}});
}

TEST_CASE("a flow takes what others leave of a link") {
  sim::timing::Links links;
  // Three more keep flow 1 at a quarter on wire 1: flow 0 has the other three
  // quarters of wire 0.
  links.add(0, 0, {{wire(0), 900'000}});
  links.add(1, 0, {{wire(0), 1'000'000}, {wire(1), 1'000'000}});
  for (const std::uint32_t tag : {2u, 3u, 4u})
    links.add(tag, 0, {{wire(1), 1'000'000}});
  const Ends ends = endsOf(links);
  CHECK(ends.at(0) == 1'200'000);
  CHECK(ends.at(1) == 4'000'000);
  CHECK(ends.at(4) == 4'000'000);
  // A flow that needs a third of a link leaves the rest; one that needs more
  // than that slows both down, and the first one goes on when it is done.
  links.add(5, 5'000'000, {{wire(0), 300'000}, {wire(1), 900'000}});
  links.add(6, 5'000'000, {{wire(0), 600'000}, {wire(2), 900'000}});
  CHECK(endsOf(links) == Ends{{5, 5'900'000}, {6, 5'900'000}});
  links.add(7, 7'000'000, {{wire(0), 300'000}, {wire(1), 900'000}});
  links.add(8, 7'000'000, {{wire(0), 600'000}});
  CHECK(endsOf(links) == Ends{{8, 7'800'000}, {7, 8'100'000}});
}

} // namespace kiln::test::collectives_test
