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

#include "Meanings.h"
#include "Results.h"
#include "Rows.h"

namespace kiln::sim {

namespace {

/// `op` without its tiles, which are `dst` and `data`.
Outcome activate(Lanes &lanes, const View &dst, const View &data,
                 const isa::Activation &op) {
  const LaneScalar scale(lanes, op.scale);
  const LaneScalar bias(lanes, op.bias);
  const bool folds = accumulates(op.reduce_cmd);
  if (!startAccumulator(lanes.scalarRegisters(), op.reduce_cmd, 0.0f, nullptr,
                        dst.lanes, op.reduce_res.has_value()))
    return Outcome::undefinedAccumulator;
  const Kernels::Unary function =
      lanes.kernels.activation[static_cast<std::size_t>(op.op)];
  const std::uint64_t n = dst.elements();
  RowSource source(lanes, data);
  if (isColumnOfF32(dst) && data.isColumn() && !folds && !op.reduce_res)
    return produceColumn(lanes, dst, [&](float *column) {
      for (unsigned p = 0; p < dst.lanes; ++p)
        lanes.kernels.affine(source.row(p), scale.at(p), bias.at(p), column + p,
                             1);
      function(column, column, dst.lanes);
    });
  const bool inPlace = !overlapsInPart(dst, data) && !scale.disturbedBy(dst) &&
                       !bias.disturbedBy(dst);
  produceRows(lanes, dst, inPlace,
              folds ? std::optional(lanes.scalarRegisters()) : std::nullopt,
              isa::AluOp::add, [&](unsigned p, float *row) {
                lanes.kernels.affine(source.row(p), scale.at(p), bias.at(p),
                                     row, n);
                function(row, row, n);
              });
  if (op.reduce_res)
    writeColumn(lanes, lanes.view(*op.reduce_res),
                lanes.scalarRegisters().values());
  return Outcome::done;
}

} // namespace

Outcome run(Lanes &lanes, const isa::Activation &op) {
  return activate(lanes, lanes.view(op.dst, op.dst_index),
                  lanes.view(op.data, op.data_index), op);
}

Outcome run(Lanes &lanes, const isa::ActivationReduce &op) {
  isa::Activation full;
  full.op = op.op;
  full.bias = op.bias;
  full.scale = op.scale;
  full.reduce_op = op.reduce_op;
  full.reduce_res = op.reduce_res;
  full.reduce_cmd = isa::ReduceCommand::reset_reduce;
  return activate(lanes, lanes.view(op.dst, op.dst_index),
                  lanes.view(op.data, op.data_index), full);
}

Outcome run(Lanes &lanes, const isa::Activate2 &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View data = lanes.view(op.data, op.data_index);
  const LaneScalar first(lanes, op.imm0);
  const LaneScalar second(lanes, op.imm1);
  const LaneScalar slope(lanes, op.relu_param);
  const isa::AluOp fold = op.reduce_op.value_or(isa::AluOp::add);
  const bool folds = accumulates(op.reduce_cmd);
  if (!startAccumulator(lanes.scalarRegisters(), op.reduce_cmd,
                        identityOf(fold), nullptr, dst.lanes,
                        op.reduce_res.has_value()))
    return Outcome::undefinedAccumulator;
  const bool fused =
      op.op0 == isa::AluOp::multiply && op.op1 == isa::AluOp::add;
  const Kernels::Scalar stage0 = lanes.withScalar(op.op0, op.reverse0);
  const Kernels::Scalar stage1 = lanes.withScalar(op.op1, op.reverse1);
  const Kernels::Unary function =
      lanes.kernels.activation[static_cast<std::size_t>(op.op)];
  const std::uint64_t n = dst.elements();
  RowSource source(lanes, data);
  const bool inPlace = !overlapsInPart(dst, data) && !first.disturbedBy(dst) &&
                       !second.disturbedBy(dst) && !slope.disturbedBy(dst);
  produceRows(lanes, dst, inPlace,
              folds ? std::optional(lanes.scalarRegisters()) : std::nullopt,
              fold, [&](unsigned p, float *row) {
                const float *in = source.row(p);
                if (fused) {
                  lanes.kernels.affine(in, first.at(p), second.at(p), row, n);
                } else {
                  // Without an operator the value passes: bypass.
                  stage0(in, first.at(p), row, n);
                  stage1(row, second.at(p), row, n);
                }
                if (op.op == isa::ActivationFunction::prelu)
                  lanes.kernels.prelu(row, slope.at(p), row, n);
                else
                  function(row, row, n);
              });
  if (op.reduce_res)
    writeColumn(lanes, lanes.view(*op.reduce_res),
                lanes.scalarRegisters().values());
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::Exponential &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View src = lanes.view(op.src, op.src_index);
  const LaneScalar maximum(lanes, op.max_value);
  const LaneScalar init(lanes, op.reduce_init);
  const bool folds = accumulates(op.reduce_cmd);
  if (!startAccumulator(lanes.vectorRegisters(), op.reduce_cmd, 0.0f, &init,
                        dst.lanes, op.reduce_res.has_value()))
    return Outcome::undefinedAccumulator;
  const Kernels::Scalar subtract =
      lanes.withScalar(isa::AluOp::subtract, false);
  const Kernels::Unary function =
      lanes.kernels
          .activation[static_cast<std::size_t>(isa::ActivationFunction::exp)];
  const std::uint64_t n = dst.elements();
  RowSource source(lanes, src);
  const bool inPlace = !overlapsInPart(dst, src) && !maximum.disturbedBy(dst);
  produceRows(lanes, dst, inPlace,
              folds ? std::optional(lanes.vectorRegisters()) : std::nullopt,
              isa::AluOp::add, [&](unsigned p, float *row) {
                subtract(source.row(p), maximum.at(p), row, n);
                function(row, row, n);
              });
  leaveVectorAccumulator(lanes, op.reduce_cmd, dst.lanes);
  if (op.reduce_res)
    writeColumn(lanes, lanes.view(*op.reduce_res),
                lanes.vectorRegisters().values());
  return Outcome::done;
}

} // namespace kiln::sim
