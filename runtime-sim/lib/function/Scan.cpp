//===- Scan.cpp - Recurrences along a row ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value carried from element to element is fp32; only what is written is
// cast.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

namespace kiln::sim {

void Machine::run(const isa::TensorScalarCumulative &op) {
  const View dst = view(op.dst, op.dst_index);
  const View src = view(op.src, op.src_index);
  const LaneScalar operand(*this, op.imm0);
  const LaneScalar init(*this, op.imm1);
  if (!startAccumulator(vectorRegisters(), op.reduce_cmd, identityOf(op.op1),
                        &init, dst.lanes, false))
    return;
  const Kernels::Scalar compute = withScalar(op.op0, false);
  // The new element is the left operand.
  const Kernels::Scalar step = withScalar(op.op1, false);
  const std::uint64_t n = dst.elements();
  RowSource source(converter, src, buffers[0], buffers[1]);
  produceRows(dst, !overlapsInPart(dst, src) && !operand.disturbedBy(dst),
              std::nullopt, op.op1, [&](unsigned p, float *row) {
                float &carried = vectorRegisters()[p];
                compute(source.row(p), operand.at(p), row, n);
                for (std::uint64_t i = 0; i < n; ++i) {
                  step(row + i, carried, row + i, 1);
                  carried = row[i];
                }
              });
  converter.settle(vectorRegisters().values(), dst.lanes);
}

void Machine::run(const isa::TensorTensorScan &op) {
  const View dst = view(op.dst);
  const View left = view(op.data0);
  const View right = view(op.data1);
  const LaneScalar initial(*this, op.initial);
  const Kernels::Binary stage0 = binary(op.op0);
  const Kernels::Binary stage1 = binary(op.op1);
  const std::uint64_t n = dst.elements();
  RowSource a(converter, left, buffers[0], buffers[1]);
  RowSource b(converter, right, buffers[2], buffers[3]);
  produceRows(dst, false, std::nullopt, op.op0, [&](unsigned p, float *row) {
    const float *first = a.row(p);
    const float *second = b.row(p);
    float carried = initial.at(p);
    for (std::uint64_t i = 0; i < n; ++i) {
      float inner;
      if (op.reverse0)
        stage0(&carried, first + i, &inner, 1);
      else
        stage0(first + i, &carried, &inner, 1);
      if (op.reverse1)
        stage1(second + i, &inner, &carried, 1);
      else
        stage1(&inner, second + i, &carried, 1);
      row[i] = carried;
    }
  });
}

} // namespace kiln::sim
