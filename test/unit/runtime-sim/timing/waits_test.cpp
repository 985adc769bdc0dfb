//===- waits_test.cpp - What the waits of a run were for -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

namespace kiln::test::waits_test {

using namespace kiln::sim::test;

namespace {

isa::Access tile(std::int64_t offset) {
  return sbuf(DType::f32, 128, 512, offset);
}

/// The longest semaphore wait of an engine.
StallSite longest(const Timing &timing, Engine engine) {
  for (const StallSite &site : timing.stallSites)
    if (site.engine == static_cast<std::uint8_t>(engine) &&
        isSemaphoreWait(site.reason))
      return site;
  FAIL("the engine did not wait");
  return {};
}

/// GpSimd waits for what Vector did and then copies `src` to `dst`.
StallSite waitFor(isa::Body first, isa::Body second) {
  ModuleBuilder builder;
  builder.add(Engine::vector, std::move(first), {}, {{0, 1}});
  builder.add(Engine::gpsimd, std::move(second), {{0, 1}});
  return longest(builder.time(), Engine::gpsimd);
}

} // namespace

TEST_CASE("a wait is for data, for a buffer, or for order alone") {
  const isa::Body copy = tensorCopy(tile(4096), tile(0));
  REQUIRE(waitFor(copy, tensorCopy(tile(16384), tile(4096))).kind ==
          WaitKind::data);
  // Read before it is overwritten, and written twice.
  REQUIRE(waitFor(copy, tensorCopy(tile(0), tile(16384))).kind ==
          WaitKind::buffer);
  REQUIRE(waitFor(copy, tensorCopy(tile(4096), tile(16384))).kind ==
          WaitKind::buffer);
  REQUIRE(waitFor(copy, tensorCopy(tile(32768), tile(16384))).kind ==
          WaitKind::order);
  // Two readers need no order.
  REQUIRE(waitFor(copy, tensorCopy(tile(32768), tile(0))).kind ==
          WaitKind::order);
}

TEST_CASE("a token given later names the instruction that made the data") {
  ModuleBuilder builder;
  builder.add(Engine::vector, tensorCopy(tile(4096), tile(0)))
      .add(Engine::vector, tensorCopy(tile(8192), tile(0)))
      .add(Engine::vector, isa::Semaphore{}, {}, {{0, 1}})
      .add(Engine::gpsimd, isa::Semaphore{}, {{0, 1}})
      .add(Engine::gpsimd, tensorCopy(tile(16384), tile(4096)));
  const StallSite site = longest(builder.time(), Engine::gpsimd);
  REQUIRE(site.kind == WaitKind::data);
  REQUIRE(site.index == 0);
  REQUIRE(site.producer == Producer{1, 0});
  REQUIRE(site.reason == StallReason::waitVector);
}

TEST_CASE("buffers that registers choose are told apart") {
  const auto kind = [](std::int64_t read) {
    ModuleBuilder builder;
    isa::Access moved = tile(0);
    moved.numTerms = 1;
    moved.terms[0] = {{0}, 2048};
    // Four buffers from 0 to 8191 in turn.
    builder.loop(Engine::vector, 4)
        .add(Engine::vector, tensorCopy(moved, tile(65536)), {}, {{0, 1}})
        .endLoop(Engine::vector);
    builder.add(Engine::gpsimd, tensorCopy(tile(32768), tile(read)), {{0, 4}});
    return longest(builder.time(), Engine::gpsimd).kind;
  };
  REQUIRE(kind(6144) == WaitKind::data);
  REQUIRE(kind(8192) == WaitKind::order);
}

TEST_CASE("data through HBM is data") {
  ModuleBuilder builder;
  builder.add(Engine::sync, dmaCopy(hbm(DType::f32, 128, 512, 1), tile(0)), {},
              {{0, 1}});
  builder.add(Engine::scalar, dmaCopy(tile(4096), hbm(DType::f32, 128, 512, 1)),
              {{0, 1}});
  const StallSite site = longest(builder.time(), Engine::scalar);
  REQUIRE(site.reason == StallReason::waitDma);
  REQUIRE(site.kind == WaitKind::data);
  REQUIRE(site.producer == Producer{4, 0});
}

TEST_CASE("a full queue holds its stream, and says so") {
  ModuleBuilder builder;
  builder.loop(Engine::vector, 600)
      .add(Engine::vector,
           dmaCopy(tile(0), hbm(DType::f32, 128, 512), 0, isa::DgeMode::none))
      .endLoop(Engine::vector);
  const Timing timing = builder.time();
  const auto queue = static_cast<std::size_t>(StallReason::queue);
  // All but a queue's worth of transfers had to wait for room, less the slots
  // of the loop.
  REQUIRE(ns(timing.engines[1].stalls[queue]) ==
          Approx((600 - 256) * (860.0 - 50 - 2 * 9)).epsilon(.05));
}

TEST_CASE("a result in flight names its maker") {
  ModuleBuilder builder;
  builder.add(Engine::vector, tensorCopy(tile(4096), tile(0)))
      .add(Engine::vector, tensorCopy(tile(16384), tile(4096)));
  const Timing timing = builder.time();
  bool found = false;
  for (const StallSite &site : timing.stallSites)
    if (site.reason == StallReason::dependence) {
      REQUIRE(site.kind == WaitKind::data);
      REQUIRE(site.index == 1);
      REQUIRE(site.producer == Producer{1, 0});
      found = true;
    }
  REQUIRE(found);
}

TEST_CASE("a copy to an address that was loaded starts after 600 cycles") {
  const auto busy = [](bool loaded) {
    ModuleBuilder builder;
    isa::RegisterLoad load;
    load.dst = {2};
    load.src = sbuf(DType::i32, 1, 1);
    isa::RegisterAlu twice;
    twice.dst = {3};
    twice.op = isa::RegisterOp::add;
    twice.a = {isa::Register{2}};
    twice.b = {isa::Register{2}};
    isa::RegisterMove known;
    known.dst = {3};
    known.src = {0};
    builder.add(Engine::vector, load);
    if (loaded)
      builder.add(Engine::vector, twice);
    else
      builder.add(Engine::vector, known);
    isa::Access moved = tile(4096);
    moved.numTerms = 1;
    moved.terms[0] = {{3}, 4};
    builder.add(Engine::vector, tensorCopy(moved, tile(0)));
    TimingOptions options;
    options.registerLoads[1] = {0};
    return ns(builder.time(options).engines[1].busy) * isa::trn2.vector_ghz;
  };
  REQUIRE(busy(true) == Approx(isa::trn2.dynamic_copy_cycles).margin(1));
  REQUIRE(busy(false) == Approx(512 / 2 + 68).margin(1));
}

} // namespace kiln::test::waits_test
