//===- Results.cpp - Rows of results, and what folds them -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

namespace kiln::sim {

void foldRow(const Lanes &lanes, isa::AluOp op, const float *row,
             std::uint64_t n, float &out) {
  switch (op) {
  case isa::AluOp::maximum:
    out = lanes.kernels.maxRow(out, row, n);
    return;
  case isa::AluOp::minimum:
    out = lanes.kernels.minRow(out, row, n);
    return;
  case isa::AluOp::add:
    lanes.kernels.sumRows(&row, 1, n, &out);
    return;
  default:
    break;
  }
  const Kernels::Scalar step = lanes.withScalar(op, false);
  for (std::uint64_t i = 0; i < n; ++i)
    step(&out, row[i], &out, 1);
}

bool startAccumulator(AccumulatorLanes registers, isa::ReduceCommand command,
                      float identity, const LaneScalar *load, unsigned count,
                      bool isRead) {
  for (unsigned lane = 0; lane < count; ++lane) {
    if (resets(command))
      registers.start(lane, identity);
    else if (command == isa::ReduceCommand::load_reduce)
      registers.start(lane, load->at(lane));
  }
  return (!accumulates(command) && !isRead) || registers.allDefined(count);
}

void leaveVectorAccumulator(Lanes &lanes, isa::ReduceCommand command,
                            unsigned count) {
  for (unsigned p = 0; p < count && command == isa::ReduceCommand::idle; ++p)
    lanes.vectorRegisters().forget(p);
}

void writeColumn(Lanes &lanes, const View &view, const float *values) {
  RowSink sink(lanes, view, false);
  for (unsigned p = 0; p < view.lanes; ++p) {
    float value = values[p];
    sink.finish(p, &value);
  }
}

} // namespace kiln::sim
