//===- Selection.cpp - Choosing elements, with the registers they feed ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Results.h"
#include "Rows.h"

namespace kiln::sim {

namespace {

/// `index op bound` for each index from `start`, as 1 or 0.
void markRow(Kernels::Scalar compare, float start, float bound, std::uint64_t n,
             float *marks) {
  for (std::uint64_t i = 0; i < n; ++i)
    marks[i] = start + static_cast<float>(i);
  compare(marks, bound, marks, n);
}

} // namespace

Outcome run(Lanes &lanes, const isa::SelectReduce &op) {
  const View dst = lanes.view(op.dst);
  const View predicate = lanes.view(op.predicate);
  const View onTrue = lanes.view(op.on_true);
  const LaneScalar onFalse(lanes, op.on_false);
  const std::uint64_t n = dst.elements();
  const bool folds = accumulates(op.reduce_cmd);
  leaveVectorAccumulator(lanes, op.reduce_cmd, dst.lanes);
  if (!startAccumulator(lanes.vectorRegisters(), op.reduce_cmd,
                        identityOf(isa::AluOp::maximum), nullptr, dst.lanes,
                        op.reduce_res.has_value()))
    return Outcome::undefinedAccumulator;
  RowSource source(lanes, onTrue);
  auto *chosen = lanes.scratch.get<std::uint32_t>(n);
  produceRows(lanes, dst, false,
              folds ? std::optional(lanes.vectorRegisters()) : std::nullopt,
              isa::AluOp::maximum, [&](unsigned p, float *row) {
                gatherBits(predicate, p, lanes.scratch, chosen);
                const float *taken = source.row(p);
                const float other = onFalse.at(p);
                for (std::uint64_t i = 0; i < n; ++i)
                  row[i] =
                      (chosen[i] != 0) != op.reverse_pred ? taken[i] : other;
              });
  if (op.reduce_res)
    writeColumn(lanes, lanes.view(*op.reduce_res),
                lanes.vectorRegisters().values());
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::RangeSelect &op) {
  const View dst = lanes.view(op.dst);
  const View onTrue = lanes.view(op.on_true_tile);
  const LaneScalar bound0(lanes, isa::ScalarOrTile(op.bound0));
  const LaneScalar bound1(lanes, isa::ScalarOrTile(op.bound1));
  const std::uint64_t n = dst.elements();
  const bool folds = accumulates(op.reduce_cmd);
  leaveVectorAccumulator(lanes, op.reduce_cmd, dst.lanes);
  if (!startAccumulator(lanes.vectorRegisters(), op.reduce_cmd,
                        identityOf(isa::AluOp::maximum), nullptr, dst.lanes,
                        op.reduce_res.has_value()))
    return Outcome::undefinedAccumulator;
  const Kernels::Scalar compare0 = lanes.withScalar(op.comp_op0, false);
  const Kernels::Scalar compare1 = lanes.withScalar(op.comp_op1, false);
  const auto start = static_cast<float>(op.range_start);
  RowSource source(lanes, onTrue);
  float *inside = lanes.scratch.get<float>(n);
  float *below = lanes.scratch.get<float>(n);
  produceRows(lanes, dst, false,
              folds ? std::optional(lanes.vectorRegisters()) : std::nullopt,
              isa::AluOp::maximum, [&](unsigned p, float *row) {
                markRow(compare0, start, bound0.at(p), n, inside);
                markRow(compare1, start, bound1.at(p), n, below);
                const float *taken = source.row(p);
                for (std::uint64_t i = 0; i < n; ++i)
                  row[i] = inside[i] != 0.0f && below[i] != 0.0f
                               ? taken[i]
                               : op.on_false_value;
              });
  if (op.reduce_res)
    writeColumn(lanes, lanes.view(*op.reduce_res),
                lanes.vectorRegisters().values());
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::TensorScalarReduce &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View data = lanes.view(op.data, op.data_index);
  const LaneScalar operand(lanes, op.operand0);
  const LaneScalar init(lanes, op.reduce_init);
  if (!startAccumulator(lanes.vectorRegisters(), op.reduce_cmd,
                        identityOf(op.reduce_op), &init, dst.lanes,
                        op.reduce_res.has_value()))
    return Outcome::undefinedAccumulator;
  const Kernels::Scalar compute = lanes.withScalar(op.op0, false);
  const std::uint64_t n = dst.elements();
  RowSource source(lanes, data);
  const bool inPlace = !overlapsInPart(dst, data) && !operand.disturbedBy(dst);
  produceRows(lanes, dst, inPlace, lanes.vectorRegisters(), op.reduce_op,
              [&](unsigned p, float *row) {
                compute(source.row(p), operand.at(p), row, n);
              });
  if (!op.reduce_res)
    return Outcome::done;
  float *result = lanes.scratch.get<float>(dst.lanes);
  for (unsigned p = 0; p < dst.lanes; ++p)
    result[p] = op.reduce_res_negate ? -lanes.vectorRegisters()[p]
                                     : lanes.vectorRegisters()[p];
  writeColumn(lanes, lanes.view(*op.reduce_res), result);
  return Outcome::done;
}

} // namespace kiln::sim
