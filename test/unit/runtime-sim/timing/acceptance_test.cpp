//===- acceptance_test.cpp - The model against published figures ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Near.h"

namespace kiln::test::acceptance_test {

using namespace kiln::sim::test;

namespace {

/// Load a tile, exp, store it: the first example of the DMA documents.
Timing loadExpStore(std::uint32_t rows, std::uint32_t columns) {
  ModuleBuilder builder;
  const isa::Access tile = sbuf(DType::bf16, rows, columns, 0);
  const isa::Access result = sbuf(DType::bf16, rows, columns, 65536);
  builder
      .add(Engine::gpsimd, dmaCopy(tile, hbm(DType::bf16, rows, columns), 0),
           {}, {{0, 1}})
      .add(Engine::scalar,
           activation(isa::ActivationFunction::exp, result, tile), {{0, 1}},
           {{1, 1}})
      .add(Engine::gpsimd,
           dmaCopy(hbm(DType::bf16, rows, columns, 1), result, 1), {{1, 1}});
  TimingOptions options;
  options.trace = true;
  return builder.time(options);
}

/// Time a load of `bytesPerPartition` takes among many on one queue.
double loadTime(std::uint32_t bytesPerPartition) {
  constexpr int trips = 200;
  ModuleBuilder builder;
  const std::uint32_t columns = bytesPerPartition / 2;
  builder.loop(Engine::sync, trips)
      .add(Engine::sync, dmaCopy(sbuf(DType::bf16, 128, columns),
                                 hbm(DType::bf16, 128, columns)))
      .endLoop(Engine::sync);
  return ns(builder.time().makespan) / trips;
}

} // namespace

TEST_CASE("trn2 load, exp, store of [4, 4096] bf16 takes 9.9 us") {
  const Timing timing = loadExpStore(4, 4096);
  requireNear(ns(timing.makespan), 9900);
  // One DMA engine moves all 32 KiB; the activation is 351 + N cycles.
  requireNear(ns(timing.dma.busy) / 2, 1416);
  requireNear(ns(timing.events[1].visible - timing.events[1].start), 3712, 1);
}

TEST_CASE("trn2 load, exp, store of [128, 128] bf16 takes 5.2 us") {
  const Timing timing = loadExpStore(128, 128);
  requireNear(ns(timing.makespan), 5200);
  // From the trigger to the consumer: 1.50 us.
  requireNear(ns(timing.events[0].visible), 1500, 5);
  requireNear(ns(timing.events[1].visible - timing.events[1].start), 399, 1);
}

TEST_CASE("a chain of one-element activations on trn1 starts every 189 ns") {
  ModuleBuilder builder(Generation::v2);
  const isa::Access cell = sbuf(DType::f32, 128, 1);
  constexpr int count = 100;
  for (int i = 0; i < count; ++i)
    builder.add(Engine::scalar,
                activation(isa::ActivationFunction::copy, cell, cell));
  requireNear(ns(builder.time().makespan) / count, 189, 2);
}

TEST_CASE("trn1 tensor_tensor with N = 8192 takes 14.98 us, whatever lanes") {
  for (unsigned lanes : {64u, 128u}) {
    ModuleBuilder builder(Generation::v2);
    builder.add(Engine::vector,
                tensorTensor(sbuf(DType::f32, lanes, 8192, 0),
                             sbuf(DType::f32, lanes, 8192, 32768),
                             sbuf(DType::f32, lanes, 8192, 65536)));
    requireNear(ns(builder.time().makespan), 14980, 1);
  }
}

TEST_CASE("trn2 VectorE fp32 instructions with N = 512") {
  TimingOptions options;
  options.trace = true;
  const auto run = [&](isa::Body body) {
    ModuleBuilder builder;
    for (int i = 0; i < 2; ++i)
      builder.add(Engine::vector, body);
    return builder.time(options);
  };
  // PSUM + SBUF: 685 ns, one every 603 ns.
  Timing timing = run(tensorTensor(sbuf(DType::f32, 128, 512, 0),
                                   psum(DType::f32, 128, 512),
                                   sbuf(DType::f32, 128, 512, 8192)));
  requireNear(ns(timing.events[0].visible), 685, 1);
  requireNear(ns(timing.events[1].start - timing.events[0].start), 603, 2);
  // SBUF to SBUF: 420 ns, one every 342 ns.
  timing = run(tensorCopy(sbuf(DType::f32, 128, 512, 0),
                          sbuf(DType::f32, 128, 512, 8192)));
  requireNear(ns(timing.events[0].visible), 420, 1);
  requireNear(ns(timing.events[1].start - timing.events[0].start), 342, 2);
}

TEST_CASE("back-to-back matrix products") {
  const auto spacing = [](Generation generation, DType dtype, std::uint32_t m,
                          std::uint32_t n) {
    ModuleBuilder builder(generation);
    for (int i = 0; i < 400; ++i)
      builder.add(Engine::tensor, matmul(dtype, 128, m, n));
    TimingOptions options;
    options.trace = true;
    const auto events = eventsOf(builder.time(options), 0);
    return ns(events[399].start - events[199].start) / 200;
  };
  // f32, N = 512 on trn2: two MATMUL of 429 ns each.
  requireNear(spacing(Generation::v3, DType::f32, 128, 512), 858, 1);
  // 16-bit: one column a cycle, never less than 64.
  requireNear(spacing(Generation::v3, DType::bf16, 128, 512), 512 / 2.4, 1);
  requireNear(spacing(Generation::v2, DType::bf16, 128, 128), 128 / 2.8, 3);
  requireNear(spacing(Generation::v2, DType::bf16, 128, 1), 64 / 2.8, 5);
}

TEST_CASE("latency of a MATMUL") {
  const auto latency = [](Generation generation, DType dtype, std::uint32_t n) {
    ModuleBuilder builder(generation);
    builder.add(Engine::tensor, matmul(dtype, 128, 1, n));
    TimingOptions options;
    options.trace = true;
    isa::Target target = isa::target(generation);
    target.pe_cold_rate = 1;
    const auto events = eventsOf(builder.time(target, options), 0);
    return ns(events[0].visible - events[0].start);
  };
  requireNear(latency(Generation::v2, DType::bf16, 128), 188, 2);
  // Two passes of two columns each; one MATMUL was 590 ns, its pair 429 more.
  requireNear(latency(Generation::v3, DType::f32, 512), 590 + 429, 2);
}

TEST_CASE("DMA efficiency against bytes in a partition") {
  const double best = 32768 / loadTime(32768);
  const std::pair<std::uint32_t, double> published[] = {
      {32, .012},  {64, .025},  {128, .050},  {256, .103},  {512, .206},
      {1024, .42}, {2048, .81}, {4096, .966}, {8192, .983}, {16384, .990}};
  for (const auto &[bytes, efficiency] : published) {
    INFO(bytes << " bytes in a partition");
    requireNear(bytes / loadTime(bytes) / best, efficiency);
  }
  // Sustained rate of sixteen engines.
  requireNear(best * 128, 368);
}

TEST_CASE("a stationary load of trn1 and of trn2") {
  const auto loadTime = [](Generation generation, DType dtype,
                           std::uint32_t m) {
    ModuleBuilder builder(generation);
    builder.add(Engine::tensor, matmul(dtype, 128, m, 128));
    TimingOptions options;
    options.trace = true;
    const auto events = eventsOf(builder.time(options), weightsTrack);
    return ns(events.at(0).visible - events.at(0).start);
  };
  requireNear(loadTime(Generation::v2, DType::bf16, 1), 67);
  requireNear(loadTime(Generation::v3, DType::f32, 128), 192);
}

TEST_CASE("one DMA of trn2 by itself") {
  ModuleBuilder builder;
  builder.add(Engine::gpsimd,
              dmaCopy(sbuf(DType::bf16, 128, 128), hbm(DType::bf16, 128, 128)));
  TimingOptions options;
  options.trace = true;
  const Timing timing = builder.time(options);
  // 2 KiB on each engine, and from the first byte of all to the last one.
  requireNear(ns(timing.dma.busy), 97);
  requireNear(ns(timing.events[0].end - timing.events[0].start), 468);
}

TEST_CASE("32 KiB on one DMA engine of trn1") {
  ModuleBuilder builder(Generation::v2);
  builder.add(Engine::gpsimd,
              dmaCopy(sbuf(DType::bf16, 8, 2048), hbm(DType::bf16, 8, 2048)));
  requireNear(ns(builder.time().dma.busy), 1810);
}

TEST_CASE("sustained rates of the DMA engines") {
  const auto rate = [](Generation generation) {
    constexpr int trips = 100;
    ModuleBuilder builder(generation);
    builder.loop(Engine::sync, trips)
        .add(Engine::sync, dmaCopy(sbuf(DType::bf16, 128, 16384),
                                   hbm(DType::bf16, 128, 16384)))
        .endLoop(Engine::sync);
    return trips * 128 * 32768 / ns(builder.time().makespan);
  };
  requireNear(rate(Generation::v2), 272, 3);
  requireNear(rate(Generation::v3), 368, 3);
  requireNear(rate(Generation::v4), 528, 3);
}

TEST_CASE("a DMA whose descriptors hardware makes takes 600 ns of its maker") {
  constexpr int trips = 200;
  ModuleBuilder builder;
  builder.loop(Engine::sync, trips);
  for (int queue : {0, 1})
    builder.add(Engine::sync,
                dmaCopy(sbuf(DType::bf16, 128, 64), hbm(DType::bf16, 128, 64),
                        queue, isa::DgeMode::hwdge));
  builder.endLoop(Engine::sync);
  requireNear(ns(builder.time().makespan) / (2 * trips), 600);
}

TEST_CASE("published factors between two forms of a program") {
  const auto busy = [](Engine engine, Generation generation, isa::Body body,
                       int count) {
    ModuleBuilder builder(generation);
    builder.loop(engine, 100);
    for (int i = 0; i < count; ++i)
      builder.add(engine, body);
    builder.endLoop(engine);
    isa::Target target = isa::target(generation);
    target.pe_cold_rate = 1;
    return ns(
        builder.time(target).engines[static_cast<std::size_t>(engine)].busy);
  };
  // Vector times matrix: the matrix as stationary operand takes half.
  requireNear(busy(Engine::tensor, Generation::v2,
                   matmul(DType::bf16, 128, 1, 128), 1) /
                  busy(Engine::tensor, Generation::v2,
                       matmul(DType::bf16, 128, 128, 1), 1),
              2);
  // f32 through the PE array: a transpose takes half the passes of a product.
  isa::NcMatmul product = matmul(DType::f32, 128, 128, 128);
  isa::NcMatmul transpose = product;
  transpose.is_transpose = true;
  requireNear(busy(Engine::tensor, Generation::v3, product, 1) /
                  busy(Engine::tensor, Generation::v3, transpose, 1),
              2);
  // Multiply, add, exp as one instruction of ScalarE instead of three.
  const isa::Body exp =
      activation(isa::ActivationFunction::exp, sbuf(DType::f32, 128, 2048),
                 sbuf(DType::f32, 128, 2048, 16384));
  requireNear(busy(Engine::scalar, Generation::v2, exp, 3) /
                  busy(Engine::scalar, Generation::v2, exp, 1),
              3);
}

} // namespace kiln::test::acceptance_test
