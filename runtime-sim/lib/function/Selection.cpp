//===- Selection.cpp - Choosing elements, with the registers they feed ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

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

void Machine::run(const isa::SelectReduce &op) {
  const View dst = view(op.dst);
  const View predicate = view(op.predicate);
  const View onTrue = view(op.on_true);
  const LaneScalar onFalse(*this, op.on_false);
  const std::uint64_t n = dst.elements();
  const bool folds = accumulates(op.reduce_cmd);
  leaveVectorAccumulator(op.reduce_cmd, dst.lanes);
  if (!startAccumulator(vectorRegisters(), op.reduce_cmd,
                        identityOf(isa::AluOp::maximum), nullptr, dst.lanes,
                        op.reduce_res.has_value()))
    return;
  RowSource source(converter, onTrue, buffers[0], buffers[1]);
  auto *chosen = buffers[2].get<std::uint32_t>(n);
  produceRows(
      dst, false, folds ? std::optional(vectorRegisters()) : std::nullopt,
      isa::AluOp::maximum, [&](unsigned p, float *row) {
        gatherBits(predicate, p, buffers[3], chosen);
        const float *taken = source.row(p);
        const float other = onFalse.at(p);
        for (std::uint64_t i = 0; i < n; ++i)
          row[i] = (chosen[i] != 0) != op.reverse_pred ? taken[i] : other;
      });
  if (op.reduce_res)
    writeColumn(view(*op.reduce_res), vectorRegisters().values());
}

void Machine::run(const isa::RangeSelect &op) {
  const View dst = view(op.dst);
  const View onTrue = view(op.on_true_tile);
  const LaneScalar bound0(*this, isa::ScalarOrTile(op.bound0));
  const LaneScalar bound1(*this, isa::ScalarOrTile(op.bound1));
  const std::uint64_t n = dst.elements();
  const bool folds = accumulates(op.reduce_cmd);
  leaveVectorAccumulator(op.reduce_cmd, dst.lanes);
  if (!startAccumulator(vectorRegisters(), op.reduce_cmd,
                        identityOf(isa::AluOp::maximum), nullptr, dst.lanes,
                        op.reduce_res.has_value()))
    return;
  const Kernels::Scalar compare0 = withScalar(op.comp_op0, false);
  const Kernels::Scalar compare1 = withScalar(op.comp_op1, false);
  const auto start = static_cast<float>(op.range_start);
  RowSource source(converter, onTrue, buffers[0], buffers[1]);
  float *inside = buffers[2].get<float>(n);
  float *below = buffers[3].get<float>(n);
  produceRows(dst, false,
              folds ? std::optional(vectorRegisters()) : std::nullopt,
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
    writeColumn(view(*op.reduce_res), vectorRegisters().values());
}

void Machine::run(const isa::TensorScalarReduce &op) {
  const View dst = view(op.dst, op.dst_index);
  const View data = view(op.data, op.data_index);
  const LaneScalar operand(*this, op.operand0);
  const LaneScalar init(*this, op.reduce_init);
  if (!startAccumulator(vectorRegisters(), op.reduce_cmd,
                        identityOf(op.reduce_op), &init, dst.lanes,
                        op.reduce_res.has_value()))
    return;
  const Kernels::Scalar compute = withScalar(op.op0, false);
  const std::uint64_t n = dst.elements();
  RowSource source(converter, data, buffers[0], buffers[1]);
  const bool inPlace = !overlapsInPart(dst, data) && !operand.disturbedBy(dst);
  produceRows(dst, inPlace, vectorRegisters(), op.reduce_op,
              [&](unsigned p, float *row) {
                compute(source.row(p), operand.at(p), row, n);
              });
  if (!op.reduce_res)
    return;
  float *result = buffers[2].get<float>(dst.lanes);
  for (unsigned p = 0; p < dst.lanes; ++p)
    result[p] =
        op.reduce_res_negate ? -vectorRegisters()[p] : vectorRegisters()[p];
  writeColumn(view(*op.reduce_res), result);
}

} // namespace kiln::sim
