//===- dma_test.cpp - Queues, engines, descriptors, the HBM limit --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

#include "kiln/machine/dma_shares.h"

#include <numeric>

namespace kiln::test::dma_test {

using namespace kiln::sim::test;

namespace {

std::vector<TraceEvent> transfers(const ModuleBuilder &builder,
                                  const isa::Target &target = isa::trn2) {
  TimingOptions options;
  options.trace = true;
  std::vector<TraceEvent> found;
  for (const TraceEvent &event : builder.time(target, options).events)
    if (event.track >= isa::numEngines)
      found.push_back(event);
  return found;
}

isa::DmaCopy load(std::uint32_t columns, int queue,
                  isa::DgeMode mode = isa::DgeMode::none) {
  return dmaCopy(sbuf(DType::bf16, 128, columns),
                 hbm(DType::bf16, 128, columns), queue, mode);
}

} // namespace

TEST_CASE("a queue works in order, and so do several, or they share") {
  ModuleBuilder one;
  ModuleBuilder two;
  for (int i = 0; i < 2; ++i) {
    one.add(Engine::sync, load(16384, 0));
    two.add(Engine::sync, load(16384, i));
  }
  isa::Target sharing = isa::trn2;
  sharing.dma_queues_share = true;
  const auto serial = transfers(one);
  const auto inOrder = transfers(two);
  const auto shared = transfers(two, sharing);
  REQUIRE(serial.size() == 2);
  REQUIRE(inOrder.size() == 2);
  REQUIRE(shared.size() == 2);
  REQUIRE(serial[1].end - serial[0].end > 11'000'000);
  REQUIRE(transfers(one, sharing) == serial);
  // Of two queues the first one ends as if it were alone; the second one needs
  // no turnaround.
  REQUIRE(inOrder[0].end == serial[0].end);
  REQUIRE(ns(serial[1].end - inOrder[1].end) == Approx(50));
  // Together they take as long, but both end near the end.
  REQUIRE(ns(shared[1].end) == Approx(ns(serial[1].end)).epsilon(.02));
  REQUIRE(shared[1].end - shared[0].end < 100'000);
  REQUIRE(shared[0].track == 5);
  REQUIRE(shared[1].track == 6);
}

TEST_CASE("who could start first is through first, whatever its queue") {
  // A long transfer, and behind it on higher queues a short one each, the
  // later the lower; one more on the queue of the long one.
  ModuleBuilder builder;
  builder.add(Engine::sync, load(16384, 3));
  for (const int queue : {9, 7, 5, 3})
    builder.add(Engine::sync, load(1024, queue));
  const auto events = transfers(builder);
  REQUIRE(events.size() == 5);
  const double each = ns(events[2].end - events[1].end);
  REQUIRE(each == Approx(2 * 128 * 1024 / 16 / 23.0).epsilon(.1));
  for (std::size_t i = 1; i < 5; ++i) {
    CAPTURE(i);
    REQUIRE(ns(events[i].end - events[i - 1].end) == Approx(each).margin(1));
  }
  // What comes while nothing waits is served at once, and one that could start
  // only later does not go before it.
  ModuleBuilder apart;
  apart.add(Engine::sync, load(1024, 0)).add(Engine::sync, load(1024, 0));
  apart.add(Engine::sync, load(1024, 1));
  const auto later = transfers(apart);
  // Queue 0 has a gap of 860 ns, in which queue 1 is through.
  REQUIRE(later[0].track == 5);
  REQUIRE(later[1].track == 6);
  REQUIRE(later[2].track == 5);
  // The first engine goes on while the last one ends.
  REQUIRE(ns(later[1].end - later[2].start) == Approx(350).margin(.1));
}

TEST_CASE("loads that are dealt to eight queues do not delay the first") {
  ModuleBuilder one, eight;
  for (int i = 0; i < 8; ++i) {
    one.add(Engine::sync, load(4096, 0));
    eight.add(Engine::sync, load(4096, i));
  }
  isa::Target sharing = isa::trn2;
  sharing.dma_queues_share = true;
  const auto serial = transfers(one), dealt = transfers(eight),
             shared = transfers(eight, sharing);
  for (std::size_t i = 0; i < 8; ++i)
    REQUIRE(dealt[i].end <= serial[i].end);
  REQUIRE(dealt[0].end == serial[0].end);
  REQUIRE(shared[0].end > dealt[6].end);
}

TEST_CASE("completions of one queue keep their order") {
  ModuleBuilder builder;
  // The first is long on one engine, the second short on another.
  isa::Access far = sbuf(DType::bf16, 4, 64, 32768);
  far.partition = 64;
  builder.add(Engine::sync,
              dmaCopy(sbuf(DType::bf16, 4, 16384), hbm(DType::bf16, 4, 16384)));
  builder.add(Engine::sync, dmaCopy(far, hbm(DType::bf16, 4, 64, 1)));
  const auto events = transfers(builder);
  REQUIRE(events[1].start < events[0].end);
  // Each engine signals both: the busy one the second behind the first.
  REQUIRE(ns(events[1].end - events[0].end) == Approx(50 + 10));
}

TEST_CASE("descriptor generation") {
  // Engines that share themselves out start at once.
  const auto gap = [](Engine engine, isa::DgeMode mode,
                      isa::Target target = isa::trn2) {
    target.dma_queues_share = true;
    ModuleBuilder builder(target.generation);
    builder.add(engine, load(128, 0, mode)).add(engine, load(128, 1, mode));
    const auto events = transfers(builder, target);
    return ns(events[1].start - events[0].start);
  };
  REQUIRE(gap(Engine::sync, isa::DgeMode::none) == Approx(9));
  REQUIRE(gap(Engine::sync, isa::DgeMode::hwdge) == Approx(485 + 1.1 * 128));
  REQUIRE(gap(Engine::gpsimd, isa::DgeMode::swdge) == Approx(600));
  // Left open: hardware where the stream has a generator, else static.
  REQUIRE(gap(Engine::scalar, isa::DgeMode::unknown) ==
          Approx(485 + 1.1 * 128));
  REQUIRE(gap(Engine::gpsimd, isa::DgeMode::unknown) == Approx(9));
  REQUIRE(gap(Engine::sync, isa::DgeMode::unknown, isa::trn1) == Approx(9));
}

TEST_CASE("software descriptors occupy GpSimd, whoever asks") {
  ModuleBuilder builder;
  for (int i = 0; i < 3; ++i)
    builder.add(Engine::vector, load(128, i, isa::DgeMode::swdge));
  REQUIRE(ns(builder.time().engines[3].busy) == Approx(1800));
}

TEST_CASE("HBM to HBM copies are held to the stack's bandwidth") {
  ModuleBuilder builder;
  builder.add(Engine::sync,
              dmaCopy(hbm(DType::f32, 1024, 8192, 1),
                      hbm(DType::f32, 1024, 8192), 0, isa::DgeMode::none));
  isa::Target slow = isa::trn2;
  slow.hbm_bytes_per_ns = 100;
  const Timing timing = builder.time(slow);
  // 32 MiB read and 32 MiB written.
  REQUIRE(timing.hbmReadBytes == 33554432);
  REQUIRE(timing.hbmWriteBytes == 33554432);
  REQUIRE(ns(timing.makespan) == Approx(2 * 33554432 / 100.0).epsilon(.02));
  REQUIRE(timing.boundBy == "hbm");
  REQUIRE(ns(builder.time().makespan) == Approx(33554432 / 368.0).epsilon(.08));
}

TEST_CASE("transposes are slower than copies by their efficiency") {
  const auto busy = [](const isa::Target &target, bool fromHbm) {
    ModuleBuilder builder(target.generation);
    isa::DmaTranspose op;
    op.dst = sbuf(DType::bf16, 128, 128);
    op.src = fromHbm ? hbm(DType::bf16, 128, 128)
                     : sbuf(DType::bf16, 128, 128, 4096);
    builder.add(Engine::sync, op);
    return ns(builder.time(target).dma.busy);
  };
  ModuleBuilder copy;
  copy.add(Engine::sync, load(128, 0));
  const double plain = ns(copy.time().dma.busy);
  REQUIRE(busy(isa::trn2, true) == Approx(plain / .9).epsilon(.01));
  REQUIRE(busy(isa::trn2, false) == Approx(plain / .5).epsilon(.01));
  REQUIRE(busy(isa::trn1, true) > 10 * plain);
}

TEST_CASE("element-wise writes pay twice the smallest element") {
  ModuleBuilder dense;
  ModuleBuilder strided;
  dense.add(Engine::sync, load(64, 0));
  strided.add(Engine::sync,
              dmaCopy(sbuf(DType::bf16, 128, 64, 0, 2),
                      hbm(DType::bf16, 128, 64), 0, isa::DgeMode::none));
  REQUIRE(strided.time().dma.busy > 20 * dense.time().dma.busy);
}

TEST_CASE("all engines signal, also those that move nothing") {
  const auto end = [](isa::Access tile, isa::Access rows) {
    ModuleBuilder builder;
    builder.add(Engine::sync, dmaCopy(tile, rows, 0, isa::DgeMode::none));
    return ns(transfers(builder).at(0).end);
  };
  const double last = 740 + 350 + 10; // The last engine starts 350 ns later.
  REQUIRE(end(sbuf(DType::bf16, 1, 1), hbm(DType::bf16, 1, 1)) ==
          Approx(last).epsilon(.001));
  // One engine with more to do than that is what counts.
  REQUIRE(end(sbuf(DType::bf16, 4, 4096), hbm(DType::bf16, 4, 4096)) ==
          Approx(740 + 32768 / 23.).epsilon(.001));
}

TEST_CASE("adding takes as long as the sources need to come in") {
  const auto busy = [](std::size_t sources, const isa::Target &target) {
    ModuleBuilder builder(target.generation);
    isa::DmaCompute sum;
    sum.dst = sbuf(DType::f32, 128, 2048);
    for (std::size_t i = 0; i < sources; ++i)
      sum.srcs.push_back(
          hbm(DType::f32, 128, 2048, static_cast<std::uint16_t>(i % 4)));
    builder.add(Engine::gpsimd, sum);
    const Timing timing = builder.time(target);
    REQUIRE(timing.hbmReadBytes == sources * 128 * 8192);
    return ns(timing.dma.busy);
  };
  const double copy = 128 * 8192 / 16 / 23.;
  REQUIRE(busy(1, isa::trn2) == Approx(2 * copy).epsilon(.01));
  REQUIRE(busy(2, isa::trn2) == Approx(2 * copy).epsilon(.01));
  REQUIRE(busy(16, isa::trn2) == Approx(16 * copy).epsilon(.01));
  REQUIRE(busy(2, isa::trn3) == Approx(copy * 23 / 33).epsilon(.01));
}

TEST_CASE("indices are followed by software") {
  ModuleBuilder builder;
  isa::DmaCopy gather =
      dmaCopy(sbuf(DType::bf16, 128, 512), hbm(DType::bf16, 128, 512));
  gather.src_index = sbuf(DType::u32, 128, 1, 4096);
  builder.add(Engine::sync, gather);
  REQUIRE(ns(builder.time().engines[3].busy) == Approx(600));
}

TEST_CASE("many transfers without waits stay within the queues") {
  ModuleBuilder builder;
  builder.loop(Engine::sync, 3000)
      .add(Engine::sync, load(512, 0))
      .endLoop(Engine::sync);
  const Timing timing = builder.time();
  REQUIRE(timing.dma.instructions == 3000);
  REQUIRE(timing.hbmReadBytes == 3000u * 128 * 512 * 2);
  REQUIRE(ns(timing.makespan) == Approx(3000 * 860).epsilon(.01));
}

TEST_CASE("each DMA engine moves the partitions of its sixteenth") {
  const auto sharesOf = [](const isa::Body &body) {
    return machine::dmaShares(body, Engine::sync, isa::trn2);
  };
  // 8 partitions to an engine: 3.5 engines of 28.
  const auto few =
      sharesOf(dmaCopy(sbuf(DType::bf16, 28, 512), hbm(DType::bf16, 28, 512)));
  for (std::size_t e = 0; e < few.size(); ++e)
    REQUIRE(few[e] == Approx(e < 3 ? 8.0 / 28 : e == 3 ? 4.0 / 28 : 0));
  // Short rows are the same part, although their engines work longer.
  const auto narrow =
      sharesOf(dmaCopy(sbuf(DType::bf16, 28, 1), hbm(DType::bf16, 28, 1)));
  for (std::size_t e = 0; e < few.size(); ++e)
    REQUIRE(narrow[e] == Approx(few[e]));
  // All of them together move all bytes, of whatever there is to move.
  for (const isa::Body &body :
       {isa::Body(load(512, 0)),
        isa::Body(dmaCopy(hbm(DType::f32, 3, 4096), hbm(DType::f32, 3, 4096))),
        isa::Body(dmaCopy(hbm(DType::f32, 1, 1), hbm(DType::f32, 1, 1)))}) {
    const auto shares = sharesOf(body);
    REQUIRE(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1));
    REQUIRE(*std::min_element(shares.begin(), shares.end()) >= 0);
  }
}

} // namespace kiln::test::dma_test
