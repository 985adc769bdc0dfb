//===- threads_test.cpp - Ranks on several threads of the host ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

using namespace ranks;

namespace {

constexpr unsigned lanes = 128, cols = 96;

/// In turns: y = x * x on the Vector engine, and x = the sum of all y. Between
/// two collectives each rank works alone. `from` says where x begins.
Program workAndMeet(unsigned ranks, unsigned turns) {
  Program program;
  program.tensor("from", DType::i32, isa::TensorKind::input, {1});
  program.tensor("in", DType::f32, isa::TensorKind::input, {lanes + 1, cols});
  program.tensor("sum", DType::f32, isa::TensorKind::internal, {lanes, cols});
  program.tensor("own", DType::f32, isa::TensorKind::internal, {lanes, cols});
  program.tensor("y", DType::f32, isa::TensorKind::output, {lanes, cols});
  const Access tile = sbuf(DType::f32, lanes, cols, 0);
  Access from = program.whole(1);
  from.dims[0].size = lanes * cols;
  from.numTerms = 1;
  from.terms[0] = {{0}, cols * 4};
  program.add(Engine::sync, isa::RegisterLoad{{0}, program.whole(0)});
  program.add(Engine::sync, isa::DmaCopy{tile, from, 0, {}})
      .signals.push_back({0, 1});
  for (unsigned turn = 0; turn < turns; ++turn) {
    isa::Instruction &square =
        program.add(Engine::vector,
                    isa::TensorTensor{tile, tile, tile, isa::AluOp::multiply});
    square.waits.push_back({0, 1});
    square.signals.push_back({1, 1});
    isa::Instruction &store =
        program.add(Engine::sync, isa::DmaCopy{program.whole(3), tile, 0, {}});
    store.waits.push_back({1, 1});
    store.signals.push_back({2, 1});
    isa::Instruction &meet =
        program.add(Engine::gpsimd, isa::AllReduce{{program.whole(3)},
                                                   {program.whole(2)},
                                                   everybody(ranks),
                                                   isa::AluOp::maximum,
                                                   8,
                                                   {}});
    meet.waits.push_back({2, 1});
    meet.signals.push_back({3, 1});
    isa::Instruction &load =
        program.add(Engine::sync, isa::DmaCopy{tile, program.whole(2), 0, {}});
    load.waits.push_back({3, 1});
    load.signals.push_back({0, 1});
  }
  program.add(Engine::sync, isa::DmaCopy{program.whole(4), tile, 0, {}})
      .waits.push_back({0, 1});
  return program;
}

/// `places`: where each rank's x begins.
sim::LaunchExecution run(const Program &program,
                         const std::vector<std::int32_t> &places,
                         unsigned threads) {
  std::vector<std::vector<sim::TensorData>> inputs;
  std::mt19937 random(7);
  for (const std::int32_t place : places)
    inputs.push_back(
        {data("from", std::vector<std::int32_t>{place}),
         {"in", randomNumbers(DType::f32, (lanes + 1) * cols, random)}});
  sim::Launch launch{
      {&program.module, 1}, static_cast<unsigned>(places.size()), {}, {}};
  for (const auto &own : inputs)
    launch.inputsOfRank.push_back(own);
  sim::Options options;
  options.threads = threads;
  return go(launch, options);
}

} // namespace

TEST_CASE("ranks on any number of threads make the same bits") {
  const unsigned ranks = 9;
  const Program program = workAndMeet(ranks, 5);
  const std::vector<std::int32_t> places(ranks, 1);
  const auto alone = run(program, places, 1);
  if (alone.fault)
    FAIL(alone.fault->text);
  REQUIRE(alone.outputs.size() == ranks);
  for (unsigned r = 1; r < ranks; ++r)
    CHECK(alone.outputs[r][0].bytes == alone.outputs[0][0].bytes);
  for (const unsigned threads : {2u, 3u, 8u}) {
    CAPTURE(threads);
    const auto several = run(program, places, threads);
    REQUIRE(!several.fault);
    CHECK(several.order == alone.order);
    CHECK(several.steps == alone.steps);
    for (unsigned r = 0; r < ranks; ++r)
      CHECK(several.outputs[r][0].bytes == alone.outputs[r][0].bytes);
  }
}

TEST_CASE("of several ranks that fail, the first one is named") {
  const Program program = workAndMeet(9, 2);
  std::vector<std::int32_t> places(9, 0);
  places[4] = places[5] = places[8] = 2; // Beyond the tensor.
  for (const unsigned threads : {1u, 2u, 8u})
    for (int again = 0; again < 8; ++again) {
      CAPTURE(threads);
      const auto result = run(program, places, threads);
      REQUIRE(result.fault);
      CHECK(result.fault->code == "KILN-X004");
      REQUIRE(!result.fault->instructions.empty());
      CHECK(result.fault->instructions[0].rank == 4);
    }
}

TEST_CASE("ranks may see parts of the same bytes") {
  const unsigned ranks = 4;
  const Program program = workAndMeet(ranks, 1);
  std::mt19937 random(11);
  constexpr std::size_t size = (lanes + 1) * cols * 4, step = 64;
  const auto all = randomNumbers(DType::f32, (size + ranks * step) / 4, random);
  const auto from = data("from", std::vector<std::int32_t>{0});
  const auto launch = [&](bool together) {
    std::vector<std::vector<sim::TensorData>> own(ranks);
    std::vector<std::vector<sim::TensorView>> views(ranks);
    for (unsigned r = 0; r < ranks; ++r) {
      const auto part = std::span(all).subspan(r * step, size);
      if (together) {
        views[r].push_back({"in", part});
        // What a view names is not looked for elsewhere.
        own[r].push_back({"in", {1, 2, 3}});
      } else {
        own[r].push_back({"in", {part.begin(), part.end()}});
      }
    }
    sim::Launch made{{&program.module, 1}, ranks, {&from, 1}, {}};
    for (unsigned r = 0; r < ranks; ++r) {
      made.inputsOfRank.push_back(own[r]);
      made.viewsOfRank.push_back(views[r]);
    }
    return pass(made);
  };
  const auto views = launch(true), copies = launch(false);
  for (unsigned r = 0; r < ranks; ++r)
    CHECK(views.outputs[r][0].bytes == copies.outputs[r][0].bytes);
}

TEST_CASE("on-chip memory stays while a loop comes back to it") {
  // The stream waits behind the last instruction that reads the tile, in a loop
  // that runs it again.
  Program program;
  program.tensor("own", DType::f32, isa::TensorKind::internal, {lanes, cols});
  program.tensor("y", DType::f32, isa::TensorKind::output, {lanes, cols});
  const Access tile = sbuf(DType::f32, lanes, cols, 0);
  program.add(Engine::vector, isa::Memset{tile, 2.5f})
      .signals.push_back({0, 1});
  for (const Engine engine : {Engine::sync, Engine::gpsimd}) {
    if (engine == Engine::sync)
      program.add(engine, isa::Semaphore{}).waits.push_back({0, 1});
    program.add(engine, isa::LoopBegin{{0}, {0}, {3}, 1});
    if (engine == Engine::sync) {
      program.add(engine, isa::DmaCopy{program.whole(0), tile, 0, {}})
          .signals.push_back({1, 1});
      program.add(engine, isa::Semaphore{}).waits.push_back({2, 1});
    } else {
      isa::Instruction &meet =
          program.add(engine, isa::AllReduce{{program.whole(0)},
                                             {program.whole(1)},
                                             everybody(4),
                                             isa::AluOp::add,
                                             8,
                                             {}});
      meet.waits.push_back({1, 1});
      meet.signals.push_back({2, 1});
    }
    program.add(engine, isa::LoopEnd{});
  }
  const auto result = pass({{&program.module, 1}, 4, {}, {}});
  for (const auto &rank : result.outputs)
    CHECK(values<float>(rank[0]) ==
          std::vector<float>(std::size_t{lanes} * cols, 10.0f));
}
