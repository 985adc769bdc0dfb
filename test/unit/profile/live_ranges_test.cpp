//===- live_ranges_test.cpp - What is on chip, and when -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profiled.h"

#include "LiveRanges.h"

#include <numeric>

using namespace kiln::sim::test;

namespace {

/// What the module holds on chip, by the profile.
profile::LiveMemory liveIn(const ModuleBuilder &builder) {
  TimingOptions options;
  options.trace = true;
  const Timing timing = builder.time(options);
  const profile::Causes causes =
      profile::findCauses(builder.module, isa::trn2, timing);
  const profile::Binary binary(builder.module, isa::trn2, timing, causes);
  profile::LiveMemory live = profile::liveMemory(binary, timing, isa::trn2);
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum}) {
    const profile::LiveBytes &bytes = live.of(space);
    CHECK(bytes.peak <= isa::trn2.bytes(space));
    std::int64_t owned = 0, most = 0;
    for (const auto &[range, own] : bytes.owners) {
      CHECK(live.ranges.at(range).space == space);
      CHECK(live.ranges[range].start <= bytes.peakTime);
      CHECK(bytes.peakTime < live.ranges[range].end);
      owned += own;
    }
    for (const auto &[time, held] : bytes.steps)
      most = std::max(most, held);
    CHECK(owned == bytes.peak);
    CHECK(most == bytes.peak);
    CHECK((bytes.steps.empty() || bytes.steps.back().second == 0));
  }
  return live;
}

isa::Access in(std::uint16_t buffer, isa::Access access) {
  access.tensor = buffer;
  return access;
}
isa::Access f32(unsigned elements, std::int64_t byte, std::int32_t stride = 1) {
  return sbuf(DType::f32, 128, elements, byte, stride);
}

} // namespace

TEST_CASE("a byte that two buffers share counts once, for the one it is of") {
  ModuleBuilder builder;
  builder.module.buffers.resize(7);
  builder
      .add(Engine::vector, isa::Memset{in(1, f32(1024, 0)), 1.0f})
      // The first quarter has done its duty, and another buffer takes it.
      .add(Engine::vector,
           tensorCopy(in(2, f32(256, 16384)), in(1, f32(256, 0))))
      .add(Engine::vector, isa::Memset{in(3, f32(256, 0)), 2.0f})
      .add(Engine::vector,
           tensorCopy(in(2, f32(768, 16384)), in(1, f32(768, 1024))))
      .add(Engine::vector,
           tensorCopy(in(2, f32(256, 16384)), in(3, f32(256, 0))));
  const profile::LiveMemory live = liveIn(builder);
  // During the second copy: three quarters, the new one, and what it writes.
  CHECK(live.sbuf.peak == 3072 + 1024 + 3072);
  CHECK(live.psum.peak == 0);
  CHECK(live.psum.owners.empty());
  REQUIRE(live.ranges.size() == 3);
  CHECK(live.ranges[0].bytes == 4096);
}

TEST_CASE("columns between those of another value are not its bytes") {
  ModuleBuilder builder;
  builder.module.buffers.resize(4);
  builder.add(Engine::vector, isa::Memset{in(1, f32(256, 0, 2)), 1.0f})
      .add(Engine::vector, isa::Memset{in(2, f32(256, 4, 2)), 1.0f})
      .add(Engine::vector,
           tensorTensor(in(3, f32(256, 4096)), in(1, f32(256, 0, 2)),
                        in(2, f32(256, 4, 2))));
  const profile::LiveMemory live = liveIn(builder);
  CHECK(live.sbuf.peak == 3 * 1024);
  REQUIRE(live.sbuf.steps.size() >= 2);
  CHECK(live.sbuf.steps[0].second == 1024);
  CHECK(live.sbuf.steps[1].second == 2048);
}

TEST_CASE("values in other partitions do not add up") {
  ModuleBuilder builder;
  isa::Access low = f32(512, 0), high = f32(256, 0);
  low.partitions = high.partitions = 64;
  high.partition = 64;
  isa::Access lowOut = low, highOut = high;
  lowOut.offset = highOut.offset = 8192;
  builder.add(Engine::vector, isa::Memset{low, 1.0f})
      .add(Engine::vector, isa::Memset{high, 1.0f})
      .add(Engine::vector, tensorCopy(lowOut, low))
      .add(Engine::vector, tensorCopy(highOut, high));
  CHECK(liveIn(builder).sbuf.peak == 2 * 2048);
}

TEST_CASE("each copy of a buffer counts, where registers put it") {
  // Four copies of 1 KiB are written before the first one is read.
  ModuleBuilder builder;
  builder.module.buffers.resize(3);
  isa::Access slot = in(1, f32(256, 0));
  slot.numTerms = 1;
  slot.terms[0] = {{0}, 1024};
  builder.loop(Engine::vector, 4)
      .add(Engine::vector, isa::Memset{slot, 1.0f})
      .endLoop(Engine::vector)
      .loop(Engine::vector, 4)
      .add(Engine::vector, tensorCopy(in(2, f32(256, 65536)), slot))
      .endLoop(Engine::vector);
  const profile::LiveMemory live = liveIn(builder);
  CHECK(live.sbuf.peak == 4 * 1024 + 1024);
  std::vector<std::int64_t> places;
  for (const profile::LiveRange &range : live.ranges)
    if (range.buffer == 1)
      places.push_back(range.firstByte);
  CHECK(places == std::vector<std::int64_t>{0, 1024, 2048, 3072});
}

TEST_CASE("sums in PSUM are one value from the first product to the last use") {
  ModuleBuilder builder;
  for (unsigned i = 0; i < 3; ++i) {
    isa::NcMatmul product = matmul(DType::bf16, 128, 128, 512);
    product.accumulate = i > 0;
    builder.add(Engine::tensor, product);
  }
  builder
      .add(Engine::tensor, matmul(DType::bf16, 128, 128, 256, 5), {}, {{0, 1}})
      .add(Engine::vector, tensorCopy(f32(512, 0), psum(DType::f32, 128, 512)),
           {{0, 1}})
      .add(Engine::vector,
           tensorCopy(f32(256, 2048), psum(DType::f32, 128, 256, 5)));
  const profile::LiveMemory live = liveIn(builder);
  CHECK(live.psum.peak == 2048 + 1024);
  CHECK(live.psum.banks == 2);
  CHECK(live.psum.owners.size() == 2);
}
