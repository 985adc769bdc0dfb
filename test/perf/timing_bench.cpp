//===- timing_bench.cpp - How fast the time model runs -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Usage: timing-bench [FILE.kbin]
//
// Without a file it runs a loop with the instruction mix of flash attention.
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

} // namespace

int main(int argc, char **argv) {
  isa::Module module;
  if (argc > 1) {
    std::ifstream file(argv[1], std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                          std::istreambuf_iterator<char>()};
    auto read = isa::readKbin(bytes);
    if (!read) {
      std::fprintf(stderr, "%s\n", read.error().str().c_str());
      return 1;
    }
    module = std::move(*read);
  } else {
    for (int trips : {10'000, 100'000, 1'000'000})
      printMemory(flashMix(trips));
    module = flashMix(100'000);
  }
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t begin = std::clock();
    auto timing = simulateTiming(module, isa::target(module.generation));
    const double took =
        static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!timing) {
      std::fprintf(stderr, "%s\n", timing.error().str().c_str());
      return 1;
    }
    const double rate = static_cast<double>(timing->instructions()) / took;
    best = std::max(best, rate);
    std::printf("%llu instructions, %.3f ms modelled, %.3f s: %.2f million "
                "instructions/s\n",
                static_cast<unsigned long long>(timing->instructions()),
                static_cast<double>(timing->makespan) / 1e9, took, rate / 1e6);
  }
  std::printf("best: %.2f million instructions/s\n", best / 1e6);
  return 0;
}
