//===- engines_test.cpp - Streams, ports, tokens, warm-up ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

namespace kiln::test::engines_test {

using namespace kiln::sim::test;

namespace {

Picoseconds stalled(const Timing &timing, Engine engine, StallReason reason) {
  return timing.engines[static_cast<std::size_t>(engine)]
      .stalls[static_cast<std::size_t>(reason)];
}

const isa::Access small = sbuf(DType::f32, 128, 1);

} // namespace

TEST_CASE("an empty module takes no time") {
  const Timing timing = ModuleBuilder().time();
  REQUIRE(timing.makespan == 0);
  REQUIRE(timing.boundBy == "none");
  REQUIRE(timing.instructions() == 0);
}

TEST_CASE("a hand-off between engines costs 30 ns and is booked by producer") {
  ModuleBuilder builder;
  builder
      .add(Engine::vector,
           tensorCopy(sbuf(DType::f32, 128, 512), psum(DType::f32, 128, 512)),
           {}, {{3, 1}})
      .add(Engine::scalar,
           activation(isa::ActivationFunction::copy, small, small), {{3, 1}});
  TimingOptions options;
  options.trace = true;
  const Timing timing = builder.time(options);
  REQUIRE(timing.events.size() == 2);
  REQUIRE(timing.events[1].start == timing.events[0].visible + 30000);
  REQUIRE(stalled(timing, Engine::scalar, StallReason::waitVector) ==
          timing.events[0].visible);
  REQUIRE(stalled(timing, Engine::scalar, StallReason::semaphore) == 30000);
  REQUIRE(timing.engines[2].stall == timing.events[1].start);
}

TEST_CASE("waits take tokens in order of arrival") {
  ModuleBuilder builder;
  builder.add(Engine::vector, isa::Semaphore{}, {}, {{0, 2}});
  builder.add(Engine::vector,
              tensorCopy(sbuf(DType::f32, 128, 8192),
                         sbuf(DType::f32, 128, 8192, 65536)),
              {}, {{0, 1}});
  for (int i = 0; i < 3; ++i)
    builder.add(Engine::scalar,
                activation(isa::ActivationFunction::copy,
                           sbuf(DType::f32, 128, 1, 4 * i), small),
                {{0, 1}});
  TimingOptions options;
  options.trace = true;
  const Timing timing = builder.time(options);
  std::vector<Picoseconds> starts;
  Picoseconds copied = 0;
  for (const TraceEvent &event : timing.events) {
    if (event.track == 2)
      starts.push_back(event.start);
    else
      copied = event.visible;
  }
  REQUIRE(starts.size() == 3);
  REQUIRE(starts[1] < copied);
  REQUIRE(starts[2] == copied + 30000);
}

TEST_CASE("each further wait of an instruction costs a slot") {
  const auto makespan = [](std::vector<isa::Wait> waits) {
    ModuleBuilder builder;
    builder.add(Engine::sync, isa::Semaphore{}, {}, {{0, 1}, {1, 1}, {2, 1}});
    builder.add(Engine::vector, tensorCopy(small, sbuf(DType::f32, 128, 1, 64)),
                std::move(waits));
    return builder.time().makespan;
  };
  REQUIRE(makespan({{0, 1}, {1, 1}, {2, 1}}) - makespan({{0, 1}}) == 18000);
}

TEST_CASE("loops run their control in the sequencer, ahead of the data path") {
  ModuleBuilder builder;
  constexpr int trips = 1000;
  isa::RegisterAlu bump;
  bump.dst = {1};
  bump.op = isa::RegisterOp::add;
  bump.a = {isa::Register{0}};
  bump.b = {1};
  builder.loop(Engine::tensor, trips)
      .add(Engine::tensor, matmul(DType::bf16, 128, 128, 512))
      .add(Engine::tensor, bump)
      .endLoop(Engine::tensor);
  const Timing timing = builder.time();
  REQUIRE(timing.engines[0].instructions == 3 * trips + 1);
  // Only the first iteration's loop instruction is exposed.
  REQUIRE(stalled(timing, Engine::tensor, StallReason::control) <= 9000);
  // An empty loop is nothing but control.
  ModuleBuilder control;
  control.loop(Engine::vector, trips).endLoop(Engine::vector);
  REQUIRE(ns(control.time().makespan) == Approx(9 + 50 * (trips - 1) + 9));
}

TEST_CASE("a sequencer runs only so far ahead of its data path") {
  constexpr std::size_t length = 8;
  isa::RegisterMove behind;
  behind.dst = {1};
  const isa::Access large = sbuf(DType::f32, 128, 512);
  for (const Engine engine : {Engine::tensor, Engine::gpsimd}) {
    ModuleBuilder builder;
    for (std::size_t i = 0; i < length; ++i)
      engine == Engine::tensor
          ? builder.add(engine, matmul(DType::bf16, 128, 128, 512))
          : builder.add(engine, isa::Memset{large, 0.0f});
    // Tells when the sequencer has handed them all on.
    builder.add(engine, behind, {}, {{1, 1}});
    builder.add(Engine::scalar,
                activation(isa::ActivationFunction::copy, small, small),
                {{1, 1}});
    for (const int depth : {1, 4}) {
      isa::Target target = isa::trn2;
      target.engine_queue_depth = depth;
      TimingOptions options;
      options.trace = true;
      std::vector<Picoseconds> starts;
      Picoseconds told = 0;
      for (const TraceEvent &event : builder.time(target, options).events)
        if (event.track == static_cast<std::size_t>(engine))
          starts.push_back(event.start);
        else if (event.track == static_cast<std::size_t>(Engine::scalar))
          told = event.start;
      REQUIRE(starts.size() == length);
      // Two slots and the way of the token.
      const Picoseconds room =
          starts[length - 1 - static_cast<std::size_t>(depth)];
      CHECK(told == room + 9000 + 9000 + 30000);
    }
  }
}

TEST_CASE("a zero-trip loop costs its own instruction only") {
  ModuleBuilder builder;
  builder.loop(Engine::vector, 0)
      .add(Engine::vector, tensorCopy(small, small))
      .endLoop(Engine::vector);
  const Timing timing = builder.time();
  REQUIRE(timing.makespan == 9000);
  REQUIRE(timing.instructions() == 1);
}

TEST_CASE("a reader of a result in flight waits, its neighbour does not") {
  const auto dependence = [](std::int64_t offset, std::int32_t stride) {
    ModuleBuilder builder;
    builder
        .add(Engine::vector, tensorCopy(sbuf(DType::f32, 128, 64, 0, 2),
                                        sbuf(DType::f32, 128, 64, 8192)))
        .add(Engine::vector,
             tensorCopy(sbuf(DType::f32, 128, 64, 16384),
                        sbuf(DType::f32, 128, 64, offset, stride)));
    return stalled(builder.time(), Engine::vector, StallReason::dependence);
  };
  REQUIRE(dependence(0, 2) > 0);
  REQUIRE(dependence(4, 2) == 0); // the gaps between the written elements
  REQUIRE(dependence(4, 1) > 0);
  REQUIRE(dependence(4096, 1) == 0);
}

TEST_CASE("fast modes of the Vector engine") {
  const auto busy = [](Generation generation, isa::Body body) {
    ModuleBuilder builder(generation);
    builder.add(Engine::vector, std::move(body));
    const isa::Target &target = isa::target(generation);
    const double cycles =
        ns(builder.time().engines[1].busy) * target.vector_ghz;
    return cycles - target.vector_ii_extra_cycles;
  };
  const auto copy = [](isa::Access dst, isa::Access src) {
    return tensorCopy(dst, src);
  };
  const auto bf = [](std::int64_t offset, std::int32_t stride = 1) {
    return sbuf(DType::bf16, 128, 1024, offset, stride);
  };
  const auto f32 = [](std::int64_t offset) {
    return sbuf(DType::f32, 128, 1024, offset);
  };
  const isa::Access bank = psum(DType::bf16, 128, 1024);
  const auto v3 = Generation::v3;
  REQUIRE(busy(v3, copy(bf(0), bf(8192))) == Approx(256).margin(.5));
  REQUIRE(busy(v3, copy(bf(0, 2), bf(8192))) == Approx(512).margin(.5));
  REQUIRE(busy(v3, copy(bf(0), bank)) == Approx(512).margin(.5));
  REQUIRE(busy(v3, copy(f32(0), f32(8192))) == Approx(512).margin(.5));
  REQUIRE(busy(v3, copy(f32(0), bank)) == Approx(1024).margin(.5));
  REQUIRE(busy(v3, tensorTensor(bf(0), bf(8192), bf(16384))) ==
          Approx(1024).margin(.5));
  REQUIRE(busy(v3, tensorTensor(f32(0), f32(8192), f32(16384))) ==
          Approx(2048).margin(.5));
  REQUIRE(busy(v3, tensorTensor(f32(0), bank, f32(16384))) ==
          Approx(1024).margin(.5));
  // A stride of more than 16 bytes halves the rate; trn1 has no fast modes.
  REQUIRE(busy(v3, copy(bf(0, 9), bf(8192))) == Approx(1024).margin(.5));
  REQUIRE(busy(Generation::v2, copy(bf(0), bf(8192))) ==
          Approx(1024).margin(.5));
}

TEST_CASE("another function table costs 1.29 us") {
  const auto tables = [](std::vector<isa::ActivationFunction> functions) {
    ModuleBuilder builder;
    for (isa::ActivationFunction function : functions)
      builder.add(Engine::scalar,
                  activation(function, small, sbuf(DType::f32, 128, 1, 64)));
    return stalled(builder.time(), Engine::scalar, StallReason::table) /
           1290000;
  };
  using F = isa::ActivationFunction;
  REQUIRE(tables({F::copy, F::square, F::relu}) == 0);
  REQUIRE(tables({F::exp, F::exp, F::copy, F::exp}) == 1);
  REQUIRE(tables({F::exp, F::rsqrt, F::exp}) == 3);
}

TEST_CASE("TensorE starts cold, warms up under load and cools in a pause") {
  ModuleBuilder builder;
  for (int i = 0; i < 100; ++i)
    builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512));
  const Timing warm = builder.time();
  const Picoseconds first =
      stalled(warm, Engine::tensor, StallReason::throttle);
  // 3 us at half rate, less at most one instruction.
  REQUIRE(ns(first) == Approx(1500).margin(220));

  // The same again after a pause of 8 us on another engine.
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{0, 1}});
  builder.add(Engine::vector,
              tensorTensor(sbuf(DType::f32, 128, 4096),
                           sbuf(DType::f32, 128, 4096, 16384),
                           sbuf(DType::f32, 128, 4096, 32768)),
              {{0, 1}}, {{1, 1}});
  builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512), {{1, 1}});
  for (int i = 0; i < 99; ++i)
    builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512));
  const Picoseconds both =
      stalled(builder.time(), Engine::tensor, StallReason::throttle);
  REQUIRE(ns(both) == Approx(2 * ns(first)).margin(220));

  ModuleBuilder trn1(Generation::v2);
  trn1.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512));
  REQUIRE(stalled(trn1.time(), Engine::tensor, StallReason::throttle) == 0);
}

TEST_CASE("stationary loads hide behind the product before") {
  const auto exposed = [](std::uint32_t n) {
    ModuleBuilder builder(Generation::v2);
    for (int i = 0; i < 50; ++i)
      builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, n));
    return ns(stalled(builder.time(), Engine::tensor, StallReason::weights));
  };
  REQUIRE(exposed(512) == Approx(32 / 2.8).margin(.1)); // the first only
  REQUIRE(exposed(1) == Approx(32 / 2.8).margin(.1));
}

TEST_CASE("trn3 runs a transpose behind another instruction") {
  isa::NcTranspose transpose;
  transpose.dst = psum(DType::bf16, 128, 128, 2);
  transpose.data = sbuf(DType::bf16, 128, 128);
  isa::Target target = isa::trn3;
  target.pe_cold_rate = 1;
  isa::Target without = target;
  without.pe_background_transpose = false;
  const auto time = [&](const isa::Target &machine, int products,
                        int transposes) {
    ModuleBuilder builder(Generation::v4);
    for (int i = 0; i < 50; ++i) {
      for (int j = 0; j < products; ++j)
        builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512));
      for (int j = 0; j < transposes; ++j)
        builder.add(Engine::tensor, transpose);
    }
    return ns(builder.time(machine).makespan);
  };
  // A chain of them takes half; one behind a product nothing.
  REQUIRE(time(target, 0, 4) == Approx(time(without, 0, 4) / 2).epsilon(.05));
  REQUIRE(time(target, 1, 1) == Approx(time(without, 1, 0)).epsilon(.02));
  REQUIRE(time(without, 1, 1) > 1.2 * time(without, 1, 0));
}

TEST_CASE("errors name the stream, the instruction and the reason") {
  ModuleBuilder builder;
  SECTION("deadlock") {
    builder.add(Engine::vector, tensorCopy(small, small), {{0, 1}}, {{1, 1}});
    builder.add(Engine::scalar,
                activation(isa::ActivationFunction::copy, small, small),
                {{1, 1}}, {{0, 1}});
    const auto timing = simulateTiming(builder.module, isa::trn2);
    REQUIRE_FALSE(timing);
    REQUIRE(timing.error().code == "KILN-X201");
    REQUIRE(timing.error().text.find("vector at 0") != std::string::npos);
    REQUIRE(timing.error().text.find("S1 >= 1 and it has 0") !=
            std::string::npos);
  }
  SECTION("too many steps") {
    builder.loop(Engine::sync, 1000).endLoop(Engine::sync);
    TimingOptions options;
    options.maxSteps = 100;
    const auto timing = simulateTiming(builder.module, isa::trn2, options);
    REQUIRE_FALSE(timing);
    REQUIRE(timing.error().code == "KILN-X202");
  }
  SECTION("time without progress") {
    builder.loop(Engine::sync, 1000).endLoop(Engine::sync);
    TimingOptions options;
    options.patience = 1'000'000; // 1 us
    const auto timing = simulateTiming(builder.module, isa::trn2, options);
    REQUIRE_FALSE(timing);
    REQUIRE(timing.error().code == "KILN-X202");
    REQUIRE(timing.error().text.find("only register and loop") !=
            std::string::npos);
    options.patience = 1'000'000'000;
    REQUIRE(simulateTiming(builder.module, isa::trn2, options));
  }
  SECTION("a register loaded from data") {
    isa::RegisterLoad load;
    load.dst = {4};
    load.src = sbuf(DType::i32, 1, 1);
    isa::LoopBegin loop;
    loop.counter = {0};
    loop.begin = {0};
    loop.end = {isa::Register{4}};
    builder.add(Engine::vector, load)
        .add(Engine::vector, loop)
        .add(Engine::vector, tensorCopy(small, sbuf(DType::f32, 128, 1, 64)))
        .endLoop(Engine::vector);
    const auto timing = simulateTiming(builder.module, isa::trn2);
    REQUIRE_FALSE(timing);
    REQUIRE(timing.error().code == "KILN-X203");
    TimingOptions options;
    options.registerLoads[1] = {5};
    REQUIRE(builder.time(options).instructionsByOpcode[static_cast<std::size_t>(
                isa::Opcode::TensorCopy)] == 5);
  }
  SECTION("loops that do not close") {
    builder.loop(Engine::vector, 3);
    const auto timing = simulateTiming(builder.module, isa::trn2);
    REQUIRE_FALSE(timing);
    REQUIRE(timing.error().code == "KILN-X204");
  }
  SECTION("a semaphore that only grows") {
    builder.loop(Engine::vector, 70000)
        .add(Engine::vector, isa::Semaphore{}, {}, {{0, 1}})
        .endLoop(Engine::vector);
    const auto timing = simulateTiming(builder.module, isa::trn2);
    REQUIRE_FALSE(timing);
    REQUIRE(timing.error().code == "KILN-X204");
  }
}

} // namespace kiln::test::engines_test
