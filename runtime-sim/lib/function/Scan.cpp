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

#include "Meanings.h"
#include "Results.h"
#include "Rows.h"

namespace kiln::sim {

Outcome run(Lanes &lanes, const isa::TensorScalarCumulative &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View src = lanes.view(op.src, op.src_index);
  const LaneScalar operand(lanes, op.imm0);
  const LaneScalar init(lanes, op.imm1);
  if (!startAccumulator(lanes.vectorRegisters(), op.reduce_cmd,
                        identityOf(op.op1), &init, dst.lanes, false))
    return Outcome::undefinedAccumulator;
  const Kernels::Scalar compute = lanes.withScalar(op.op0, false);
  // The new element is the left operand.
  const Kernels::Scalar step = lanes.withScalar(op.op1, false);
  const std::uint64_t n = dst.elements();
  RowSource source(lanes, src);
  produceRows(lanes, dst,
              !overlapsInPart(dst, src) && !operand.disturbedBy(dst),
              std::nullopt, op.op1, [&](unsigned p, float *row) {
                float &carried = lanes.vectorRegisters()[p];
                compute(source.row(p), operand.at(p), row, n);
                for (std::uint64_t i = 0; i < n; ++i) {
                  step(row + i, carried, row + i, 1);
                  carried = row[i];
                }
              });
  lanes.converter.settle(lanes.vectorRegisters().values(), dst.lanes);
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::TensorTensorScan &op) {
  const View dst = lanes.view(op.dst);
  const View left = lanes.view(op.data0);
  const View right = lanes.view(op.data1);
  const LaneScalar initial(lanes, op.initial);
  const Kernels::Binary stage0 = lanes.binary(op.op0);
  const Kernels::Binary stage1 = lanes.binary(op.op1);
  const std::uint64_t n = dst.elements();
  RowSource a(lanes, left);
  RowSource b(lanes, right);
  produceRows(lanes, dst, false, std::nullopt, op.op0,
              [&](unsigned p, float *row) {
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
  return Outcome::done;
}

} // namespace kiln::sim
