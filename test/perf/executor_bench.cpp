//===- executor_bench.cpp - How fast the executor runs --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Usage: executor-bench FILE.kbin [REPEAT [THREADS]]
//
// Times the executor alone, without the start of a process and without making
// inputs: what a NumPy program measures around its tiles. Prints the best of
// REPEAT runs each with checks, without, and without but with times, one line
// each: NAME SECONDS. The three take turns, so that a busy host slows them
// alike.

#include "kiln/isa/container.h"
#include "kiln/isa/target.h"
#include "kiln/sim/executor.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

using namespace kiln;

namespace {

/// Values around 0, in the element type; nothing is timed here.
sim::TensorData someInput(const isa::Tensor &tensor) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1.7f, 1.7f);
  sim::TensorData data{tensor.name, {}};
  data.bytes.resize(tensor.sizeInBytes());
  const unsigned size = isa::sizeInBytes(tensor.dtype);
  for (std::size_t at = 0; at + size <= data.bytes.size(); at += size) {
    // The upper half of an fp32 is a bf16; integers get small numbers.
    std::uint32_t bits = std::bit_cast<std::uint32_t>(uniform(random));
    if (!isa::isFloat(tensor.dtype))
      bits &= 7;
    else if (size < sizeof bits)
      bits >>= 8 * (sizeof bits - size);
    std::memcpy(&data.bytes[at], &bits, size);
  }
  return data;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: executor-bench FILE.kbin [REPEAT [THREADS]]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                        std::istreambuf_iterator<char>()};
  const auto module = isa::readKbin(bytes);
  if (!module) {
    std::fprintf(stderr, "%s\n", module.error().str().c_str());
    return 1;
  }
  const int repeat = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  std::vector<sim::TensorData> inputs;
  for (const isa::Tensor &tensor : module->tensors)
    if (tensor.kind == isa::TensorKind::input ||
        tensor.kind == isa::TensorKind::inout)
      inputs.push_back(someInput(tensor));
  struct Mode {
    const char *name;
    bool checks, timing;
    double best = 1e30;
  };
  Mode modes[] = {{"checks", true, false},
                  {"no-checks", false, false},
                  {"no-checks-and-times", false, true}};
  for (int i = 0; i < repeat; ++i)
    for (Mode &mode : modes) {
      sim::Options options;
      options.checks = mode.checks;
      options.timing = mode.timing;
      options.threads =
          argc > 3 ? static_cast<unsigned>(std::max(0, std::atoi(argv[3]))) : 0;
      const auto begin = std::chrono::steady_clock::now();
      const sim::Result result =
          sim::run(*module, isa::target(module->generation), inputs, options);
      const std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - begin;
      if (result.fault) {
        std::fprintf(stderr, "%s\n", result.fault->text.c_str());
        return 1;
      }
      mode.best = std::min(mode.best, took.count());
    }
  for (const Mode &mode : modes)
    std::printf("%s %.4f\n", mode.name, mode.best);
  return 0;
}
