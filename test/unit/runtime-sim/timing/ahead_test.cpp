//===- ahead_test.cpp - Engines that run ahead find the same times --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

#include "kiln/sim/launch.h"

#include <random>

namespace kiln::test::ahead_test {

using namespace kiln::sim::test;

namespace {

/// Programs of many transfers, drawn from a seed.
class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {}

  ModuleBuilder make() {
    constexpr std::array generations{Generation::v2, Generation::v3,
                                     Generation::v4};
    return make(generations[below(3)]);
  }
  ModuleBuilder make(Generation generation) {
    ModuleBuilder builder(generation);
    even = below(3) == 0;
    dense = below(4) == 0;
    queues = 1 + below(8);
    for (std::uint16_t e = 1; e < isa::numEngines; ++e) {
      const auto engine = static_cast<Engine>(e);
      const unsigned trips = below(3) == 0 ? 0 : 1 + below(8);
      if (trips > 0)
        builder.loop(engine, static_cast<int>(trips));
      unsigned signals = 0;
      for (unsigned i = below(25); i > 0; --i)
        signals += addOne(builder, engine, e);
      if (trips > 0)
        builder.endLoop(engine);
      else if (signals > 0)
        builder.add(engine, isa::Semaphore{},
                    {{e, static_cast<std::uint16_t>(1 + below(signals))}});
      builder.add(engine, transfer(builder.module.generation, engine));
    }
    return builder;
  }

private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }

  isa::DmaCopy transfer(Generation generation, Engine engine) {
    const unsigned partitions = even || below(3) > 0 ? 128 : 1 + below(128);
    const std::uint32_t columns = 1u << below(12);
    const DType type = below(3) > 0 ? DType::bf16 : DType::f32;
    const isa::Access tile =
        sbuf(type, partitions, columns, 0, even || below(8) > 0 ? 1 : 2);
    const isa::Access rows = hbm(type, partitions, columns);
    const int queue = static_cast<int>(below(queues));
    const isa::DgeMode mode =
        engine == Engine::gpsimd && below(3) == 0       ? isa::DgeMode::swdge
        : generation == Generation::v2 || below(2) == 0 ? isa::DgeMode::none
                                                        : isa::DgeMode::unknown;
    switch (below(dense ? 4 : 3)) {
    case 0:
      return dmaCopy(tile, rows, queue, mode);
    case 1:
      return dmaCopy(rows, tile, queue, mode);
    case 2:
      return dmaCopy(tile, sbuf(type, partitions, columns, 65536), queue, mode);
    default:
      return dmaCopy(hbm(type, partitions, columns, 1), rows, queue, mode);
    }
  }

  /// Returns how many tokens of semaphore `own` it gives.
  unsigned addOne(ModuleBuilder &builder, Engine engine, std::uint16_t own) {
    if (below(10) < 6) {
      const unsigned given = below(2);
      builder.add(engine, transfer(builder.module.generation, engine), {},
                  given > 0 ? std::vector<isa::Signal>{{own, 1}}
                            : std::vector<isa::Signal>{});
      return given;
    }
    const isa::Access out = sbuf(DType::f32, 128, 1 + below(2000));
    if (engine == Engine::vector)
      builder.add(engine, tensorCopy(out, sbuf(DType::f32, 128, 1, 32768)));
    else if (engine == Engine::scalar)
      builder.add(engine, activation(isa::ActivationFunction::exp, out, out));
    else if (engine == Engine::gpsimd)
      builder.add(engine, isa::Memset{out, 0.0f});
    else
      builder.add(engine, isa::Semaphore{});
    return 0;
  }

  std::mt19937 random;
  bool even = false, dense = false;
  unsigned queues = 1;
};

} // namespace

TEST_CASE("DMA engines that run ahead find the same times") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    const ModuleBuilder builder = Draw(seed).make();
    isa::Target target = isa::target(builder.module.generation);
    if (seed % 5 == 0)
      target.dma_queue_depth = 4;
    if (seed % 7 == 0)
      target.dma_skew_ns = seed % 2 == 0 ? 0 : 2000;
    if (seed % 11 == 0)
      target.dma_engines = 1 + static_cast<int>(seed % 16);
    if (seed % 13 == 0)
      target.hbm_bytes_per_ns = 150;
    TimingOptions options;
    options.trace = true;
    const Timing ahead = builder.time(target, options);
    // If a collective could begin at once, nothing may run ahead; here is none.
    target.collective_hop_ns = 0;
    const Timing inOrder = builder.time(target, options);
    REQUIRE(ahead.makespan == inOrder.makespan);
    REQUIRE(ahead.events == inOrder.events);
    REQUIRE(ahead.dma.stall == inOrder.dma.stall);
    REQUIRE(ahead == inOrder);
  }
}

TEST_CASE("cores of one stack that run ahead find the same times") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const Generation generation =
        seed % 2 == 0 ? Generation::v3 : Generation::v4;
    const std::array modules{Draw(2 * seed).make(generation).module,
                             Draw(2 * seed + 1).make(generation).module};
    isa::Target target = isa::target(generation);
    if (seed % 3 == 0)
      target.hbm_bytes_per_ns = 300;
    LaunchTimingOptions options;
    options.trace = true;
    const Launch launch{modules, 1, {}, {}};
    const auto ahead = simulateLaunch(launch, target, options);
    target.collective_hop_ns = 0;
    const auto inOrder = simulateLaunch(launch, target, options);
    REQUIRE(ahead);
    REQUIRE(inOrder);
    REQUIRE(ahead->makespan == inOrder->makespan);
    for (std::size_t core = 0; core < 2; ++core) {
      REQUIRE(ahead->cores[core].events == inOrder->cores[core].events);
      REQUIRE(ahead->cores[core] == inOrder->cores[core]);
    }
  }
}

} // namespace kiln::test::ahead_test
