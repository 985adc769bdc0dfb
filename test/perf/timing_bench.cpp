//===- timing_bench.cpp - How fast the time model runs -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Usage: timing-bench [FILE.kbin]
//
// Without a file it runs loops with the instruction mixes of flash attention
// and of a large matrix product, of which every second instruction is a DMA,
// and one in which engines meet at the ports of the memories all the time.
// Prints instructions of simulateTiming in a second of processor time, and the
// memory it takes for runs of growing length. Not a test: a test must not
// depend on the clock of the machine it runs on.

#include "../unit/runtime-sim/timing/StreamBuilder.h"

#include "kiln/isa/container.h"
#include "kiln/sim/timing.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sys/resource.h>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;
using isa::DType;
using isa::Engine;

namespace {

/// One key block of flash attention, over and over.
isa::Module flashMix(int trips) {
  StreamBuilder builder;
  const isa::Access scores = psum(DType::f32, 128, 512, 0);
  const isa::Access weights = sbuf(DType::bf16, 128, 512, 16384);
  const isa::Access column = sbuf(DType::f32, 128, 1, 65536);
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{0, 4}, {6, 1}});
  builder.loop(Engine::sync, trips);
  for (int i = 0; i < 2; ++i)
    builder.add(Engine::sync,
                dmaCopy(sbuf(DType::bf16, 128, 512, 4096 * i),
                        hbm(DType::bf16, 128, 512), i),
                {{0, 1}}, {{1, 1}});
  builder.endLoop(Engine::sync);

  builder.loop(Engine::tensor, trips)
      .add(Engine::tensor, matmul(DType::bf16, 128, 128, 512), {{1, 2}, {6, 1}},
           {{2, 1}});
  for (unsigned i = 0; i < 4; ++i) {
    isa::NcTranspose transpose;
    transpose.dst = psum(DType::bf16, 128, 128, 2);
    transpose.data = sbuf(DType::bf16, 128, 128, 16384 + 256 * i);
    builder.add(Engine::tensor, transpose,
                i == 0 ? std::vector<isa::Wait>{{3, 1}}
                       : std::vector<isa::Wait>{});
    builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 128, 4));
  }
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{0, 2}, {4, 1}});
  builder.endLoop(Engine::tensor);

  isa::TensorReduce maximum;
  maximum.dst = column;
  maximum.op = isa::AluOp::maximum;
  maximum.data = scores;
  builder.loop(Engine::vector, trips)
      .add(Engine::vector, maximum, {{2, 1}}, {{5, 1}})
      .add(Engine::vector, tensorTensor(column, column, column));
  for (int i = 0; i < 4; ++i)
    builder.add(Engine::vector,
                tensorCopy(sbuf(DType::bf16, 128, 128, 32768 + 256 * i),
                           psum(DType::bf16, 128, 128, 2)));
  builder.add(Engine::vector,
              tensorTensor(sbuf(DType::f32, 128, 128, 70000 - 368),
                           sbuf(DType::f32, 128, 128, 70000 - 368),
                           psum(DType::f32, 128, 128, 4)),
              {{4, 1}}, {{6, 1}});
  builder.endLoop(Engine::vector);

  builder.loop(Engine::scalar, trips)
      .add(Engine::scalar,
           activation(isa::ActivationFunction::exp, weights, scores), {{5, 1}},
           {{3, 1}})
      .add(Engine::scalar, activation(isa::ActivationFunction::exp,
                                      sbuf(DType::f32, 128, 1, 80000), column))
      .endLoop(Engine::scalar);
  return builder.module;
}

/// Blocks of a product whose stationary tiles are transposed on their way: one
/// transfer for each multiplication.
isa::Module productMix(int trips) {
  StreamBuilder builder;
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{0, 2}});
  builder.loop(Engine::sync, trips);
  for (unsigned i = 0; i < 32; ++i) {
    isa::DmaTranspose transpose;
    transpose.dst = sbuf(DType::bf16, 128, 128, 65536 + 256 * i);
    transpose.src = hbm(DType::bf16, 128, 128);
    transpose.queue = static_cast<std::int32_t>(i % 8);
    builder.add(Engine::sync, transpose,
                i == 0 ? std::vector<isa::Wait>{{0, 1}}
                       : std::vector<isa::Wait>{},
                i >= 24 ? std::vector<isa::Signal>{{1, 1}}
                        : std::vector<isa::Signal>{});
  }
  builder.endLoop(Engine::sync).loop(Engine::tensor, trips);
  for (unsigned i = 0; i < 32; ++i)
    builder.add(Engine::tensor, matmul(DType::bf16, 128, 128, 512, i % 4),
                i == 0 ? std::vector<isa::Wait>{{1, 8}}
                       : std::vector<isa::Wait>{},
                i == 31 ? std::vector<isa::Signal>{{2, 1}}
                        : std::vector<isa::Signal>{});
  builder.add(Engine::tensor, isa::Semaphore{}, {}, {{0, 1}})
      .endLoop(Engine::tensor)
      .loop(Engine::vector, trips)
      .add(Engine::vector,
           tensorCopy(sbuf(DType::bf16, 128, 512, 98304),
                      psum(DType::f32, 128, 512)),
           {{2, 1}})
      .endLoop(Engine::vector);
  return builder.module;
}

/// Three engines that meet at a PSUM bank and the bus of SBUF all the time.
isa::Module portMix(int trips) {
  StreamBuilder builder;
  const isa::Access bank = psum(DType::bf16, 128, 512, 0);
  isa::Memset fill;
  fill.dst = sbuf(DType::f32, 128, 300, 65536);
  builder.loop(Engine::vector, trips)
      .loop(Engine::scalar, trips)
      .loop(Engine::gpsimd, trips);
  for (int i = 0; i < 8; ++i)
    builder.add(Engine::vector, tensorCopy(sbuf(DType::bf16, 128, 512), bank))
        .add(Engine::scalar,
             activation(isa::ActivationFunction::copy,
                        sbuf(DType::bf16, 128, 512, 8192), bank))
        .add(Engine::gpsimd, fill);
  builder.endLoop(Engine::vector)
      .endLoop(Engine::scalar)
      .endLoop(Engine::gpsimd);
  return builder.module;
}

/// The largest memory of the process so far: it must not grow with the run.
void printMemory(const isa::Module &module) {
  const auto timing = simulateTiming(module, isa::target(module.generation));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%10llu instructions: at most %ld KiB resident\n",
      static_cast<unsigned long long>(timing ? timing->instructions() : 0),
      usage.ru_maxrss);
}

bool measure(const isa::Module &module, const char *what) {
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t begin = std::clock();
    auto timing = simulateTiming(module, isa::target(module.generation));
    const double took =
        static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!timing) {
      std::fprintf(stderr, "%s\n", timing.error().str().c_str());
      return false;
    }
    const double rate = static_cast<double>(timing->instructions()) / took;
    best = std::max(best, rate);
    std::printf("%s: %llu instructions, %.3f ms modelled, %.3f s: %.2f million "
                "instructions/s\n",
                what, static_cast<unsigned long long>(timing->instructions()),
                static_cast<double>(timing->makespan) / 1e9, took, rate / 1e6);
  }
  std::printf("best: %.2f million instructions/s\n", best / 1e6);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) {
    std::ifstream file(argv[1], std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                          std::istreambuf_iterator<char>()};
    auto read = isa::readKbin(bytes);
    if (!read) {
      std::fprintf(stderr, "%s\n", read.error().str().c_str());
      return 1;
    }
    return measure(*read, argv[1]) ? 0 : 1;
  }
  for (int trips : {10'000, 100'000, 1'000'000})
    printMemory(flashMix(trips));
  for (int trips : {10'000, 100'000, 1'000'000})
    printMemory(portMix(trips));
  return measure(flashMix(100'000), "flash attention") &&
                 measure(productMix(20'000), "matrix product") &&
                 measure(portMix(50'000), "shared ports")
             ? 0
             : 1;
}
