//===- Elementwise.cpp - Arithmetic on tiles ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitwise.h"
#include "Meanings.h"
#include "Results.h"
#include "Rows.h"

namespace kiln::sim {

namespace {

bool isWideInteger(isa::DType dtype) {
  return dtype == isa::DType::i32 || dtype == isa::DType::u32;
}

} // namespace

/// GpSimd computes on 32-bit integers exactly, and so do bitwise operators.
Outcome run(Lanes &lanes, const isa::TensorTensor &op) {
  const bool exact =
      lanes.engine == isa::Engine::gpsimd && op.op != isa::AluOp::power &&
      isWideInteger(op.dst.dtype) && isWideInteger(op.data1.dtype) &&
      isWideInteger(op.data2.dtype);
  if (exact || isa::isBitwise(op.op))
    return bitwise(lanes, op);
  const View dst = lanes.view(op.dst, op.dst_index);
  const View left = lanes.view(op.data1, op.data1_index);
  const View right = lanes.view(op.data2);
  const bool inPlace =
      !overlapsInPart(dst, left) && !overlapsInPart(dst, right);
  RowSource a(lanes, left);
  RowSource b(lanes, right);
  RowSink sink(lanes, dst, inPlace);
  const Kernels::Binary compute = lanes.binary(op.op);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    compute(a.row(p), b.row(p), row, dst.elements());
    sink.finish(p, row);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::TensorScalar &op) {
  if (isa::isBitwise(op.op0))
    return bitwise(lanes, op);
  const View dst = lanes.view(op.dst, op.dst_index);
  const View data = lanes.view(op.data, op.data_index);
  const LaneScalar first(lanes, op.operand0);
  const LaneScalar second(lanes, op.operand1);
  RowSource source(lanes, data);
  const Kernels::Binary onColumns0 =
      lanes.kernels.vv[static_cast<std::size_t>(op.op0)];
  const Kernels::Binary onColumns1 =
      lanes.kernels.vv[static_cast<std::size_t>(op.op1.value_or(op.op0))];
  if (isColumnOfF32(dst) && data.isColumn() && onColumns0 && onColumns1 &&
      !op.reverse0 && !op.reverse1)
    return produceColumn(lanes, dst, [&](float *column) {
      float *operand = lanes.scratch.get<float>(dst.lanes);
      for (unsigned p = 0; p < dst.lanes; ++p) {
        column[p] = *source.row(p);
        operand[p] = first.at(p);
      }
      onColumns0(column, operand, column, dst.lanes);
      if (!op.op1)
        return;
      for (unsigned p = 0; p < dst.lanes; ++p)
        operand[p] = second.at(p);
      onColumns1(column, operand, column, dst.lanes);
    });
  RowSink sink(lanes, dst,
               !overlapsInPart(dst, data) && !first.disturbedBy(dst) &&
                   !second.disturbedBy(dst));
  const Kernels::Scalar stage0 = lanes.withScalar(op.op0, op.reverse0);
  const Kernels::Scalar stage1 =
      op.op1 ? lanes.withScalar(*op.op1, op.reverse1) : nullptr;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float operand0 = first.at(p);
    const float operand1 = second.at(p);
    float *row = sink.row(p);
    stage0(source.row(p), operand0, row, dst.elements());
    if (stage1)
      stage1(row, operand1, row, dst.elements());
    sink.finish(p, row);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::ScalarTensorTensor &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const View tile = lanes.view(op.operand1);
  const LaneScalar scalar(lanes, op.operand0);
  RowSource a(lanes, data);
  RowSource b(lanes, tile);
  // The tile is read after the first operator has written its row.
  const bool inPlace = dst.space != tile.space && !overlapsInPart(dst, data) &&
                       !scalar.disturbedBy(dst);
  RowSink sink(lanes, dst, inPlace);
  const Kernels::Scalar stage0 = lanes.withScalar(op.op0, op.reverse0);
  const Kernels::Binary stage1 = lanes.binary(op.op1);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    stage0(a.row(p), scalar.at(p), row, dst.elements());
    if (op.reverse1)
      stage1(b.row(p), row, row, dst.elements());
    else
      stage1(row, b.row(p), row, dst.elements());
    sink.finish(p, row);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::Reciprocal &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  RowSource source(lanes, data);
  RowSink sink(lanes, dst, !overlapsInPart(dst, data));
  const Kernels::Unary compute =
      lanes.kernels.activation[static_cast<std::size_t>(
          isa::ActivationFunction::reciprocal)];
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    compute(source.row(p), row, dst.elements());
    sink.finish(p, row);
  }
  return Outcome::done;
}

} // namespace kiln::sim
