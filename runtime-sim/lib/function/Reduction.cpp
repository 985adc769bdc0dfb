//===- Reduction.cpp - Reductions of rows and of partitions ---------------===//
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

Outcome run(Lanes &lanes, const isa::TensorReduce &op) {
  if (isa::isBitwise(op.op))
    return bitwise(lanes, op);
  constexpr unsigned block = Kernels::maxSumRows;
  const View dst = lanes.view(op.dst, op.dst_index);
  const View data = lanes.view(op.data, op.data_index);
  const std::uint64_t outer = dst.elements();
  const std::uint64_t inner = data.elements() / outer;
  // All results before the first write: dst may lie within data.
  const std::uint64_t total = outer * dst.lanes;
  float *results = lanes.scratch.get<float>(total);
  RowSource source(lanes, data);
  const bool inMemory = data.dtype == isa::DType::f32 &&
                        data.layout.contiguous() &&
                        lanes.converter.readsInPlace();
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
        // Subtraction starts from the first element.
        const bool fromFirst = op.op == isa::AluOp::subtract;
        result = fromFirst ? segment[0] : identityOf(op.op);
        foldRow(lanes, op.op, segment + fromFirst, inner - fromFirst, result);
        continue;
      }
      result = 0.0f;
      rows[waiting++] = segment;
      const bool last =
          inMemory ? p + 1 == dst.lanes && o + 1 == outer : o + 1 == outer;
      if (waiting == block || last) {
        lanes.kernels.sumRows(rows.data(), waiting, inner, results + done);
        done += waiting;
        waiting = 0;
      }
    }
  }
  if (op.negate)
    lanes.kernels.vs[static_cast<std::size_t>(isa::AluOp::multiply)](
        results, -1.0f, results, total);
  RowSink sink(lanes, dst, false);
  for (unsigned p = 0; p < dst.lanes; ++p)
    sink.finish(p, results + p * outer);
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::TensorPartitionReduce &op) {
  if (isa::isBitwise(op.op))
    return bitwise(lanes, op);
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const std::uint64_t n = dst.elements();
  const bool average = op.op == isa::AluOp::average;
  const Kernels::Binary fold = lanes.binary(average ? isa::AluOp::add : op.op);
  float *result = lanes.scratch.get<float>(n);
  std::fill(result, result + n, identityOf(op.op));
  RowSource source(lanes, data);
  for (unsigned p = 0; p < data.lanes; ++p)
    fold(result, source.row(p), result, n);
  for (std::uint64_t i = 0; average && i < n; ++i)
    result[i] = result[i] / static_cast<float>(data.lanes);
  RowSink sink(lanes, dst, false);
  sink.finish(0, result);
  return Outcome::done;
}

} // namespace kiln::sim
