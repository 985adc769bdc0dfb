//===- Elementwise.cpp - Arithmetic on tiles ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

namespace kiln::sim {

namespace {

bool isWideInteger(isa::DType dtype) {
  return dtype == isa::DType::i32 || dtype == isa::DType::u32;
}

} // namespace

/// GpSimd computes on 32-bit integers exactly, and so do bitwise operators.
void Machine::run(const isa::TensorTensor &op) {
  const bool exact =
      engine == isa::Engine::gpsimd && op.op != isa::AluOp::power &&
      isWideInteger(op.dst.dtype) && isWideInteger(op.data1.dtype) &&
      isWideInteger(op.data2.dtype);
  if (exact || isa::isBitwise(op.op))
    return bitwise(op);
  const View dst = view(op.dst, op.dst_index);
  const View left = view(op.data1, op.data1_index);
  const View right = view(op.data2);
  const bool inPlace =
      !overlapsInPart(dst, left) && !overlapsInPart(dst, right);
  RowSource a(converter, left, buffers[0], buffers[1]);
  RowSource b(converter, right, buffers[2], buffers[3]);
  RowSink sink(converter, dst, buffers[4], buffers[5], inPlace);
  const Kernels::Binary compute = binary(op.op);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    compute(a.row(p), b.row(p), row, dst.elements());
    sink.finish(p, row);
  }
}

void Machine::run(const isa::TensorScalar &op) {
  if (isa::isBitwise(op.op0))
    return bitwise(op);
  const View dst = view(op.dst, op.dst_index);
  const View data = view(op.data, op.data_index);
  const LaneScalar first(*this, op.operand0);
  const LaneScalar second(*this, op.operand1);
  RowSource source(converter, data, buffers[0], buffers[1]);
  const Kernels::Binary onColumns0 =
      kernels.vv[static_cast<std::size_t>(op.op0)];
  const Kernels::Binary onColumns1 =
      kernels.vv[static_cast<std::size_t>(op.op1.value_or(op.op0))];
  if (isColumnOfF32(dst) && data.isColumn() && onColumns0 && onColumns1 &&
      !op.reverse0 && !op.reverse1)
    return produceColumn(dst, [&](float *column) {
      float *operand = buffers[2].get<float>(dst.lanes);
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
  RowSink sink(converter, dst, buffers[2], buffers[3],
               !overlapsInPart(dst, data) && !first.disturbedBy(dst) &&
                   !second.disturbedBy(dst));
  const Kernels::Scalar stage0 = withScalar(op.op0, op.reverse0);
  const Kernels::Scalar stage1 =
      op.op1 ? withScalar(*op.op1, op.reverse1) : nullptr;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float operand0 = first.at(p);
    const float operand1 = second.at(p);
    float *row = sink.row(p);
    stage0(source.row(p), operand0, row, dst.elements());
    if (stage1)
      stage1(row, operand1, row, dst.elements());
    sink.finish(p, row);
  }
}

void Machine::run(const isa::ScalarTensorTensor &op) {
  const View dst = view(op.dst);
  const View data = view(op.data);
  const View tile = view(op.operand1);
  const LaneScalar scalar(*this, op.operand0);
  RowSource a(converter, data, buffers[0], buffers[1]);
  RowSource b(converter, tile, buffers[2], buffers[3]);
  // The tile is read after the first operator has written its row.
  const bool inPlace = dst.space != tile.space && !overlapsInPart(dst, data) &&
                       !scalar.disturbedBy(dst);
  RowSink sink(converter, dst, buffers[4], buffers[5], inPlace);
  const Kernels::Scalar stage0 = withScalar(op.op0, op.reverse0);
  const Kernels::Binary stage1 = binary(op.op1);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    stage0(a.row(p), scalar.at(p), row, dst.elements());
    if (op.reverse1)
      stage1(b.row(p), row, row, dst.elements());
    else
      stage1(row, b.row(p), row, dst.elements());
    sink.finish(p, row);
  }
}

void Machine::run(const isa::Reciprocal &op) {
  const View dst = view(op.dst);
  const View data = view(op.data);
  RowSource source(converter, data, buffers[0], buffers[1]);
  RowSink sink(converter, dst, buffers[2], buffers[3],
               !overlapsInPart(dst, data));
  const Kernels::Unary compute = kernels.activation[static_cast<std::size_t>(
      isa::ActivationFunction::reciprocal)];
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    compute(source.row(p), row, dst.elements());
    sink.finish(p, row);
  }
}

} // namespace kiln::sim
