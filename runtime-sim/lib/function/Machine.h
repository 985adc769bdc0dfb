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

#include "Accumulator.h"
#include "Products.h"
#include "RandomState.h"
#include "Rows.h"

#include "../Pool.h"
#include "../StreamCursor.h"

#include "kiln/isa/target.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace kiln::sim {

/// The rows of an HBM operand, listed by an index operand.
struct RowIndices {
  View index; ///< Read lane first.
  View rows;  ///< The indexed operand; its layout is that of one row.
  std::uint64_t count = 0;
  std::int64_t stride = 0; ///< Bytes from row to row.
  std::int64_t extent = 0; ///< Rows of the tensor.
  std::int64_t offset = 0; ///< Of the first row in the tensor.
  std::int64_t tensorBytes = 0;
  bool isSigned = false;
};

/// A DMA, resolved when it issued.
struct TransferViews {
  View dst;
  std::vector<View> srcs;
  bool transpose = false;
  bool adds = false;  ///< dma_compute.
  bool skips = false; ///< Rows outside the tensor are left out.
  /// At most one side has them. A dma_compute that scatters has them for its
  /// first source as well.
  std::optional<RowIndices> dstRows, srcRows;
  unsigned queue = 0;
  /// Rows, middle and columns of what a transpose reads.
  std::uint64_t rows = 1, middle = 1, columns = 1;
  /// Which transfer of which engine this is, for stochastic rounding.
  isa::Engine engine = isa::Engine::sync;
  std::uint64_t serial = 0;
};

/// What engines keep between instructions, besides memory.
struct EngineState {
  explicit EngineState(const isa::Target &target)
      : vectorRandom(target.generation >= isa::Generation::v4 ? 4 : 1) {}

  Accumulator scalar, vector;
  RandomState vectorRandom, gpsimdRandom;
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
  Machine(Memory &memory, EngineState &state, const isa::Target &target,
          const Numerics &numerics, Pool *pool)
      : memory(memory), state(state), target(target), kernels(sim::kernels()),
        converter(kernels, numerics), pool(pool),
        packing(2 * (pool ? pool->size() : 1)), products(kernels, pool) {}

  /// Executes an engine instruction whose registers `cursor` holds, or those
  /// lanes of it. `serial` counts what the engine executed before. Returns why
  /// it cannot, or null.
  const char *execute(const isa::Body &body, isa::Engine engine,
                      const StreamCursor &cursor, std::uint64_t serial,
                      LaneRange lanes = {});

  /// Makes the products that wait: before anything but products looks at
  /// memory.
  void settle() { products.settle(); }

  /// The operands of a DMA at the addresses that the registers now give.
  TransferViews prepare(const isa::Body &body, const StreamCursor &cursor);
  /// Moves its bytes. Returns what is wrong with an index, if something is.
  std::optional<std::string> transfer(const TransferViews &views);
  /// True if the executor has a meaning for the instruction.
  static bool understands(const isa::Body &body);

  /// One i32 or u8 element, for register_load and register_store.
  std::int32_t loadElement(const View &view) const;
  void storeElement(const View &view, std::int32_t value) const;

private:
  class LaneScalar;

  // Tensor.cpp
  void run(const isa::NcMatmul &op);
  void run(const isa::NcTranspose &op);
  /// True if products can read the rows of K where they lie, and store sums
  /// where they belong.
  bool hasProductRows(const View &view, unsigned rowsPerLane) const;
  bool hasRowsOfSums(const View &dst) const;
  /// The operand as rows of K; widened into `dense` if it must be.
  Kernels::Rows productRows(const View &view, unsigned rowsPerLane,
                            Buffer &dense);
  void multiply(const View &dst, const View &stationary, const View &moving,
                bool accumulate, unsigned rowsPerLane = 1);
  /// The product of operands with `depth` rows, into `dst`; at the latest when
  /// products settle.
  void multiplyRows(const View &dst, const Kernels::Rows &stationary,
                    const Kernels::Rows &moving, std::size_t depth,
                    std::size_t m, std::size_t n, bool accumulate);
  void transposeByIdentity(const View &dst, const View &data);
  void transposeTile(const View &dst, const View &data);
  // Movement.cpp
  void run(const isa::TensorCopy &op);
  void run(const isa::TensorCopyPredicated &op);
  void run(const isa::Memset &op);
  void run(const isa::Iota &op);
  void run(const isa::AffineSelect &op);
  // Transfer.cpp
  void prepare(const isa::DmaCopy &op, TransferViews &views);
  void prepare(const isa::DmaTranspose &op, TransferViews &views);
  void prepare(const isa::DmaCompute &op, TransferViews &views);
  RowIndices rowsOf(const isa::Access &access, const isa::Access &index);
  std::optional<std::string> resolveRows(const TransferViews &views);
  void copyTransfer(const TransferViews &views);
  void addTransfer(const TransferViews &views);
  void transposeTransfer(const TransferViews &views);
  void collectRows(const RowIndices &rows, std::uint8_t *dense);
  void deliver(const TransferViews &views, const std::uint8_t *dense);
  /// Rows of bytes without gaps in them.
  struct ByteRows {
    std::uint8_t *data;
    std::int64_t pitch, bytes;
    /// Runs of `bytes` that make up a row, and from one to the next.
    unsigned runs = 1;
    std::int64_t step = 0;

    bool isDense() const { return runs == 1 && pitch == bytes; }
    std::uint8_t *run(unsigned index) const {
      return data + index / runs * pitch + index % runs * step;
    }
    /// No two runs of `count` rows have a byte in common.
    bool areApart(unsigned count) const;
    /// The same bytes in `parts` runs to a row.
    ByteRows inRuns(unsigned parts) const {
      return {data, pitch, bytes / parts, parts, bytes / parts};
    }
  };
  static std::optional<ByteRows> rowsOf(const View &view, unsigned count);
  void copyRows(const ByteRows &to, const ByteRows &from, unsigned count);
  /// Calls task(i) for i < count, on threads if it is about many bytes.
  template <class Task>
  void forParts(unsigned count, std::uint64_t bytes, Task &&task);
  template <class Task> void forLanes(const View &view, Task &&task);
  void collect(const View &view, std::uint8_t *dense);
  void spread(const std::uint8_t *dense, const View &view);
  // Elementwise.cpp
  void run(const isa::TensorTensor &op);
  void run(const isa::TensorScalar &op);
  void run(const isa::ScalarTensorTensor &op);
  void run(const isa::Reciprocal &op);
  // Bitwise.cpp
  void bitwise(const isa::TensorTensor &op);
  void bitwise(const isa::TensorScalar &op);
  void bitwise(const isa::TensorReduce &op);
  void bitwise(const isa::TensorPartitionReduce &op);
  // Activation.cpp
  void run(const isa::Activation &op);
  void run(const isa::ActivationReduce &op);
  void run(const isa::Activate2 &op);
  void run(const isa::Exponential &op);
  // Selection.cpp
  void run(const isa::SelectReduce &op);
  void run(const isa::RangeSelect &op);
  void run(const isa::TensorScalarReduce &op);
  // Reduction.cpp
  void run(const isa::TensorReduce &op);
  void run(const isa::TensorPartitionReduce &op);
  void foldRow(isa::AluOp op, const float *row, std::uint64_t n, float &out);
  // Scan.cpp
  void run(const isa::TensorScalarCumulative &op);
  void run(const isa::TensorTensorScan &op);
  // Statistics.cpp
  void run(const isa::BnStats &op);
  void run(const isa::BnAggr &op);
  // Search.cpp
  void run(const isa::Max8 &op);
  void run(const isa::NcFindIndex8 &op);
  void run(const isa::NcMatchReplace8 &op);
  // Lists.cpp
  void run(const isa::Topk &op);
  void run(const isa::NonzeroWithCount &op);
  void run(const isa::SequenceBounds &op);
  // Gather.cpp
  void run(const isa::NcStreamShuffle &op);
  void run(const isa::LocalGather &op);
  void run(const isa::NcNGather &op);
  // Microscaling.cpp
  void run(const isa::NcMatmulMx &op);
  void run(const isa::QuantizeMx &op);
  View scaleView(const isa::Access &access, const View &data);
  Kernels::Rows scaledRows(const View &data, const View &scale, Buffer &dense);
  // Random.cpp
  void run(const isa::Dropout &op);
  void run(const isa::Rng &op);
  void run(const isa::Rand2 &op);
  void run(const isa::SetRngSeed &op);
  void run(const isa::RandSetState &op);
  void run(const isa::RandGetState &op);
  RandomState &randomState() {
    return engine == isa::Engine::gpsimd ? state.gpsimdRandom
                                         : state.vectorRandom;
  }

  /// The row functions of an operator; without one, `problem` is set and the
  /// result copies.
  Kernels::Binary binary(isa::AluOp op);
  Kernels::Scalar withScalar(isa::AluOp op, bool reversed);
  Kernels::Bits onBits(isa::AluOp op, bool isSigned = false);

  /// Brings the registers to where `command` starts; false, with `problem` set,
  /// if it goes on from an undefined one.
  bool startAccumulator(AccumulatorLanes registers, isa::ReduceCommand command,
                        float identity, const LaneScalar *load, unsigned lanes,
                        bool isRead);
  /// The hidden registers of the lanes that this call is about.
  AccumulatorLanes scalarRegisters() { return {state.scalar, range.first}; }
  AccumulatorLanes vectorRegisters() { return {state.vector, range.first}; }
  /// Makes the rows of `dst` with produce(lane, row), folds each into its
  /// register if there are `registers`, and stores them.
  template <class Produce>
  void produceRows(const View &dst, bool inPlace,
                   std::optional<AccumulatorLanes> registers, isa::AluOp op,
                   Produce &&produce);
  /// The same for one fp32 number a lane, without registers: the lanes are one
  /// row, which produce(row) makes.
  template <class Produce>
  void produceColumn(const View &dst, Produce &&produce);
  static bool isColumnOfF32(const View &view) {
    return view.isColumn() && view.dtype == isa::DType::f32;
  }
  /// An idle user of the Vector registers leaves them undefined.
  void leaveVectorAccumulator(isa::ReduceCommand command, unsigned lanes) {
    for (unsigned p = 0; p < lanes && command == isa::ReduceCommand::idle; ++p)
      vectorRegisters().forget(p);
  }
  /// The elements of a lane in type `to`: their bits if that is their type.
  void castRow(const View &src, unsigned lane, RowSource &source, isa::DType to,
               void *out);
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
  /// The same, with `index` in place of the pattern if there is one; sets
  /// `problem` where a place lies outside.
  View view(const isa::Access &access, const isa::Optional<isa::Access> &index);
  /// Calls task(i, worker) for i < count, on the pool if there is one.
  template <class Task> void inParallel(unsigned count, const Task &task) {
    if (pool)
      return pool->run(count, task);
    for (unsigned i = 0; i < count; ++i)
      task(i, 0u);
  }
  /// Bits of `value` in `dtype`.
  void narrowOne(float value, isa::DType dtype, void *out);

  Memory &memory;
  EngineState &state;
  const isa::Target &target;
  const Kernels &kernels;
  Converter converter;
  Pool *pool;
  const StreamCursor *cursor = nullptr;
  isa::Engine engine = isa::Engine::sync;
  LaneRange range;
  const char *problem = nullptr;
  /// Where the rows of a DMA start in its tensor; none for one that is left
  /// out.
  std::vector<std::optional<std::int64_t>> rowStarts;
  /// Of the indexed operands of the instruction at hand.
  std::array<std::vector<std::int64_t>, 6> placeLists;
  unsigned numPlaceLists = 0;
  /// 0 to 9 belong to `run`, the rest to the helpers.
  std::array<Buffer, 16> buffers;
  std::vector<Buffer> packing; ///< Two for each thread of the pool.
  Products products;
};

/// A number, or one per lane.
class Machine::LaneScalar {
public:
  LaneScalar(Machine &machine, const isa::ScalarOrTile &operand)
      : converter(machine.converter) {
    if (const auto *access = std::get_if<isa::Access>(&operand)) {
      isTile = true;
      tile = machine.view(*access);
    } else if (const auto *integer = std::get_if<std::int32_t>(&operand)) {
      immediate = static_cast<float>(*integer);
    } else {
      immediate = std::get<float>(operand);
    }
  }
  LaneScalar(Machine &machine, const isa::Optional<isa::ScalarOrTile> &operand)
      : LaneScalar(machine, operand ? *operand : isa::ScalarOrTile(0.0f)) {}

  float at(unsigned lane) const {
    if (!isTile)
      return immediate;
    float value;
    if (tile.dtype == isa::DType::f32 && converter.readsInPlace())
      std::memcpy(&value, tile.lane(lane), sizeof value);
    else
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

template <class Produce>
void Machine::produceColumn(const View &dst, Produce &&produce) {
  float *column = buffers[14].get<float>(dst.lanes);
  produce(column);
  converter.settle(column, dst.lanes);
  for (unsigned p = 0; p < dst.lanes; ++p)
    std::memcpy(dst.lane(p), column + p, sizeof *column);
}

template <class Produce>
void Machine::produceRows(const View &dst, bool inPlace,
                          std::optional<AccumulatorLanes> registers,
                          isa::AluOp op, Produce &&produce) {
  // Ordered sums of some rows at a time overlap. Unless rows are made in
  // place, they wait in a buffer of their own.
  constexpr unsigned block = Kernels::maxSumRows;
  const std::uint64_t n = dst.elements();
  RowSink sink(converter, dst, buffers[12], buffers[13], inPlace);
  float *waiting = buffers[14].get<float>(block * n);
  for (unsigned p0 = 0; p0 < dst.lanes; p0 += block) {
    const unsigned count = std::min(block, dst.lanes - p0);
    std::array<float *, block> rows{};
    for (unsigned i = 0; i < count; ++i) {
      rows[i] = sink.writesInPlace() ? sink.row(p0 + i) : waiting + i * n;
      produce(p0 + i, rows[i]);
    }
    if (registers && op == isa::AluOp::add)
      kernels.sumRows(rows.data(), count, n, registers->values() + p0);
    for (unsigned i = 0; i < count; ++i) {
      if (registers && op != isa::AluOp::add)
        foldRow(op, rows[i], n, (*registers)[p0 + i]);
      sink.finish(p0 + i, rows[i]);
    }
  }
  if (registers)
    converter.settle(registers->values(), dst.lanes);
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_MACHINE_H
