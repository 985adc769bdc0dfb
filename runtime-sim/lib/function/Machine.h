//===- Machine.h - State and meaning of instructions ------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes one instruction on the memories. Knows nothing of order: streams,
// queues and semaphores are the scheduler's. Shapes have been checked by
// isa::checkModule and addresses by the caller.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_MACHINE_H
#define KILN_SIM_LIB_FUNCTION_MACHINE_H

#include "Rows.h"

#include "../Pool.h"
#include "../StreamCursor.h"

#include "kiln/isa/target.h"

#include <array>
#include <vector>

namespace kiln::sim {

/// The hidden reduction registers of an engine, one per lane.
struct Accumulator {
  std::array<float, isa::maxPartitions> value{};
  std::array<bool, isa::maxPartitions> defined{};
};

struct Accumulators {
  Accumulator scalar, vector;
};

/// Source and destination of a DMA, resolved when it issued.
struct TransferViews {
  View dst, src;
  bool transpose = false;
  /// Which transfer of which engine this is, for stochastic rounding.
  isa::Engine engine = isa::Engine::sync;
  std::uint64_t serial = 0;
};

/// Some lanes of an instruction; none means all.
struct LaneRange {
  unsigned first = 0;
  unsigned count = 0;
};

/// What one host thread needs to execute instructions; see Team.
class Machine {
public:
  /// `pool` may be null: then everything runs on the calling thread.
  Machine(Memory &memory, Accumulators &accumulators, const isa::Target &target,
          const Numerics &numerics, Pool *pool)
      : memory(memory), accumulators(accumulators), target(target),
        kernels(sim::kernels()), converter(kernels, numerics), pool(pool),
        packing(2 * (pool ? pool->size() : 1)) {}

  /// Executes an engine instruction whose registers `cursor` holds, or those
  /// lanes of it. `serial` counts what the engine
  /// executed before. Returns why it cannot, or null.
  const char *execute(const isa::Body &body, isa::Engine engine,
                      const StreamCursor &cursor, std::uint64_t serial,
                      LaneRange lanes = {});

  /// Moves the bytes of a DMA.
  void transfer(const TransferViews &views);

  /// One i32 or u8 element, for register_load and register_store.
  std::int32_t loadElement(const View &view) const;
  void storeElement(const View &view, std::int32_t value) const;

private:
  // Tensor.cpp
  void run(const isa::NcMatmul &op);
  void run(const isa::NcTranspose &op);
  void packLanes(const View &view, unsigned first, unsigned last,
                 std::size_t width, unsigned worker, float *panels);
  void product(const View &stationary, const View &moving, float *out,
               std::size_t outStride, bool accumulate);
  void multiply(const View &dst, const View &stationary, const View &moving,
                bool accumulate);
  void transposeByIdentity(const View &dst, const View &data);
  void transposeTile(const View &dst, const View &data);
  // Movement.cpp
  void run(const isa::TensorCopy &op);
  void run(const isa::Memset &op);
  void run(const isa::Iota &op);
  void run(const isa::AffineSelect &op);
  void copyTransfer(const View &dst, const View &src);
  void transposeTransfer(const View &dst, const View &src);
  void collect(const View &view, std::uint8_t *dense);
  void spread(const std::uint8_t *dense, const View &view);
  // Elementwise.cpp
  void run(const isa::TensorTensor &op);
  void run(const isa::TensorScalar &op);
  void run(const isa::ScalarTensorTensor &op);
  void run(const isa::Reciprocal &op);
  void integerTensorTensor(const isa::TensorTensor &op);
  // Reduction.cpp
  void run(const isa::Activation &op);
  void run(const isa::SelectReduce &op);
  void run(const isa::TensorReduce &op);
  void reduceRow(isa::AluOp op, const float *row, std::uint64_t n, float &out);
  void writeColumn(const View &view, const float *values);

  /// The operand at its place; of the lanes that this call is about.
  View view(const isa::Access &access) {
    View result = memory.view(access, cursor->byteOffset(access));
    if (range.count != 0) {
      result.data += range.first * result.pitch;
      result.lanes = range.count;
    }
    return result;
  }
  /// Calls task(i, worker) for i < count, on the pool if there is one.
  template <class Task> void inParallel(unsigned count, const Task &task) {
    if (pool)
      return pool->run(count, task);
    for (unsigned i = 0; i < count; ++i)
      task(i, 0u);
  }
  /// Bits of `value` in `dtype`.
  void narrowOne(float value, isa::DType dtype, void *out);

  /// An immediate, or one value per lane.
  class LaneScalar;

  Memory &memory;
  Accumulators &accumulators;
  const isa::Target &target;
  const Kernels &kernels;
  Converter converter;
  Pool *pool;
  const StreamCursor *cursor = nullptr;
  isa::Engine engine = isa::Engine::sync;
  LaneRange range;
  const char *problem = nullptr;
  std::array<Buffer, 12> buffers;
  std::vector<Buffer> packing; ///< Two for each thread of the pool.
};

/// Reads per-partition operands lane by lane.
class Machine::LaneScalar {
public:
  LaneScalar(Machine &machine, const isa::ScalarOrTile &operand)
      : converter(machine.converter) {
    if (const auto *access = std::get_if<isa::Access>(&operand)) {
      isTile = true;
      tile = machine.view(*access);
    } else {
      immediate = std::get<float>(operand);
    }
  }
  float at(unsigned lane) const {
    if (!isTile)
      return immediate;
    float value;
    converter.widen(tile.dtype, tile.lane(lane), &value, 1);
    return value;
  }
  /// Writing `dst` in place must not disturb what `at` reads later.
  bool disturbedBy(const View &dst) const {
    return isTile && overlapsInPart(dst, tile);
  }

private:
  const Converter &converter;
  bool isTile = false;
  float immediate = 0;
  View tile;
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_MACHINE_H
