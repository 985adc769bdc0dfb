//===- Results.h - Rows of results, and what folds them ---------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions run in element order in fp32, on values before the output cast.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_RESULTS_H
#define KILN_SIM_LIB_FUNCTION_RESULTS_H

#include "LaneScalar.h"
#include "Lanes.h"
#include "Rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace kiln::sim {

/// out = (..(out op row[0]) ..) op row[n - 1].
void foldRow(const Lanes &lanes, isa::AluOp op, const float *row,
             std::uint64_t n, float &out);

/// Initialises the registers of `count` lanes for `command`; false if it
/// continues from an undefined one, or reads one. `load` gives what load_reduce
/// starts from.
bool startAccumulator(AccumulatorLanes registers, isa::ReduceCommand command,
                      float identity, const LaneScalar *load, unsigned count,
                      bool isRead);
/// An idle user of the Vector registers leaves them undefined.
void leaveVectorAccumulator(Lanes &lanes, isa::ReduceCommand command,
                            unsigned count);

/// One number per lane.
void writeColumn(Lanes &lanes, const View &view, const float *values);

/// Makes the rows of `dst` with produce(lane, row), folds each into its
/// register if there are `registers`, and stores them. `inPlace`: nothing that
/// `produce` reads is disturbed by rows before it.
template <class Produce>
void produceRows(Lanes &lanes, const View &dst, bool inPlace,
                 std::optional<AccumulatorLanes> registers, isa::AluOp op,
                 Produce &&produce) {
  // Ordered sums of some rows overlap. Unless rows are computed in place, they
  // are kept in separate memory.
  constexpr unsigned block = Kernels::maxSumRows;
  const std::uint64_t n = dst.elements();
  RowSink sink(lanes, dst, inPlace);
  float *waiting =
      sink.writesInPlace() ? nullptr : lanes.scratch.get<float>(block * n);
  for (unsigned p0 = 0; p0 < dst.lanes; p0 += block) {
    const unsigned count = std::min(block, dst.lanes - p0);
    std::array<float *, block> rows{};
    for (unsigned i = 0; i < count; ++i) {
      rows[i] = sink.writesInPlace() ? sink.row(p0 + i) : waiting + i * n;
      produce(p0 + i, rows[i]);
    }
    if (registers && op == isa::AluOp::add)
      lanes.kernels.sumRows(rows.data(), count, n, registers->values() + p0);
    for (unsigned i = 0; i < count; ++i) {
      if (registers && op != isa::AluOp::add)
        foldRow(lanes, op, rows[i], n, (*registers)[p0 + i]);
      sink.finish(p0 + i, rows[i]);
    }
  }
  if (registers)
    lanes.converter.settle(registers->values(), dst.lanes);
}

inline bool isColumnOfF32(const View &view) {
  return view.isColumn() && view.dtype == isa::DType::f32;
}
/// The same for one fp32 number a lane, without registers: the lanes are one
/// row, which produce(row) makes.
template <class Produce>
Outcome produceColumn(Lanes &lanes, const View &dst, Produce &&produce) {
  float *column = lanes.scratch.get<float>(dst.lanes);
  produce(column);
  lanes.converter.settle(column, dst.lanes);
  for (unsigned p = 0; p < dst.lanes; ++p)
    std::memcpy(dst.lane(p), column + p, sizeof *column);
  return Outcome::done;
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_RESULTS_H
