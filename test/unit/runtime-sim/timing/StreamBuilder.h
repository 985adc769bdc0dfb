//===- StreamBuilder.h - Small modules, instruction by instruction -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TIMING_STREAMBUILDER_H
#define KILN_TEST_TIMING_STREAMBUILDER_H

#include "kiln/isa/module.h"

namespace kiln::sim::test {

// All that a timing test names, for one `using namespace kiln::sim::test`.
using namespace kiln;
using namespace kiln::sim;
using isa::DType;
using isa::Engine;
using isa::Generation;

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
class StreamBuilder {
public:
  explicit StreamBuilder(isa::Generation generation = isa::Generation::v3) {
    module.kernel = "test";
    module.generation = generation;
    for (const char *name : {"t0", "t1", "t2", "t3"})
      module.tensors.push_back(
          {name, isa::DType::bf16, isa::TensorKind::input, {1 << 20}, {}});
  }

  StreamBuilder &add(isa::Engine engine, isa::Body body,
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
  StreamBuilder &loop(isa::Engine engine, int trips, unsigned reg = 0) {
    isa::LoopBegin begin;
    begin.counter = {static_cast<std::uint8_t>(reg)};
    begin.begin = {0};
    begin.end = {trips};
    begin.step = 1;
    return add(engine, begin);
  }
  StreamBuilder &endLoop(isa::Engine engine) {
    return add(engine, isa::LoopEnd{});
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

} // namespace kiln::sim::test

#endif // KILN_TEST_TIMING_STREAMBUILDER_H
