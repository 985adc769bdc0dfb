//===- order_test.cpp - Order that other ranks hand on --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

using namespace ranks;

namespace {

/// Core 0 writes a tensor of the rank, core 1 reads it. What is between them:
/// collectives of core 0, a barrier on some ranks, collectives of core 1.
struct Relay {
  unsigned ranks = 2;
  std::vector<isa::RankLists> ofFirst, ofSecond;
  std::vector<std::int32_t> meets; ///< By rank: whether its cores do.
  bool knowsWrite = true; ///< The collectives of core 0 wait for the write.

  sim::LaunchExecution run(std::uint64_t seed = 0) const {
    const auto modules = pairOf(writer(), reader());
    const sim::TensorData x = data("x", someFloats(8, 1, false));
    std::vector<std::vector<sim::TensorData>> inputs;
    for (const std::int32_t flag : meets)
      inputs.push_back({x, data("f", std::vector<std::int32_t>{flag})});
    sim::Launch launch{modules, ranks, {}, {}};
    for (const auto &own : inputs)
      launch.inputsOfRank.push_back(own);
    sim::Options options;
    options.interleaveSeed = seed;
    return go(launch, options);
  }

private:
  enum Tensor : unsigned { shared, x, flag, y, sums };
  static Program tensors() {
    Program program;
    program.tensor("s", DType::f32, isa::TensorKind::shared, {8});
    program.tensor("x", DType::f32, isa::TensorKind::input, {8});
    program.tensor("f", DType::i32, isa::TensorKind::input, {1});
    program.tensor("y", DType::f32, isa::TensorKind::output, {8});
    program.tensor("sums", DType::f32, isa::TensorKind::internal, {8});
    program.add(Engine::gpsimd, isa::RegisterLoad{{0}, program.whole(flag)});
    return program;
  }
  static void barrier(Program &program) {
    program.add(Engine::gpsimd, isa::If{isa::Register{0}});
    program.add(Engine::gpsimd, isa::CoreBarrier{program.whole(shared), {}});
    program.add(Engine::gpsimd, isa::EndIf{});
  }
  /// One after the other; the last one gives semaphore 1.
  static void collectives(Program &program,
                          const std::vector<isa::RankLists> &all) {
    for (const isa::RankLists &lists : all) {
      program
          .add(Engine::gpsimd, isa::AllReduce{{program.whole(x)},
                                              {program.whole(sums)},
                                              lists,
                                              isa::AluOp::add,
                                              8,
                                              {}})
          .signals.push_back({1, 1});
      program.add(Engine::gpsimd, isa::Semaphore{}).waits.push_back({1, 1});
    }
  }
  Program writer() const {
    Program program = tensors();
    program
        .add(Engine::sync,
             isa::DmaCopy{program.whole(shared), program.whole(x), 0, {}})
        .signals.push_back({0, 1});
    const auto wait = [&] {
      program.add(Engine::gpsimd, isa::Semaphore{}).waits.push_back({0, 1});
    };
    if (knowsWrite)
      wait();
    collectives(program, ofFirst);
    if (!knowsWrite)
      wait();
    barrier(program);
    return program;
  }
  Program reader() const {
    Program program = tensors();
    barrier(program);
    collectives(program, ofSecond);
    program.add(Engine::gpsimd, isa::Semaphore{}).signals.push_back({2, 1});
    program
        .add(Engine::sync,
             isa::DmaCopy{program.whole(y), program.whole(shared), 0, {}})
        .waits.push_back({2, 1});
    return program;
  }
};

void expectOrder(const Relay &relay) {
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    CAPTURE(seed);
    const auto result = relay.run(seed);
    if (result.fault)
      FAIL(result.fault->text);
    for (const auto &rank : result.outputs)
      CHECK(values<float>(rank[0]) == someFloats(8, 1, false));
  }
}

/// Of a read by core 1 and a write by core 0 of one rank; a read that comes
/// first finds nothing written.
void expectRace(const Relay &relay) {
  bool raced = false;
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    CAPTURE(seed);
    const auto result = relay.run(seed);
    REQUIRE(result.fault);
    CAPTURE(result.fault->text);
    REQUIRE(result.fault->instructions.size() == 2);
    const sim::FaultParty &reader = result.fault->instructions[0];
    const sim::FaultParty &writer = result.fault->instructions[1];
    CHECK(reader.rank == writer.rank);
    CHECK(reader.core == 1);
    CHECK(writer.core == 0);
    CHECK(reader.engine == Engine::sync);
    CHECK(writer.engine == Engine::sync);
    if (result.fault->code != "KILN-X005") {
      CHECK(result.fault->code == "KILN-X003");
      continue;
    }
    raced = true;
    CHECK(result.fault->text.find("nothing in which the cores meet") !=
          std::string::npos);
  }
  CHECK(raced);
}

} // namespace

TEST_CASE("the cores of a rank are ordered by those of another one") {
  Relay relay{2, {{{0, 1}}}, {{{0, 1}}}, {0, 1}};
  expectOrder(relay);
  relay.meets = {1, 0};
  expectOrder(relay);
}

TEST_CASE("no order comes from others that miss a link") {
  SECTION("no barrier on any rank") {
    expectRace({2, {{{0, 1}}}, {{{0, 1}}}, {0, 0}});
  }
  SECTION("core 0 comes before its write has ended") {
    expectRace({2, {{{0, 1}}}, {{{0, 1}}}, {0, 1}, false});
  }
  SECTION("the rank with the barrier is in another list of core 0") {
    expectRace({2, {{{0}, {1}}}, {{{0, 1}}}, {0, 1}});
  }
  SECTION("and of core 1") {
    expectRace({2, {{{0, 1}}}, {{{0}, {1}}}, {0, 1}});
  }
}

TEST_CASE("ranks hand on what others told them") {
  // Rank 2, the only one whose cores meet, hears of rank 0 from rank 1; its
  // core 1 tells rank 3, which tells rank 0.
  Relay relay{4,
              {{{0, 1}, {2, 3}}, {{1, 2}, {3, 0}}},
              {{{2, 3}, {0, 1}}, {{3, 0}, {1, 2}}},
              {0, 0, 1, 0}};
  expectOrder(relay);
  SECTION("core 0 of rank 1 does not tell") {
    relay.ofFirst.pop_back();
    expectRace(relay);
  }
  SECTION("core 1 of rank 3 does not tell") {
    relay.ofSecond.pop_back();
    expectRace(relay);
  }
}

TEST_CASE("order through 64 ranks of two cores") {
  Relay relay{64, {}, {}, std::vector<std::int32_t>(64, 0)};
  relay.meets[63] = 1;
  // Doubling: everybody knows everybody after six steps.
  for (int distance = 1; distance < 64; distance *= 2) {
    isa::RankLists lists;
    for (int r = 0; r < 64; ++r)
      if ((r & distance) == 0)
        lists.push_back({r, r + distance});
    relay.ofFirst.push_back(lists);
  }
  relay.ofSecond = {everybody(64)};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto result = relay.run(seed);
    if (result.fault)
      FAIL(result.fault->text);
  }
  relay.ofFirst.pop_back();
  CHECK(relay.run().fault);
}

TEST_CASE("streams of one core are ordered by another rank, too") {
  // On rank 0 nothing waits for the first collective before the tile is
  // read, but rank 1 does before it comes to the second one.
  const auto make = [](bool waits) {
    Program program;
    program.tensor("x", DType::f32, isa::TensorKind::input, {8});
    program.tensor("a", DType::f32, isa::TensorKind::internal, {8});
    program.tensor("b", DType::f32, isa::TensorKind::internal, {8});
    program.tensor("f", DType::i32, isa::TensorKind::input, {2});
    program.tensor("y", DType::f32, isa::TensorKind::output, {8});
    const auto reduce = [&](unsigned into, isa::RankLists lists, int queue) {
      return isa::AllReduce{{program.whole(0)},
                            {program.whole(into)},
                            std::move(lists),
                            isa::AluOp::add,
                            queue,
                            {}};
    };
    const auto waitIf = [&](unsigned which) {
      Access flag = program.whole(3);
      flag.dims[0].size = 1;
      flag.offset = 4 * which;
      program.add(Engine::scalar, isa::RegisterLoad{{0}, flag});
      program.add(Engine::scalar, isa::If{isa::Register{0}});
      program.add(Engine::scalar, isa::Semaphore{}).waits.push_back({1, 1});
      program.add(Engine::scalar, isa::EndIf{});
    };
    const Access tile = sbuf(DType::f32, 1, 8, 0);
    program.add(Engine::vector, isa::Memset{tile, 3.0f})
        .signals.push_back({0, 1});
    isa::Instruction &first =
        program.add(Engine::gpsimd, reduce(1, {{0, 1}}, 8));
    first.waits.push_back({0, 1});
    first.signals.push_back({1, 1});
    if (waits)
      waitIf(0);
    program.add(Engine::scalar, reduce(2, {{1, 0}}, 9))
        .signals.push_back({2, 1});
    waitIf(1);
    if (!waits)
      waitIf(0);
    program.add(Engine::sync, isa::DmaCopy{program.whole(4), tile, 0, {}})
        .waits.push_back({2, 1});
    return program;
  };
  for (const bool waits : {true, false})
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      const Program program = make(waits);
      const sim::TensorData x = data("x", someFloats(8, 1, false));
      const std::vector<sim::TensorData> inputs[2] = {
          {x, data("f", std::vector<std::int32_t>{0, 1})},
          {x, data("f", std::vector<std::int32_t>{1, 0})}};
      sim::Options options;
      options.interleaveSeed = seed;
      const auto result =
          go({{&program.module, 1}, 2, {}, {inputs[0], inputs[1]}}, options);
      CAPTURE(waits, seed);
      if (!waits) {
        REQUIRE(result.fault);
        CHECK(result.fault->instructions.size() == 2);
        continue;
      }
      if (result.fault)
        FAIL(result.fault->text);
      for (const auto &rank : result.outputs)
        CHECK(values<float>(rank[0]) == std::vector<float>(8, 3.0f));
    }
}
