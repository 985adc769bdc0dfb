//===- Reduction.cpp - Accumulators and row reductions --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums run in element order in fp32, on values before the output cast, and
// `reduce_res` is written after `dst`.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kiln::sim {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

bool resets(isa::ReduceCommand command) {
  return command == isa::ReduceCommand::reset ||
         command == isa::ReduceCommand::reset_reduce;
}
bool reduces(isa::ReduceCommand command) {
  return command == isa::ReduceCommand::reduce ||
         command == isa::ReduceCommand::reset_reduce;
}

/// An accumulator from the first lane of this call on.
struct AccumulatorLanes {
  float *value;
  bool *defined;
  AccumulatorLanes(Accumulator &accumulator, unsigned first)
      : value(accumulator.value.data() + first),
        defined(accumulator.defined.data() + first) {}
};

bool allDefined(const AccumulatorLanes &accumulator, unsigned lanes) {
  return std::all_of(accumulator.defined, accumulator.defined + lanes,
                     [](bool defined) { return defined; });
}

constexpr const char *undefinedAccumulator =
    "uses a reduction register that no reset has initialised";

} // namespace

void Machine::writeColumn(const View &view, const float *values) {
  RowSink sink(converter, view, buffers[10], buffers[11], false);
  for (unsigned p = 0; p < view.lanes; ++p) {
    float value = values[p];
    sink.finish(p, &value);
  }
}

void Machine::run(const isa::Activation &op) {
  constexpr unsigned block = Kernels::maxSumRows;
  const View dst = view(op.dst);
  const View data = view(op.data);
  const LaneScalar scale(*this, op.scale);
  const LaneScalar bias(*this, op.bias.value_or(0.0f));
  const std::uint64_t n = dst.elements();
  RowSource source(converter, data, buffers[0], buffers[1]);
  RowSink sink(converter, dst, buffers[2], buffers[3],
               !overlapsInPart(dst, data) && !scale.disturbedBy(dst) &&
                   !bias.disturbedBy(dst));
  const Kernels::Unary function =
      kernels.activation[static_cast<std::size_t>(op.op)];
  const AccumulatorLanes accumulator(accumulators.scalar, range.first);
  for (unsigned p = 0; p < dst.lanes && resets(op.reduce_cmd); ++p) {
    accumulator.value[p] = 0.0f;
    accumulator.defined[p] = true;
  }
  const bool sums = reduces(op.reduce_cmd);
  if ((sums || op.reduce_res) && !allDefined(accumulator, dst.lanes)) {
    problem = undefinedAccumulator;
    return;
  }
  // Some rows at a time: their ordered sums overlap. Unless rows are made in
  // place, they wait in a buffer of their own.
  float *waiting = buffers[4].get<float>(block * n);
  for (unsigned p0 = 0; p0 < dst.lanes; p0 += block) {
    const unsigned count = std::min(block, dst.lanes - p0);
    std::array<float *, block> rows{};
    for (unsigned i = 0; i < count; ++i) {
      const unsigned p = p0 + i;
      rows[i] = sink.writesInPlace() ? sink.row(p) : waiting + i * n;
      kernels.affine(source.row(p), scale.at(p), bias.at(p), rows[i], n);
      function(rows[i], rows[i], n);
    }
    if (sums)
      kernels.sumRows(rows.data(), count, n, &accumulator.value[p0]);
    for (unsigned i = 0; i < count; ++i)
      sink.finish(p0 + i, rows[i]);
  }
  if (sums)
    kernels.canonicalise(accumulator.value, dst.lanes);
  if (op.reduce_res)
    writeColumn(view(*op.reduce_res), accumulator.value);
}

void Machine::run(const isa::SelectReduce &op) {
  const View dst = view(op.dst);
  const View predicate = view(op.predicate);
  const View onTrue = view(op.on_true);
  const LaneScalar onFalse(*this, op.on_false);
  const std::uint64_t n = dst.elements();
  const AccumulatorLanes accumulator(accumulators.vector, range.first);
  // An idle user leaves the registers undefined; the manual says so.
  for (unsigned p = 0; p < dst.lanes; ++p) {
    if (op.reduce_cmd == isa::ReduceCommand::idle) {
      accumulator.defined[p] = false;
    } else if (resets(op.reduce_cmd)) {
      accumulator.value[p] = -infinity;
      accumulator.defined[p] = true;
    }
  }
  const bool folds = reduces(op.reduce_cmd);
  if ((folds || op.reduce_res) && !allDefined(accumulator, dst.lanes)) {
    problem = undefinedAccumulator;
    return;
  }
  RowSource source(converter, onTrue, buffers[0], buffers[1]);
  RowSink sink(converter, dst, buffers[2], buffers[3], false);
  std::uint8_t *chosen = buffers[4].get<std::uint8_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gather(predicate, p, chosen);
    const float *taken = source.row(p);
    const float other = onFalse.at(p);
    float *row = sink.row(p);
    for (std::uint64_t i = 0; i < n; ++i)
      row[i] = (chosen[i] != 0) != op.reverse_pred ? taken[i] : other;
    if (folds)
      accumulator.value[p] = kernels.maxRow(accumulator.value[p], row, n);
    sink.finish(p, row);
  }
  if (op.reduce_res)
    writeColumn(view(*op.reduce_res), accumulator.value);
}

void Machine::reduceRow(isa::AluOp op, const float *row, std::uint64_t n,
                        float &out) {
  switch (op) {
  case isa::AluOp::maximum:
    out = kernels.maxRow(-infinity, row, n);
    return;
  case isa::AluOp::minimum:
    out = kernels.minRow(infinity, row, n);
    return;
  case isa::AluOp::add:
    out = 0.0f;
    kernels.sumRows(&row, 1, n, &out);
    return;
  default:
    break;
  }
  // Subtraction starts from the first element, the others from an identity.
  const bool fromFirst = op == isa::AluOp::subtract;
  const bool ones = op == isa::AluOp::multiply || op == isa::AluOp::logical_and;
  out = fromFirst ? row[0] : (ones ? 1.0f : 0.0f);
  const auto step = kernels.vs[static_cast<std::size_t>(op)];
  for (std::uint64_t i = fromFirst ? 1 : 0; i < n; ++i)
    step(&out, row[i], &out, 1);
}

void Machine::run(const isa::TensorReduce &op) {
  constexpr unsigned block = Kernels::maxSumRows;
  const View dst = view(op.dst);
  const View data = view(op.data);
  const std::uint64_t outer = dst.elements();
  const std::uint64_t inner = data.elements() / outer;
  // All results before the first write: dst may lie within data.
  const std::uint64_t total = outer * dst.lanes;
  float *results = buffers[4].get<float>(total);
  RowSource source(converter, data, buffers[0], buffers[1]);
  const bool inMemory =
      data.dtype == isa::DType::f32 && data.layout.contiguous();
  std::array<const float *, block> rows{};
  std::size_t waiting = 0;
  std::uint64_t done = 0;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float *row = source.row(p);
    for (std::uint64_t o = 0; o < outer; ++o) {
      const float *segment = row + o * inner;
      float &result = results[p * outer + o];
      // Converted rows share one buffer, so only rows in memory can wait.
      if (op.op != isa::AluOp::add || (!inMemory && outer < block)) {
        reduceRow(op.op, segment, inner, result);
        continue;
      }
      result = 0.0f;
      rows[waiting++] = segment;
      const bool last =
          inMemory ? p + 1 == dst.lanes && o + 1 == outer : o + 1 == outer;
      if (waiting == block || last) {
        kernels.sumRows(rows.data(), waiting, inner, results + done);
        done += waiting;
        waiting = 0;
      }
    }
  }
  if (op.negate)
    kernels.vs[static_cast<std::size_t>(isa::AluOp::multiply)](results, -1.0f,
                                                               results, total);
  RowSink sink(converter, dst, buffers[2], buffers[3], false);
  for (unsigned p = 0; p < dst.lanes; ++p)
    sink.finish(p, results + p * outer);
}

} // namespace kiln::sim
