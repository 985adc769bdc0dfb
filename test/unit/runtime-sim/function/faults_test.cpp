//===- faults_test.cpp - Planted errors are found -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "catch.h"

using namespace bench;
using isa::AluOp;
using isa::TensorKind;

namespace {

constexpr unsigned P = 32, N = 64;

/// load -> copy on vector -> store, fully ordered; tests take pieces away.
struct Pipeline {
  Program program;
  std::vector<float> input = someFloats(P * N, 3, false);
  Access x = sbuf(DType::f32, P, N, 0), y = sbuf(DType::f32, P, N, 1024);

  Pipeline() {
    program.tensor("a", DType::f32, TensorKind::input, {P, N});
    program.tensor("c", DType::f32, TensorKind::output, {P, N});
    program.load(x, 0);
    program.then(Engine::vector, isa::TensorCopy{y, x});
    program.store(1, y);
  }
  isa::Instruction &at(Engine engine, std::size_t index) {
    return program.module.streams[static_cast<std::size_t>(engine)][index];
  }
  sim::Result go(std::uint64_t seed = 0) {
    return run(program, {data("a", input)}, seed);
  }
};

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("an ordered pipeline runs under every order") {
  Pipeline pipeline;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const sim::Result result = pipeline.go(seed);
    REQUIRE(!result.fault);
    CHECK(values<float>(result.outputs.at(0)) == pipeline.input);
  }
}

TEST_CASE("a missing wait is a race with both parties named") {
  Pipeline pipeline;
  // The copy no longer waits for the load; a semaphore keeps the balance.
  pipeline.at(Engine::vector, 0).waits.clear();
  pipeline.at(Engine::sync, 0).signals.clear();
  const sim::Result result = pipeline.go();
  if (!result.fault) // The copy ran first: then it read nothing at all.
    FAIL("no fault");
  CHECK(
      (result.fault->code == "KILN-X005" || result.fault->code == "KILN-X003"));

  // The store does not wait for the copy of an older value.
  Program program;
  program.tensor("a", DType::f32, TensorKind::input, {P, N});
  program.tensor("c", DType::f32, TensorKind::output, {P, N});
  const Access x = sbuf(DType::f32, P, N, 0);
  program.load(x, 0);
  program.then(Engine::vector,
               isa::TensorCopy{sbuf(DType::f32, P, N, 1024), x});
  // Overwrites x without waiting for the copy's read.
  program.add(Engine::sync, isa::DmaCopy{x, program.whole(0), 1, {}});
  program.store(1, x);
  const sim::Result race = run(program, {data("a", pipeline.input)});
  REQUIRE(race.fault);
  CHECK(race.fault->kind == sim::FaultKind::race);
  CHECK(race.fault->code == "KILN-X005");
  REQUIRE(race.fault->instructions.size() == 2);
  for (const sim::FaultParty &party : race.fault->instructions) {
    CHECK(party.location.file == "kernel.cpp");
    CHECK(!party.instruction.empty());
  }
}

TEST_CASE("a DMA is not ordered after its own engine's earlier work") {
  Program program;
  program.tensor("c", DType::f32, TensorKind::output, {P, N});
  const Access x = sbuf(DType::f32, P, N, 0);
  program.add(Engine::vector, isa::Memset{x, 1.0f}).signals = {{0, 1}};
  isa::Instruction &store =
      program.add(Engine::vector, isa::DmaCopy{program.whole(0), x, 0, {}});
  SECTION("without a semaphore it races") {
    program.module.streams[1][0].signals.clear();
    const sim::Result result = run(program, {});
    REQUIRE(result.fault);
    CHECK(result.fault->code == "KILN-X005");
  }
  SECTION("with one it is ordered") {
    store.waits = {{0, 1}};
    CHECK(!run(program, {}).fault);
  }
}

TEST_CASE("neighbouring strided columns do not race") {
  Program program;
  program.tensor("c", DType::f32, TensorKind::output, {P, N});
  const auto column = [](std::int64_t at) {
    return place(Space::sbuf, DType::f32, 0, P, at, {{2, N / 2}});
  };
  program.add(Engine::vector, isa::Memset{column(0), 1.0f}).signals = {{0, 1}};
  program.add(Engine::gpsimd, isa::Memset{column(4), 2.0f}).signals = {{1, 1}};
  program
      .add(Engine::sync,
           isa::DmaCopy{program.whole(0), sbuf(DType::f32, P, N, 0), 0, {}})
      .waits = {{0, 1}, {1, 1}};
  const sim::Result good = run(program, {});
  REQUIRE(!good.fault);
  const auto got = values<float>(good.outputs.at(0));
  CHECK((got[0] == 1.0f && got[1] == 2.0f && got[N - 1] == 2.0f));

  // One byte column further they meet.
  std::get<isa::Memset>(program.module.streams[3][0].body).dst = column(0);
  const sim::Result bad = run(program, {});
  REQUIRE(bad.fault);
  CHECK(bad.fault->code == "KILN-X005");
}

TEST_CASE("uninitialised bytes are found to the byte") {
  Pipeline pipeline;
  std::get<isa::TensorCopy>(pipeline.at(Engine::vector, 0).body).src =
      sbuf(DType::f32, P, N, 4);
  const sim::Result result = pipeline.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X003");
  CHECK(has(result.fault->text, "byte 256"));
}

TEST_CASE("an output that is not written whole is refused") {
  Pipeline pipeline;
  auto &store = std::get<isa::DmaCopy>(pipeline.at(Engine::sync, 1).body);
  store.dst = hbm(1, DType::f32, {{1, P * N / 2}});
  store.src = sbuf(DType::f32, P / 2, N, 1024);
  const sim::Result result = pipeline.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X012");
}

TEST_CASE("register addresses are checked when they are used") {
  for (const std::int32_t value : {1 << 18, -1000}) {
    Pipeline pipeline;
    auto &stream = pipeline.program.module.streams[1];
    isa::Instruction move;
    move.body = isa::RegisterMove{isa::Register{3}, {value}};
    auto &dst = std::get<isa::TensorCopy>(stream[0].body).dst;
    dst.numTerms = 1;
    dst.terms[0] = {isa::Register{3}, 4};
    stream.insert(stream.begin(), move);
    const sim::Result result = pipeline.go();
    REQUIRE(result.fault);
    CHECK(result.fault->code == "KILN-X004");
    stream.erase(stream.begin());
    const sim::Result undefined = pipeline.go();
    REQUIRE(undefined.fault);
    CHECK(undefined.fault->code == "KILN-X010");
  }
}

TEST_CASE("a deadlock shows the cycle") {
  Pipeline pipeline;
  pipeline.program.add(Engine::vector, isa::Semaphore{}).waits = {{200, 1}};
  pipeline.at(Engine::vector, 1).signals = {{201, 1}};
  pipeline.program.add(Engine::scalar, isa::Semaphore{}).waits = {{201, 1}};
  pipeline.at(Engine::scalar, 0).signals = {{200, 1}};
  for (const std::uint64_t seed : {0, 1, 3}) {
    const sim::Result result = pipeline.go(seed);
    REQUIRE(result.fault);
    CHECK(result.fault->kind == sim::FaultKind::deadlock);
    CHECK(result.fault->code == "KILN-X006");
    CHECK(result.fault->instructions.size() == 2);
    CHECK(has(result.fault->text, "semaphore 200"));
    CHECK(has(result.fault->text, "semaphore 201"));
  }
}

TEST_CASE("a wait that nobody answers is a deadlock too") {
  Pipeline pipeline;
  pipeline.at(Engine::sync, 1).waits.push_back({9, 2});
  const sim::Result result = pipeline.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X006");
  CHECK(has(result.fault->text, "no remaining instruction signals"));
}

TEST_CASE("semaphores must balance and not overflow") {
  Pipeline left;
  left.at(Engine::sync, 1).signals.push_back({7, 3});
  sim::Result result = left.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X007");

  Pipeline over;
  over.at(Engine::sync, 0).signals.push_back({7, 65535});
  over.at(Engine::vector, 0).signals.push_back({7, 1});
  result = over.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X008");
}

TEST_CASE("the watchdog stops long runs") {
  Pipeline pipeline;
  sim::Options options;
  options.maxSteps = 2;
  const sim::Result result = sim::run(pipeline.program.module, isa::trn2,
                                      {data("a", pipeline.input)}, options);
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X009");
}

TEST_CASE("the watchdog stops a loop in which nothing happens") {
  // 200 turns, an instruction and an end_loop each.
  const auto turns = [](const isa::Body &body, std::uint64_t limit) {
    Program program;
    auto &stream =
        program.module.streams[static_cast<std::size_t>(Engine::vector)];
    for (const isa::Body &each : {isa::Body(isa::LoopBegin{{0}, {0}, {200}, 1}),
                                  body, isa::Body(isa::LoopEnd{})}) {
      isa::Instruction instruction;
      instruction.body = each;
      stream.push_back(instruction);
    }
    sim::Options options;
    options.maxIdleSteps = limit;
    return sim::run(program.module, isa::trn2, {}, options);
  };
  const isa::Body idle = isa::RegisterMove{{1}, {1}};
  const sim::Result stopped = turns(idle, 100);
  REQUIRE(stopped.fault);
  CHECK(stopped.fault->code == "KILN-X009");
  CHECK(stopped.fault->text.find("101th register or loop") !=
        std::string::npos);
  CHECK(!turns(idle, 1000).fault);
  CHECK(!turns(isa::Memset{sbuf(DType::f32, 1, 1, 0), 0.0f}, 100).fault);
}

TEST_CASE("arguments and limits") {
  Pipeline pipeline;
  sim::Result result = run(pipeline.program, {});
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X002");
  result = run(pipeline.program, {data("a", std::vector<float>{1})});
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X002");

  sim::Options options;
  options.maxHbmBytes = 1000;
  result = sim::run(pipeline.program.module, isa::trn2,
                    {data("a", pipeline.input)}, options);
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X011");

  result = sim::run(pipeline.program.module, isa::trn3,
                    {data("a", pipeline.input)}, {});
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X001");

  std::get<isa::DmaCopy>(pipeline.at(Engine::sync, 1).body).dst =
      pipeline.program.whole(0);
  result = pipeline.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X001");
}

TEST_CASE("an accumulator must be reset before it is used") {
  Pipeline pipeline;
  isa::Activation op;
  op.dst = op.data = pipeline.y;
  op.op = isa::ActivationFunction::copy;
  op.reduce_op = AluOp::add;
  op.reduce_cmd = isa::ReduceCommand::reduce;
  pipeline.program.then(Engine::scalar, op);
  const sim::Result result = pipeline.go();
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X010");
}
