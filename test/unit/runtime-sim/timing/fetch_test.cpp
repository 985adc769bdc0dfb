//===- fetch_test.cpp - Instructions have to arrive ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"

#include <limits>
#include <sys/resource.h>

namespace kiln::test::fetch_test {

using namespace kiln::sim::test;

namespace {

/// A loop of `body` register moves, `trips` times.
Timing moves(int body, int trips, const isa::Target &target = isa::trn2) {
  ModuleBuilder builder;
  isa::RegisterMove move;
  move.dst = {1};
  move.src = {7};
  builder.loop(Engine::vector, trips);
  for (int i = 0; i < body; ++i)
    builder.add(Engine::vector, move);
  builder.endLoop(Engine::vector);
  return builder.time(target);
}

double fetchNs(const Timing &timing) {
  return ns(
      timing.engines[1].stalls[static_cast<std::size_t>(StallReason::fetch)]);
}

/// From the request of a block to its first instruction.
double blockLatency(const isa::Target &target) {
  return target.dma_start_ns +
         target.dma_packet_bytes / target.dma_engine_bytes_per_ns +
         target.dma_done_ns;
}

} // namespace

TEST_CASE("what fits the instruction buffer is not fetched") {
  const Timing timing = moves(250, 1000);
  REQUIRE(timing.fetchedBytes == 0);
  REQUIRE(fetchNs(timing) == 0);
}

TEST_CASE("a loop of four blocks stays, a longer one comes again") {
  // 256 instructions with the loop's own two; the stream is longer by one.
  const Timing resident = moves(254, 50);
  REQUIRE(fetchNs(resident) == 0);
  const Timing longer = moves(400, 50);
  // Each iteration but the first waits for the head of the loop.
  REQUIRE(fetchNs(longer) == Approx(49 * blockLatency(isa::trn2)).epsilon(.1));
  // 402 instructions are seven blocks, and the buffer holds four.
  REQUIRE(longer.fetchedBytes >= 49u * 6 * 4096);
  REQUIRE(longer.fetchedBytes <= 50u * 8 * 4096);
}

TEST_CASE("straight code is fetched ahead") {
  const Timing timing = moves(20000, 1);
  REQUIRE(timing.fetchedBytes >= 20000u * 64 - 4 * 4096);
  REQUIRE(fetchNs(timing) < .02 * ns(timing.makespan));
  // With two blocks the next one is asked for when this one is entered, here
  // or not: two go on at a time, too few for slots of 9 ns.
  isa::Target shallow = isa::trn2;
  shallow.fetch_buffer_instructions = 128;
  const double period = (blockLatency(isa::trn2) + 64 * 9) / 2;
  REQUIRE(fetchNs(moves(20000, 1, shallow)) ==
          Approx(20000.0 / 64 * (period - 64 * 9)).epsilon(.03));
}

TEST_CASE("a buffer takes memory for what the stream has, not for its room") {
  isa::Target endless = isa::trn2;
  endless.fetch_buffer_instructions = std::numeric_limits<int>::max();
  const auto peakBytes = [] {
    rusage used{};
    REQUIRE(getrusage(RUSAGE_SELF, &used) == 0);
    return 1024 * used.ru_maxrss;
  };
  const auto before = peakBytes();
  // Five streams: a slot for each block would be 2.5 GiB.
  REQUIRE(fetchNs(moves(20000, 2, endless)) == 0);
  REQUIRE(peakBytes() - before < 256L << 20);
}

TEST_CASE("fetches share the DMA engines with data") {
  const auto makespan = [](int body) {
    ModuleBuilder builder;
    builder.loop(Engine::sync, 200)
        .add(Engine::sync, dmaCopy(sbuf(DType::bf16, 128, 16384),
                                   hbm(DType::bf16, 128, 16384)))
        .endLoop(Engine::sync);
    isa::RegisterMove move;
    move.dst = {1};
    move.src = {7};
    builder.loop(Engine::vector, 2'200'000 / 9 / body);
    for (int i = 0; i < body; ++i)
      builder.add(Engine::vector, move);
    builder.endLoop(Engine::vector);
    return builder.time().dma.busy;
  };
  REQUIRE(makespan(20000) > makespan(100));
}

} // namespace kiln::test::fetch_test
