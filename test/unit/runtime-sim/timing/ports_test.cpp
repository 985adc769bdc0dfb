//===- ports_test.cpp - Memory ports that engines share -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

namespace kiln::test::ports_test {

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

} // namespace kiln::test::ports_test
