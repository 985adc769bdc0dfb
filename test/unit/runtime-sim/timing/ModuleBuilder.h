//===- ModuleBuilder.h - Small modules for timing tests ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TIMING_MODULEBUILDER_H
#define KILN_TEST_TIMING_MODULEBUILDER_H

#include "kiln/sim/timing.h"

#include "catch.h"

#include <numeric>

namespace kiln::sim::test {

inline isa::Access onChip(isa::Space space, isa::DType dtype,
                          unsigned partitions, std::uint32_t elements,
                          std::int64_t offset, std::int32_t stride = 1) {
  isa::Access access;
  access.space = space;
  access.dtype = dtype;
  access.partitions = static_cast<std::uint8_t>(partitions);
  access.rank = 1;
  access.offset = offset;
  access.dims[0] = {stride, elements};
  return access;
}
inline isa::Access sbuf(isa::DType dtype, unsigned partitions,
                        std::uint32_t elements, std::int64_t offset = 0,
                        std::int32_t stride = 1) {
  return onChip(isa::Space::sbuf, dtype, partitions, elements, offset, stride);
}
inline isa::Access psum(isa::DType dtype, unsigned partitions,
                        std::uint32_t elements, unsigned bank = 0) {
  return onChip(isa::Space::psum, dtype, partitions, elements, bank * 2048);
}
/// A dense [rows, columns] matrix at the start of an HBM tensor.
inline isa::Access hbm(isa::DType dtype, std::uint32_t rows,
                       std::uint32_t columns, std::uint16_t tensor = 0) {
  isa::Access access;
  access.space = isa::Space::hbm;
  access.dtype = dtype;
  access.tensor = tensor;
  access.rank = 2;
  access.dims[0] = {static_cast<std::int32_t>(columns), rows};
  access.dims[1] = {1, columns};
  return access;
}

/// Collects instructions by stream.
class ModuleBuilder {
public:
  explicit ModuleBuilder(isa::Generation generation = isa::Generation::v3) {
    module.kernel = "test";
    module.generation = generation;
    for (const char *name : {"t0", "t1", "t2", "t3"})
      module.tensors.push_back(
          {name, isa::DType::bf16, isa::TensorKind::input, {1 << 20}, {}});
  }

  ModuleBuilder &add(isa::Engine engine, isa::Body body,
                     std::vector<isa::Wait> waits = {},
                     std::vector<isa::Signal> signals = {}) {
    isa::Instruction instruction;
    instruction.body = std::move(body);
    instruction.waits = std::move(waits);
    instruction.signals = std::move(signals);
    module.streams[static_cast<std::size_t>(engine)].push_back(
        std::move(instruction));
    return *this;
  }
  ModuleBuilder &loop(isa::Engine engine, int trips, unsigned reg = 0) {
    isa::LoopBegin begin;
    begin.counter = {static_cast<std::uint8_t>(reg)};
    begin.begin = {0};
    begin.end = {trips};
    begin.step = 1;
    return add(engine, begin);
  }
  ModuleBuilder &endLoop(isa::Engine engine) {
    return add(engine, isa::LoopEnd{});
  }

  Timing time(TimingOptions options = {}) const {
    return time(isa::target(module.generation), options);
  }
  Timing time(const isa::Target &target, TimingOptions options = {}) const {
    auto timing = simulateTiming(module, target, options);
    if (!timing)
      FAIL(timing.error().text);
    requireBooksBalance(*timing);
    return *timing;
  }

  /// Holds for every run: nothing is counted twice and nothing is lost.
  static void requireBooksBalance(const Timing &timing) {
    for (const EngineTime &engine : timing.engines) {
      const Picoseconds stalled = std::accumulate(
          engine.stalls.begin(), engine.stalls.end(), Picoseconds{0});
      REQUIRE(engine.busy + stalled == timing.makespan);
      REQUIRE(engine.stall <= stalled);
    }
    REQUIRE(timing.lowerBound <= timing.makespan);
    REQUIRE(timing.dma.busy <= timing.makespan);
  }

  isa::Module module;
};

inline isa::DmaCopy dmaCopy(isa::Access dst, isa::Access src, int queue = 0,
                            isa::DgeMode mode = isa::DgeMode::unknown) {
  isa::DmaCopy copy;
  copy.dst = dst;
  copy.src = src;
  copy.queue = queue;
  copy.dge_mode = mode;
  return copy;
}
inline isa::NcMatmul matmul(isa::DType dtype, unsigned k, std::uint32_t m,
                            std::uint32_t n, unsigned bank = 0) {
  isa::NcMatmul op;
  op.dst = psum(isa::DType::f32, m, n, bank);
  op.stationary = sbuf(dtype, k, m, 0);
  op.moving = sbuf(dtype, k, n, 4096);
  return op;
}
inline isa::Activation activation(isa::ActivationFunction function,
                                  isa::Access dst, isa::Access data) {
  isa::Activation op;
  op.op = function;
  op.dst = dst;
  op.data = data;
  return op;
}
inline isa::TensorTensor tensorTensor(isa::Access dst, isa::Access a,
                                      isa::Access b,
                                      isa::AluOp op = isa::AluOp::add) {
  isa::TensorTensor instruction;
  instruction.dst = dst;
  instruction.data1 = a;
  instruction.data2 = b;
  instruction.op = op;
  return instruction;
}
inline isa::TensorCopy tensorCopy(isa::Access dst, isa::Access src) {
  isa::TensorCopy op;
  op.dst = dst;
  op.src = src;
  return op;
}

inline double ns(Picoseconds time) { return static_cast<double>(time) / 1000; }

} // namespace kiln::sim::test

#endif // KILN_TEST_TIMING_MODULEBUILDER_H
