//===- ports_test.cpp - Memory ports that engines share -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

#include <cstdlib>

using namespace kiln::sim::test;

namespace {

Picoseconds stalled(const Timing &timing, Engine engine, StallReason reason) {
  return timing.engines[static_cast<std::size_t>(engine)]
      .stalls[static_cast<std::size_t>(reason)];
}

} // namespace

TEST_CASE("Vector and Scalar on PSUM") {
  const auto waits = [](Generation generation, unsigned otherBank) {
    ModuleBuilder builder(generation);
    builder
        .add(Engine::vector, tensorCopy(sbuf(DType::f32, 128, 512),
                                        psum(DType::f32, 128, 512, 0)))
        .add(Engine::scalar, activation(isa::ActivationFunction::copy,
                                        sbuf(DType::f32, 128, 512, 8192),
                                        psum(DType::f32, 128, 512, otherBank)));
    const Timing timing = builder.time();
    const auto both = [&timing](StallReason reason) {
      return stalled(timing, Engine::scalar, reason) +
             stalled(timing, Engine::vector, reason);
    };
    return std::pair(both(StallReason::port), both(StallReason::bank));
  };
  REQUIRE(waits(Generation::v2, 1).first > 0);
  REQUIRE(waits(Generation::v2, 1).second == 0);
  REQUIRE(waits(Generation::v3, 0).first == 0);
  REQUIRE(waits(Generation::v3, 0).second > 0);
  REQUIRE(waits(Generation::v3, 1) == std::pair<Picoseconds, Picoseconds>());
}

TEST_CASE("two streams on one bank end when alternating ones would") {
  constexpr double vectorNs = 512 / .96, scalarNs = 512 / 1.2;
  // ScalarE comes `lead` nanoseconds after VectorE has begun, or before it.
  for (const int lead : {-400, -200, -50, 0, 50, 200, 400, 500, 600}) {
    ModuleBuilder builder;
    isa::Target target = isa::trn2;
    target.semaphore_ns = 0;
    target.semaphore_instruction_ns = std::abs(lead) + 1;
    const Engine first = lead < 0 ? Engine::scalar : Engine::vector;
    const Engine second = lead < 0 ? Engine::vector : Engine::scalar;
    // A semaphore instruction holds the second one back.
    builder.add(second, isa::Semaphore{}, {}, {{0, 1}});
    const auto work = [&](Engine engine) -> isa::Body {
      if (engine == Engine::vector)
        return tensorCopy(sbuf(DType::f32, 128, 512),
                          psum(DType::f32, 128, 512));
      return activation(isa::ActivationFunction::copy,
                        sbuf(DType::f32, 128, 512, 8192),
                        psum(DType::f32, 128, 512));
    };
    builder.add(first, work(first)).add(second, work(second));
    TimingOptions options;
    options.trace = true;
    double begin = 1e9, streamed = 0;
    for (const TraceEvent &event : builder.time(target, options).events) {
      const bool vector = event.engine == 1;
      begin = std::min(begin, ns(event.start));
      streamed =
          std::max(streamed, ns(event.start) + (vector ? vectorNs : scalarNs));
    }
    INFO(lead);
    // Each gets half of the cycles until one is done, then the other all:
    // whoever is last ends when both lengths have passed without a break.
    const double length = first == Engine::vector ? vectorNs : scalarNs;
    const double late = std::abs(lead) + 1;
    const double other = first == Engine::vector ? scalarNs : vectorNs;
    const double together = late < length ? vectorNs + scalarNs : late + other;
    REQUIRE(streamed - begin == Approx(together).margin(1));
  }
}

TEST_CASE("Vector and GpSimd on SBUF") {
  const auto waits = [](Generation generation, DType dtype) {
    ModuleBuilder builder(generation);
    isa::Memset fill;
    fill.dst = sbuf(DType::f32, 128, 2048, 65536);
    builder.add(Engine::gpsimd, fill)
        .add(Engine::vector,
             tensorTensor(sbuf(dtype, 128, 2048), sbuf(dtype, 128, 2048, 8192),
                          sbuf(dtype, 128, 2048, 16384)));
    const Timing timing = builder.time();
    return stalled(timing, Engine::gpsimd, StallReason::port) +
           stalled(timing, Engine::vector, StallReason::port);
  };
  REQUIRE(waits(Generation::v2, DType::f32) > 0);
  REQUIRE(waits(Generation::v3, DType::f32) == 0);
  REQUIRE(waits(Generation::v3, DType::bf16) > 0); // a fast mode
}
