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

std::size_t indexOf(isa::AluOp op) { return static_cast<std::size_t>(op); }

} // namespace

void Machine::run(const isa::TensorTensor &op) {
  if (engine == isa::Engine::gpsimd && op.dst.dtype == isa::DType::i32 &&
      op.data1.dtype == isa::DType::i32 && op.data2.dtype == isa::DType::i32 &&
      op.op != isa::AluOp::rsqrt)
    return integerTensorTensor(op);
  const View dst = view(op.dst);
  const View left = view(op.data1);
  const View right = view(op.data2);
  const bool inPlace =
      !overlapsInPart(dst, left) && !overlapsInPart(dst, right);
  RowSource a(converter, left, buffers[0], buffers[1]);
  RowSource b(converter, right, buffers[2], buffers[3]);
  RowSink sink(converter, dst, buffers[4], buffers[5], inPlace);
  const Kernels::Binary compute = kernels.vv[indexOf(op.op)];
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = sink.row(p);
    compute(a.row(p), b.row(p), row, dst.elements());
    sink.finish(p, row);
  }
}

/// GpSimd computes on 32-bit integers exactly.
void Machine::integerTensorTensor(const isa::TensorTensor &op) {
  const View dst = view(op.dst);
  const View left = view(op.data1);
  const View right = view(op.data2);
  const std::uint64_t n = dst.elements();
  std::uint32_t *a = buffers[0].get<std::uint32_t>(n);
  std::uint32_t *b = buffers[1].get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gather(left, p, a);
    gather(right, p, b);
    kernels.onSigned[indexOf(op.op)](a, b, a, n);
    scatter(a, dst, p);
  }
}

void Machine::run(const isa::TensorScalar &op) {
  const View dst = view(op.dst);
  const View data = view(op.data);
  const LaneScalar first(*this, op.operand0.value_or(0.0f));
  const LaneScalar second(*this, op.operand1.value_or(0.0f));
  RowSource source(converter, data, buffers[0], buffers[1]);
  RowSink sink(converter, dst, buffers[2], buffers[3],
               !overlapsInPart(dst, data) && !first.disturbedBy(dst) &&
                   !second.disturbedBy(dst));
  const auto stage0 = (op.reverse0 ? kernels.sv : kernels.vs)[indexOf(op.op0)];
  const auto stage1 =
      op.op1 ? (op.reverse1 ? kernels.sv : kernels.vs)[indexOf(*op.op1)]
             : nullptr;
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
  RowSink sink(converter, dst, buffers[4], buffers[5], false);
  const auto stage0 = (op.reverse0 ? kernels.sv : kernels.vs)[indexOf(op.op0)];
  const Kernels::Binary stage1 = kernels.vv[indexOf(op.op1)];
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
