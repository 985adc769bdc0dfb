//===- Activation.cpp - Functions, with the registers they feed -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions run in element order in fp32, on values before the output cast,
// and `reduce_res` is written after `dst`.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

namespace kiln::sim {

void Machine::run(const isa::Activation &op) {
  const View dst = view(op.dst, op.dst_index);
  const View data = view(op.data, op.data_index);
  const LaneScalar scale(*this, op.scale);
  const LaneScalar bias(*this, op.bias);
  const bool folds = accumulates(op.reduce_cmd);
  if (!startAccumulator(scalarRegisters(), op.reduce_cmd, 0.0f, nullptr,
                        dst.lanes, op.reduce_res.has_value()))
    return;
  const Kernels::Unary function =
      kernels.activation[static_cast<std::size_t>(op.op)];
  const std::uint64_t n = dst.elements();
  RowSource source(converter, data, buffers[0], buffers[1]);
  if (isColumnOfF32(dst) && data.isColumn() && !folds && !op.reduce_res)
    return produceColumn(dst, [&](float *column) {
      for (unsigned p = 0; p < dst.lanes; ++p)
        kernels.affine(source.row(p), scale.at(p), bias.at(p), column + p, 1);
      function(column, column, dst.lanes);
    });
  const bool inPlace = !overlapsInPart(dst, data) && !scale.disturbedBy(dst) &&
                       !bias.disturbedBy(dst);
  produceRows(dst, inPlace,
              folds ? std::optional(scalarRegisters()) : std::nullopt,
              isa::AluOp::add, [&](unsigned p, float *row) {
                kernels.affine(source.row(p), scale.at(p), bias.at(p), row, n);
                function(row, row, n);
              });
  if (op.reduce_res)
    writeColumn(view(*op.reduce_res), scalarRegisters().values());
}

void Machine::run(const isa::ActivationReduce &op) {
  isa::Activation full;
  full.dst = op.dst;
  full.op = op.op;
  full.data = op.data;
  full.dst_index = op.dst_index;
  full.data_index = op.data_index;
  full.bias = op.bias;
  full.scale = op.scale;
  full.reduce_op = op.reduce_op;
  full.reduce_res = op.reduce_res;
  full.reduce_cmd = isa::ReduceCommand::reset_reduce;
  run(full);
}

void Machine::run(const isa::Activate2 &op) {
  const View dst = view(op.dst, op.dst_index);
  const View data = view(op.data, op.data_index);
  const LaneScalar first(*this, op.imm0);
  const LaneScalar second(*this, op.imm1);
  const LaneScalar slope(*this, op.relu_param);
  const isa::AluOp fold = op.reduce_op.value_or(isa::AluOp::add);
  const bool folds = accumulates(op.reduce_cmd);
  if (!startAccumulator(scalarRegisters(), op.reduce_cmd, identityOf(fold),
                        nullptr, dst.lanes, op.reduce_res.has_value()))
    return;
  const bool fused =
      op.op0 == isa::AluOp::multiply && op.op1 == isa::AluOp::add;
  const Kernels::Scalar stage0 = withScalar(op.op0, op.reverse0);
  const Kernels::Scalar stage1 = withScalar(op.op1, op.reverse1);
  const Kernels::Unary function =
      kernels.activation[static_cast<std::size_t>(op.op)];
  const std::uint64_t n = dst.elements();
  RowSource source(converter, data, buffers[0], buffers[1]);
  const bool inPlace = !overlapsInPart(dst, data) && !first.disturbedBy(dst) &&
                       !second.disturbedBy(dst) && !slope.disturbedBy(dst);
  produceRows(dst, inPlace,
              folds ? std::optional(scalarRegisters()) : std::nullopt, fold,
              [&](unsigned p, float *row) {
                const float *in = source.row(p);
                if (fused) {
                  kernels.affine(in, first.at(p), second.at(p), row, n);
                } else {
                  // Without an operator the value passes: bypass.
                  stage0(in, first.at(p), row, n);
                  stage1(row, second.at(p), row, n);
                }
                if (op.op == isa::ActivationFunction::prelu)
                  kernels.prelu(row, slope.at(p), row, n);
                else
                  function(row, row, n);
              });
  if (op.reduce_res)
    writeColumn(view(*op.reduce_res), scalarRegisters().values());
}

void Machine::run(const isa::Exponential &op) {
  const View dst = view(op.dst, op.dst_index);
  const View src = view(op.src, op.src_index);
  const LaneScalar maximum(*this, op.max_value);
  const LaneScalar init(*this, op.reduce_init);
  const bool folds = accumulates(op.reduce_cmd);
  if (!startAccumulator(vectorRegisters(), op.reduce_cmd, 0.0f, &init,
                        dst.lanes, op.reduce_res.has_value()))
    return;
  const Kernels::Scalar subtract = withScalar(isa::AluOp::subtract, false);
  const Kernels::Unary function =
      kernels
          .activation[static_cast<std::size_t>(isa::ActivationFunction::exp)];
  const std::uint64_t n = dst.elements();
  RowSource source(converter, src, buffers[0], buffers[1]);
  const bool inPlace = !overlapsInPart(dst, src) && !maximum.disturbedBy(dst);
  produceRows(dst, inPlace,
              folds ? std::optional(vectorRegisters()) : std::nullopt,
              isa::AluOp::add, [&](unsigned p, float *row) {
                subtract(source.row(p), maximum.at(p), row, n);
                function(row, row, n);
              });
  leaveVectorAccumulator(op.reduce_cmd, dst.lanes);
  if (op.reduce_res)
    writeColumn(view(*op.reduce_res), vectorRegisters().values());
}

} // namespace kiln::sim
