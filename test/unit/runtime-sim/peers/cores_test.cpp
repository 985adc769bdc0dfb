//===- cores_test.cpp - Two cores of a rank -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

using namespace ranks;

namespace {

/// Core 0 fills the shared tensor and core 1 copies it out behind a barrier.
struct Handover {
  Program first, second;
  unsigned x = 0, y = 0;

  explicit Handover(bool firstMeets = true, bool secondMeets = true) {
    for (Program *program : {&first, &second}) {
      program->tensor("s", DType::f32, isa::TensorKind::shared, {4, 8});
      program->tensor("x", DType::f32, isa::TensorKind::input, {4, 8});
      program->tensor("y", DType::f32, isa::TensorKind::output, {4, 8});
    }
    const Access tile = sbuf(DType::f32, 4, 8, 0);
    first.load(tile, 1);
    first.store(0, tile);
    if (firstMeets)
      barrier(first);
    else
      first.then(Engine::vector, isa::Memset{tile, 0.0f});
    if (secondMeets)
      barrier(second);
    second.load(tile, 0);
    second.store(2, tile);
  }
  static void barrier(Program &program, unsigned tensor = 0) {
    program.then(Engine::gpsimd, isa::CoreBarrier{program.whole(tensor), {}});
  }
  sim::LaunchExecution run(unsigned ranks = 1, std::uint64_t seed = 0) const {
    const auto modules = pairOf(first, second);
    const sim::TensorData in = data("x", someFloats(32, 1, false));
    sim::Options options;
    options.interleaveSeed = seed;
    return go({modules, ranks, {&in, 1}, {}}, options);
  }
};

void expectFault(const sim::LaunchExecution &result, const std::string &code,
                 std::initializer_list<std::string> parts) {
  REQUIRE(result.fault);
  CAPTURE(result.fault->text);
  CHECK(result.fault->code == code);
  for (const std::string &part : parts) {
    CAPTURE(part);
    CHECK(result.fault->text.find(part) != std::string::npos);
  }
}

/// Swaps tiles of a type between the two cores.
Program swapping(DType dtype, unsigned partitions, unsigned columns,
                 unsigned core, unsigned other) {
  Program program;
  const std::string suffix = std::to_string(core);
  const std::vector<std::int64_t> shape{partitions, columns};
  const unsigned x =
      program.tensor("x" + suffix, dtype, isa::TensorKind::input, shape);
  const unsigned y =
      program.tensor("y" + suffix, dtype, isa::TensorKind::output, shape);
  const Access src = sbuf(dtype, partitions, columns, 0);
  const Access dst = sbuf(dtype, partitions, columns, 8192);
  program.load(src, x);
  program.then(Engine::gpsimd, isa::Sendrecv{src, dst, static_cast<int>(other),
                                             static_cast<int>(other), 3,
                                             isa::SendEngine::dma, 8});
  program.store(y, dst);
  return program;
}

} // namespace

TEST_CASE("a barrier publishes a tensor of the rank") {
  const Handover handover;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto result = handover.run(1 + seed % 3, seed);
    if (result.fault)
      FAIL(result.fault->text);
    for (const auto &rank : result.outputs)
      CHECK(values<float>(rank[0]) == someFloats(32, 1, false));
  }
}

TEST_CASE("without a barrier that is a race of both lines") {
  const Handover handover(false, false);
  const auto result = handover.run();
  expectFault(result, "KILN-X005",
              {"core 1 sync instruction 0", "core 0 sync instruction 1",
               "tensor s", "core_barrier"});
  REQUIRE(result.fault->instructions.size() == 2);
  CHECK(result.fault->instructions[0].core == 1);
  CHECK(result.fault->instructions[1].core == 0);
  CHECK(result.fault->instructions[0].location.line != 0);
  CHECK(!result.fault->instructions[1].instruction.empty());
  CHECK(!result.fault->instructions[0].rank);
}

TEST_CASE("a read before the other core has written names the writer") {
  // Seeds that let core 1 come first.
  bool seen = false;
  for (std::uint64_t seed = 1; seed < 40 && !seen; ++seed) {
    const auto result = Handover(false, false).run(2, seed);
    REQUIRE(result.fault);
    if (result.fault->code != "KILN-X003")
      continue;
    seen = true;
    expectFault(result, "KILN-X003",
                {"rank", "core 1", "tensor s", "core 0 sync instruction 1",
                 "writes it only later"});
    CHECK(result.fault->instructions.size() == 2);
  }
  CHECK(seen);
}

TEST_CASE("a core that never comes to the barrier is named") {
  expectFault(Handover(true, false).run(), "KILN-X005", {"tensor s"});
  expectFault(Handover(false, true).run(), "KILN-X006",
              {"core 1 gpsimd instruction 0", "waits for core 0",
               "which has no counterpart left"});
}

TEST_CASE("cores that take different paths are told at the barrier") {
  Handover handover;
  Handover::barrier(handover.first, 0);
  Handover::barrier(handover.second, 2);
  expectFault(
      handover.run(), "KILN-X015",
      {"the data of one is", "different paths", "gpsimd instruction 1"});
}

TEST_CASE("cores that wait for each other in a circle") {
  Program first, second;
  for (Program *program : {&first, &second})
    program->tensor("s", DType::f32, isa::TensorKind::shared, {4, 8});
  const Access tile = sbuf(DType::f32, 4, 8, 0);
  const auto swap = [&](Program &program, int other) {
    program.then(Engine::gpsimd,
                 isa::Sendrecv{tile, sbuf(DType::f32, 4, 8, 64), other, other,
                               0, isa::SendEngine::dma, 8});
  };
  first.then(Engine::vector, isa::Memset{tile, 1.0f});
  second.then(Engine::vector, isa::Memset{tile, 2.0f});
  swap(first, 1);
  Handover::barrier(first);
  Handover::barrier(second);
  swap(second, 0);
  const auto modules = pairOf(first, second);
  const auto result = go({modules, 1, {}, {}});
  expectFault(result, "KILN-X006",
              {"core 0 gpsimd instruction 1", "core 1 gpsimd instruction 0",
               "core 0 gpsimd instruction 0", "would signal"});
  CHECK(result.fault->instructions.size() == 2);
}

TEST_CASE("sendrecv swaps tiles, also with itself") {
  std::mt19937 random(7);
  for (const DType dtype : {DType::f32, DType::bf16, DType::u8})
    for (unsigned round = 0; round < 6; ++round) {
      const unsigned partitions = 1 + random() % 128;
      const unsigned columns = 1 + random() % 64;
      const bool alone = round == 5;
      const auto modules =
          pairOf(swapping(dtype, partitions, columns, 0, alone ? 0 : 1),
                 swapping(dtype, partitions, columns, 1, alone ? 1 : 0));
      const std::size_t n = std::size_t{partitions} * columns;
      const std::vector<sim::TensorData> inputs{
          {"x0", randomNumbers(dtype, n, random)},
          {"x1", randomNumbers(dtype, n, random)}};
      sim::Options options;
      options.interleaveSeed = round;
      const auto result = pass({modules, 1 + round % 3, inputs, {}}, options);
      for (const auto &rank : result.outputs) {
        REQUIRE(rank.size() == 2);
        CHECK(rank[0].name == "y0");
        CHECK(rank[0].bytes == inputs[alone ? 0 : 1].bytes);
        CHECK(rank[1].bytes == inputs[alone ? 1 : 0].bytes);
      }
    }
}

TEST_CASE("sendrecv of tiles that differ") {
  const auto modules = pairOf(swapping(DType::f32, 8, 16, 0, 1),
                              swapping(DType::f32, 8, 15, 1, 0));
  const std::vector<sim::TensorData> inputs{
      data("x0", someFloats(128, 1, false)),
      data("x1", someFloats(120, 1, false))};
  expectFault(go({modules, 1, inputs, {}}), "KILN-X015",
              {"src and dst of 8 x 16 f32 and of 8 x 15 f32",
               "core 0 gpsimd instruction 0"});
}

TEST_CASE("the modules of a launch go together") {
  const Handover handover;
  auto modules = pairOf(handover.first, handover.second);
  const sim::TensorData in = data("x", someFloats(32, 1, false));
  expectFault(go({{modules.data(), 1}, 1, {&in, 1}, {}}), "KILN-X017",
              {"core 0 of 2"});
  expectFault(go({modules, 65, {&in, 1}, {}}), "KILN-X017",
              {"65 ranks, expected 1 to 64"});
  expectFault(go({modules, 0, {&in, 1}, {}}), "KILN-X017", {"0 ranks"});
  modules[1].tensors[0].shape = {8, 4};
  CHECK(go({modules, 1, {&in, 1}, {}}).fault);
}
