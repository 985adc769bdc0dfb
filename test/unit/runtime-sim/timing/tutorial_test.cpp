//===- tutorial_test.cpp - The published steps of one matrix product -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 4096 x 8192 x 8192 on trn2, at its full size: 32 x 16 x 64 products of
// 128 x 128 x 512. The programs are those that the tutorial describes, with a
// stream for each engine; semaphores 0.. are named where they are used.
//
//===----------------------------------------------------------------------===//

#include "Near.h"

namespace kiln::test::tutorial_test {

using namespace kiln::sim::test;

namespace {

constexpr int mTiles = 32, nTiles = 16, kTiles = 64;
constexpr int products = mTiles * nTiles * kTiles;

double ms(Picoseconds time) { return ns(time) / 1e6; }

isa::DmaCopy load(std::uint32_t columns, int queue, std::int64_t offset) {
  return dmaCopy(sbuf(DType::f32, 128, columns, offset),
                 hbm(DType::f32, 128, columns), queue, isa::DgeMode::swdge);
}

/// Loops over every result tile on `engine`, around what `body` adds.
template <class Body>
void forEachResult(ModuleBuilder &builder, Engine engine, Body body) {
  builder.loop(engine, mTiles * nTiles, 8);
  body();
  builder.endLoop(engine);
}

/// Eviction of a result and its store: the engine signals 4 when a bank is
/// full and waits for 5 before it fills one.
void evict(ModuleBuilder &builder) {
  builder.add(Engine::scalar, isa::Semaphore{}, {}, {{5, 2}});
  forEachResult(builder, Engine::scalar, [&] {
    builder.add(Engine::scalar,
                tensorCopy(sbuf(DType::f32, 128, 512, 131072),
                           psum(DType::f32, 128, 512)),
                {{4, 1}}, {{5, 1}, {6, 1}});
  });
  forEachResult(builder, Engine::sync, [&] {
    builder.add(Engine::sync,
                dmaCopy(hbm(DType::f32, 128, 512, 1),
                        sbuf(DType::f32, 128, 512, 131072), 7),
                {{6, 1}});
  });
  builder.add(Engine::tensor, isa::Semaphore{}, {{5, 2}});
}

void requireProductsRan(const Timing &timing) {
  REQUIRE(timing.matmulFlops[static_cast<std::size_t>(ProductRate::f32)] ==
          std::uint64_t{2} * 4096 * 8192 * 8192);
}

} // namespace

TEST_CASE("loads in the inner loop: software descriptors decide") {
  ModuleBuilder builder;
  // 0, 2: operands are here. 1: their buffers are free, four pairs.
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{1, 4}});
  builder.loop(Engine::gpsimd, products)
      .add(Engine::gpsimd, load(128, 0, 0), {{1, 1}}, {{0, 1}})
      .add(Engine::gpsimd, load(512, 1, 4096), {}, {{2, 1}})
      .endLoop(Engine::gpsimd);
  forEachResult(builder, Engine::tensor, [&] {
    builder.add(Engine::tensor, isa::Semaphore{}, {{5, 1}});
    builder.loop(Engine::tensor, kTiles)
        .add(Engine::tensor, matmul(DType::f32, 128, 128, 512),
             {{0, 1}, {2, 1}}, {{1, 1}})
        .endLoop(Engine::tensor)
        .add(Engine::tensor, isa::Semaphore{}, {}, {{4, 1}});
  });
  evict(builder);
  builder.add(Engine::tensor, isa::Semaphore{}, {{1, 4}});
  const Timing timing = builder.time();
  requireProductsRan(timing);
  requireNear(ms(timing.makespan), 39.89);
  // Busy time of all sixteen DMA engines, and their rate while busy.
  requireNear(16 * ms(timing.dma.busy), 519.58, 5);
  requireNear(static_cast<double>(timing.dmaBytes) / 16 / ns(timing.dma.busy),
              20.9, 5);
}

TEST_CASE("hoisted loads: TensorE decides") {
  ModuleBuilder builder;
  // 0, 3: row of stationary tiles is here, is free. 1, 2: a moving tile.
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{1, 32}, {3, 2}});
  // The next row of stationary tiles is loaded among the moving ones.
  const auto loadRow = [&](int parts, int tiles) {
    builder.add(Engine::gpsimd, isa::Semaphore{}, {{3, 1}})
        .loop(Engine::gpsimd, parts, 2)
        .loop(Engine::gpsimd, kTiles / parts, 3)
        .add(Engine::gpsimd, load(128, 0, 0), {}, {{0, 1}})
        .endLoop(Engine::gpsimd)
        .loop(Engine::gpsimd, tiles, 3)
        .add(Engine::gpsimd, load(512, 1, 4096), {{1, 1}}, {{2, 1}})
        .endLoop(Engine::gpsimd)
        .endLoop(Engine::gpsimd);
  };
  loadRow(1, 0);
  builder.loop(Engine::gpsimd, mTiles - 1, 1);
  loadRow(nTiles, kTiles);
  builder.endLoop(Engine::gpsimd)
      .loop(Engine::gpsimd, nTiles * kTiles, 3)
      .add(Engine::gpsimd, load(512, 1, 4096), {{1, 1}}, {{2, 1}})
      .endLoop(Engine::gpsimd);
  builder.loop(Engine::tensor, mTiles, 1)
      .add(Engine::tensor, isa::Semaphore{}, {{0, kTiles}})
      .loop(Engine::tensor, nTiles, 2)
      .add(Engine::tensor, isa::Semaphore{}, {{5, 1}})
      .loop(Engine::tensor, kTiles, 3)
      .add(Engine::tensor, matmul(DType::f32, 128, 128, 512), {{2, 1}},
           {{1, 1}})
      .endLoop(Engine::tensor)
      .add(Engine::tensor, isa::Semaphore{}, {}, {{4, 1}})
      .endLoop(Engine::tensor)
      .add(Engine::tensor, isa::Semaphore{}, {}, {{3, 1}})
      .endLoop(Engine::tensor);
  evict(builder);
  builder.add(Engine::tensor, isa::Semaphore{}, {{1, 32}, {3, 2}});
  const Timing timing = builder.time();
  requireProductsRan(timing);
  requireNear(ms(timing.makespan), 28.20, 2);
  requireNear(ms(timing.engines[0].busy), 28.16, 2);
  requireNear(16 * ms(timing.dma.busy), 402.07, 5);
  requireNear(static_cast<double>(timing.dmaBytes) / 16 / ns(timing.dma.busy),
              22.1, 5);
}

TEST_CASE("blocks of 16 x 2 x 8 tiles: little traffic, sums on VectorE") {
  constexpr int nBlocks = 8, kBlocks = 8, mBlocks = 2, results = 32, depth = 8;
  ModuleBuilder builder;
  // 0, 1: moving block is here, is free. 2, 3: stationary block. 4, 5: a bank
  // is full, is free. 6: all sums of a column of blocks are made.
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{1, 2}, {3, 2}})
      .add(Engine::vector, isa::Semaphore{}, {}, {{5, 4}});
  builder.loop(Engine::gpsimd, nBlocks * kBlocks, 1)
      .add(Engine::gpsimd, isa::Semaphore{}, {{1, 1}})
      .loop(Engine::gpsimd, depth, 2)
      .add(Engine::gpsimd, load(1024, 0, 0), {}, {{0, 1}})
      .endLoop(Engine::gpsimd)
      .loop(Engine::gpsimd, mBlocks, 3)
      .add(Engine::gpsimd, isa::Semaphore{}, {{3, 1}})
      .loop(Engine::gpsimd, depth, 2)
      .add(Engine::gpsimd, load(2048, 1, 8192), {}, {{2, 1}})
      .endLoop(Engine::gpsimd)
      .endLoop(Engine::gpsimd)
      .endLoop(Engine::gpsimd);
  builder.loop(Engine::tensor, nBlocks * kBlocks, 1)
      .add(Engine::tensor, isa::Semaphore{}, {{0, depth}})
      .loop(Engine::tensor, mBlocks, 2)
      .add(Engine::tensor, isa::Semaphore{}, {{2, depth}})
      .loop(Engine::tensor, results, 3)
      .add(Engine::tensor, isa::Semaphore{}, {{5, 1}})
      .loop(Engine::tensor, depth, 4)
      .add(Engine::tensor, matmul(DType::f32, 128, 128, 512))
      .endLoop(Engine::tensor)
      .add(Engine::tensor, isa::Semaphore{}, {}, {{4, 1}})
      .endLoop(Engine::tensor)
      .add(Engine::tensor, isa::Semaphore{}, {}, {{3, 1}})
      .endLoop(Engine::tensor)
      .add(Engine::tensor, isa::Semaphore{}, {}, {{1, 1}})
      .endLoop(Engine::tensor)
      .add(Engine::tensor, isa::Semaphore{}, {{1, 2}, {3, 2}});
  isa::Memset clear;
  clear.dst = sbuf(DType::f32, 128, 512, 65536);
  const isa::Access sum = sbuf(DType::f32, 128, 512, 65536);
  builder.loop(Engine::vector, nBlocks, 1)
      .loop(Engine::vector, mBlocks * results, 2)
      .add(Engine::vector, clear)
      .endLoop(Engine::vector)
      .loop(Engine::vector, kBlocks * mBlocks * results, 2)
      .add(Engine::vector, tensorTensor(sum, psum(DType::f32, 128, 512), sum),
           {{4, 1}}, {{5, 1}})
      .endLoop(Engine::vector)
      .loop(Engine::vector, mBlocks * results, 2)
      .add(Engine::vector, tensorCopy(sbuf(DType::f32, 128, 512, 131072), sum),
           {}, {{6, 1}})
      .endLoop(Engine::vector)
      .endLoop(Engine::vector)
      .add(Engine::vector, isa::Semaphore{}, {{5, 4}});
  builder.loop(Engine::sync, nBlocks * mBlocks * results / 2, 1)
      .add(Engine::sync,
           dmaCopy(hbm(DType::f32, 128, 1024, 1),
                   sbuf(DType::f32, 128, 1024, 131072), 7),
           {{6, 2}})
      .endLoop(Engine::sync);
  const Timing timing = builder.time();
  requireProductsRan(timing);
  requireNear(ms(timing.makespan), 28.30, 2);
  requireNear(ms(timing.engines[0].busy), 28.16, 2);
  requireNear(ms(timing.engines[1].busy), 2.99);
  requireNear(static_cast<double>(timing.dmaBytes) / 16 / ns(timing.dma.busy),
              22.2, 10);
}

} // namespace kiln::test::tutorial_test
