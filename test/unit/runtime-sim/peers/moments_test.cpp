//===- moments_test.cpp - When a collective reads and writes --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planted faults: something else touches the operands of a collective between
// its issue and its end. Whatever the order of the run, both are named; with
// one more wait there is no fault.
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <functional>
#include <set>

using namespace ranks;

namespace {

enum Tensor : unsigned { x, s, d, table, both };

/// Two ranks of two cores, each core with a program.
struct Plot {
  Program core[2];
  /// Semaphore 0 of a core is given by what comes first.
  static constexpr unsigned started = 0, ended = 1;

  Plot() {
    for (Program &program : core) {
      program.tensor("x", DType::f32, isa::TensorKind::input, {8});
      program.tensor("s", DType::f32, isa::TensorKind::inout, {8});
      program.tensor("d", DType::f32, isa::TensorKind::inout, {8});
      program.tensor("m", DType::u32, isa::TensorKind::inout, {3, 2});
      program.tensor("b", DType::f32, isa::TensorKind::shared, {8});
      program.module.generation = isa::Generation::v3;
    }
  }

  static isa::Access whole(unsigned tensor) {
    return hbm(tensor, DType::f32, {{1, 8}});
  }
  static isa::Access tile(std::int64_t offset = 0) {
    return bench::sbuf(DType::f32, 1, 8, offset);
  }
  static isa::Body copy(const Access &to, const Access &from) {
    return isa::DmaCopy{to, from, 0, {}};
  }
  static isa::Body reduce(const Access &from, const Access &to, int queue = 8,
                          isa::RankLists lists = {{0, 1}}) {
    return isa::AllReduce{{from},          {to},  std::move(lists),
                          isa::AluOp::add, queue, {}};
  }
  /// Waits for some tokens of a semaphore, gives others.
  static isa::Instruction &add(Program &program, Engine engine, isa::Body body,
                               std::vector<unsigned> waits = {},
                               std::vector<unsigned> signals = {}) {
    isa::Instruction &made = program.add(engine, std::move(body));
    for (const unsigned semaphore : waits)
      made.waits.push_back({static_cast<std::uint16_t>(semaphore), 1});
    for (const unsigned semaphore : signals)
      made.signals.push_back({static_cast<std::uint16_t>(semaphore), 1});
    return made;
  }

  sim::LaunchExecution run(std::uint64_t seed, bool checks) const {
    const auto modules = pairOf(core[0], core[1]);
    const std::vector<sim::TensorData> inputs{
        data("x", std::vector<float>(8, 1)),
        data("s", std::vector<float>(8, 2)),
        data("d", std::vector<float>(8, 3)),
        // Each rank sends 4 elements to each.
        data("m", std::vector<std::uint32_t>{4, 4, 0, 4, 0, 0})};
    sim::Options options;
    options.interleaveSeed = seed;
    options.checks = checks;
    return go({modules, 2, inputs, {}}, options);
  }
};

/// Where the two parties of a fault are: core, stream, index.
using Place = std::tuple<unsigned, Engine, unsigned>;
using Places = std::set<Place>;

/// `plant(ordered)` makes the program with or without its fault.
void expectNamed(const std::function<Plot(bool ordered)> &plant,
                 const Places &places) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const auto good = plant(true).run(seed, true);
    if (good.fault)
      FAIL(good.fault->text);
    const auto bad = plant(false).run(seed, true);
    REQUIRE(bad.fault);
    CAPTURE(bad.fault->text);
    CHECK(bad.fault->code == "KILN-X005");
    Places found;
    for (const sim::FaultParty &party : bad.fault->instructions)
      found.insert({party.core.value_or(0), party.engine, party.index});
    CHECK(found == places);
  }
}

/// Outputs of rank `rank` over all orders, unchecked.
std::set<std::vector<float>> outcomes(const Plot &plot, unsigned rank,
                                      std::string_view tensor) {
  std::set<std::vector<float>> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto result = plot.run(seed, false);
    if (result.fault)
      FAIL(result.fault->text);
    for (const sim::TensorData &output : result.outputs[rank])
      if (output.name == tensor)
        seen.insert(values<float>(output));
  }
  return seen;
}

const std::vector<unsigned> no;
std::vector<unsigned> waitIf(bool ordered, unsigned semaphore) {
  return ordered ? std::vector<unsigned>{semaphore} : no;
}
/// Takes the token that nobody waits for.
void finish(Program &program, bool ordered, Engine engine,
            unsigned semaphore = Plot::ended) {
  if (!ordered)
    Plot::add(program, engine, isa::Semaphore{}, {semaphore});
}

constexpr auto G = Engine::gpsimd, Y = Engine::sync, S = Engine::scalar,
               V = Engine::vector;

/// A transfer writes the source.
Plot sourceInHbm(bool ordered) {
  Plot plot;
  Program &p = plot.core[0];
  Plot::add(p, G, Plot::reduce(Plot::whole(s), Plot::whole(d)), no,
            {Plot::ended});
  Plot::add(p, Y, Plot::copy(Plot::whole(s), Plot::whole(x)),
            waitIf(ordered, Plot::ended));
  finish(p, ordered, Y);
  return plot;
}

/// The engine that issued the collective goes on and writes its source.
Plot sourceOnChip(bool ordered) {
  Plot plot;
  Program &p = plot.core[0];
  Plot::add(p, V, isa::Memset{Plot::tile(), 1.0f}, no, {Plot::started});
  Plot::add(p, G, Plot::reduce(Plot::tile(), Plot::tile(64)), {Plot::started},
            {Plot::ended});
  Plot::add(p, G, isa::Memset{Plot::tile(), 5.0f},
            waitIf(ordered, Plot::ended));
  finish(p, ordered, G);
  Plot::add(p, G, isa::Semaphore{}, no, {2});
  Plot::add(p, Y, Plot::copy(Plot::whole(d), Plot::tile(64)), {2});
  return plot;
}

/// A transfer reads the destination.
Plot destination(bool ordered) {
  Plot plot;
  Program &p = plot.core[0];
  Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(d)), no,
            {Plot::ended});
  Plot::add(p, Y, Plot::copy(Plot::whole(s), Plot::whole(d)),
            waitIf(ordered, Plot::ended));
  finish(p, ordered, Y);
  return plot;
}

} // namespace

TEST_CASE("a source is written before the collective has ended") {
  expectNamed(sourceInHbm, {{0, G, 0}, {0, Y, 0}});
  expectNamed(sourceOnChip, {{0, G, 0}, {0, G, 1}});
}

TEST_CASE("a destination is read before the collective has ended") {
  expectNamed(destination, {{0, G, 0}, {0, Y, 0}});
}

TEST_CASE("two collectives in flight") {
  SECTION("write one destination") {
    for (const int queue : {8, 9})
      expectNamed(
          [&](bool ordered) {
            Plot plot;
            Program &p = plot.core[0];
            Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(d), 8), no,
                      {Plot::ended});
            Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(d), queue),
                      waitIf(ordered, Plot::ended));
            finish(p, ordered, G);
            return plot;
          },
          {{0, G, 0}, {0, G, 1}});
  }
  SECTION("one reads what the other one writes") {
    expectNamed(
        [](bool ordered) {
          Plot plot;
          Program &p = plot.core[0];
          Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(d), 8), no,
                    {Plot::ended});
          Plot::add(p, S,
                    Plot::reduce(Plot::whole(d), Plot::whole(s), 9, {{1, 0}}),
                    waitIf(ordered, Plot::ended));
          finish(p, ordered, S);
          return plot;
        },
        {{0, G, 0}, {0, S, 0}});
  }
  SECTION("on one list, from two streams") {
    // Their operands have nothing in common, but whom do they meet?
    expectNamed(
        [](bool ordered) {
          Plot plot;
          Program &p = plot.core[0];
          Plot::add(p, S, Plot::reduce(Plot::whole(x), Plot::whole(d), 8), no,
                    {Plot::ended});
          Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(s), 9),
                    waitIf(ordered, Plot::ended));
          finish(p, ordered, G);
          return plot;
        },
        {{0, S, 0}, {0, G, 0}});
  }
}

TEST_CASE("the cores of a rank and one buffer") {
  SECTION("both collectives write it") {
    expectNamed(
        [](bool ordered) {
          Plot plot;
          for (unsigned c = 0; c < 2; ++c) {
            Program &p = plot.core[c];
            if (c == 1 && ordered)
              Plot::add(p, G, isa::CoreBarrier{Plot::whole(both), {}});
            Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(both)), no,
                      {Plot::ended});
            Plot::add(p, G, isa::Semaphore{}, {Plot::ended});
            if (c == 0 && ordered)
              Plot::add(p, G, isa::CoreBarrier{Plot::whole(both), {}});
          }
          return plot;
        },
        {{0, G, 0}, {1, G, 0}});
  }
  SECTION("core 1 writes the source of core 0") {
    expectNamed(
        [](bool ordered) {
          Plot plot;
          Program &p = plot.core[0], &q = plot.core[1];
          Plot::add(p, G, Plot::reduce(Plot::whole(s), Plot::whole(d)), no,
                    {Plot::ended});
          if (ordered)
            Plot::add(p, G, isa::CoreBarrier{Plot::whole(s), {}},
                      {Plot::ended});
          finish(p, ordered, G);
          if (ordered)
            Plot::add(q, G, isa::CoreBarrier{Plot::whole(s), {}}, no,
                      {Plot::started});
          Plot::add(q, Y, Plot::copy(Plot::whole(s), Plot::whole(x)),
                    waitIf(ordered, Plot::started));
          return plot;
        },
        {{0, G, 0}, {1, Y, 0}});
  }
  SECTION("a tile is written while it is sent to the other core") {
    expectNamed(
        [](bool ordered) {
          Plot plot;
          for (int c = 0; c < 2; ++c) {
            Program &p = plot.core[c];
            Plot::add(p, V, isa::Memset{Plot::tile(), 1.0f}, no,
                      {Plot::started});
            Plot::add(p, G,
                      isa::Sendrecv{Plot::tile(), Plot::tile(64), 1 - c, 1 - c,
                                    0, isa::SendEngine::dma, 8},
                      {Plot::started}, {Plot::ended});
            const bool waits = ordered || c == 0;
            Plot::add(p, V, isa::Memset{Plot::tile(), 2.0f},
                      waitIf(waits, Plot::ended));
            finish(p, waits, V);
          }
          return plot;
        },
        {{1, G, 0}, {1, V, 1}});
  }
}

TEST_CASE("the counts of a collective are written while it is under way") {
  Access counts = hbm(table, DType::u32, {{2, 3}, {1, 2}});
  expectNamed(
      [&](bool ordered) {
        Plot plot;
        Program &p = plot.core[0];
        Plot::add(p, G,
                  isa::AllToAllV{{Plot::whole(x)},
                                 {Plot::whole(d)},
                                 {{0, 1}},
                                 counts,
                                 true,
                                 false,
                                 8,
                                 {}},
                  no, {Plot::ended});
        Plot::add(p, Y,
                  Plot::copy(hbm(table, DType::u32, {{1, 1}}),
                             hbm(table, DType::u32, {{1, 1}}, 12)),
                  waitIf(ordered, Plot::ended));
        finish(p, ordered, Y);
        return plot;
      },
      {{0, G, 0}, {0, Y, 0}});
}

TEST_CASE("what a rank does not send or receive is free") {
  // Rank 0 sends to rank 1: neither destination of rank 0 nor source of rank
  // 1 takes part, but the program is the same for both.
  for (const bool writesSource : {false, true}) {
    const auto make = [&](isa::RankLists pairs) {
      Plot plot;
      Program &p = plot.core[0];
      Plot::add(p, G,
                isa::CollectivePermute{
                    {Plot::whole(s)}, {Plot::whole(d)}, pairs, 8, {}});
      if (writesSource)
        Plot::add(p, Y, Plot::copy(Plot::whole(s), Plot::whole(x)));
      else
        Plot::add(p, Y, Plot::copy(Plot::tile(), Plot::whole(d)));
      return plot;
    };
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      CAPTURE(writesSource, seed);
      const auto bad = make({{0, 1}}).run(seed, true);
      REQUIRE(bad.fault);
      CHECK(bad.fault->code == "KILN-X005");
      REQUIRE(bad.fault->instructions.size() == 2);
      for (const sim::FaultParty &party : bad.fault->instructions)
        CHECK(party.rank == (writesSource ? 0u : 1u));
    }
  }
}

TEST_CASE("seeds move the moments of reading and of writing") {
  // Sums of the old and the new values of the source, of either rank.
  const auto sums = outcomes(sourceInHbm(false), 0, "d");
  CHECK(sums == std::set<std::vector<float>>{std::vector<float>(8, 2),
                                             std::vector<float>(8, 3),
                                             std::vector<float>(8, 4)});
  // Before or after the destination is written, on each rank.
  for (unsigned rank = 0; rank < 2; ++rank)
    CHECK(outcomes(destination(false), rank, "s") ==
          std::set<std::vector<float>>{std::vector<float>(8, 2),
                                       std::vector<float>(8, 3)});
  // Ordered, there is one outcome.
  CHECK(outcomes(sourceInHbm(true), 0, "d").size() == 1);
  CHECK(outcomes(destination(true), 1, "s").size() == 1);
}

TEST_CASE("members write at moments of their own") {
  // Rank 0 waits for its destination; that of rank 1 may still be old then,
  // which it tells rank 0 by another collective.
  Plot plot;
  Program &p = plot.core[0];
  Plot::add(p, G, Plot::reduce(Plot::whole(x), Plot::whole(d)), no,
            {Plot::ended});
  Plot::add(p, S, isa::RankId{{0}});
  Plot::add(p, S, isa::If{isa::Register{0}});
  Plot::add(p, S, isa::Else{});
  Plot::add(p, S, isa::Semaphore{}, {Plot::ended});
  Plot::add(p, S, isa::EndIf{});
  Plot::add(p, S,
            isa::AllGather{{hbm(d, DType::f32, {{1, 4}})},
                           {Plot::whole(s)},
                           {{1, 0}},
                           0,
                           9,
                           {}});
  Plot::add(p, S, isa::If{isa::Register{0}});
  Plot::add(p, S, isa::Semaphore{}, {Plot::ended});
  Plot::add(p, S, isa::EndIf{});
  const auto seen = outcomes(plot, 0, "s");
  CHECK(seen == std::set<std::vector<float>>{{3, 3, 3, 3, 2, 2, 2, 2},
                                             {2, 2, 2, 2, 2, 2, 2, 2}});
}
