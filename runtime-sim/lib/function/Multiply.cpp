//===- Multiply.cpp - Products of tiles -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Multiply.h"

#include "Rows.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <vector>

namespace kiln::sim {

namespace {

/// A thread finishes less than this before another has started.
constexpr std::size_t elementsWorthSharing = std::size_t{1} << 13;

/// True if products can read the rows of K in place.
bool hasProductRows(const Lanes &lanes, const View &view,
                    unsigned rowsPerLane) {
  return (view.dtype == isa::DType::bf16 || view.dtype == isa::DType::f32) &&
         rowsPerLane == 1 && view.layout.contiguous() &&
         lanes.converter.readsInPlace();
}

/// The operand as rows of K; widened into memory of its own if it must be.
Kernels::Rows productRows(Lanes &lanes, const View &view,
                          unsigned rowsPerLane) {
  if (hasProductRows(lanes, view, rowsPerLane))
    return {view.data, view.pitch, view.dtype == isa::DType::bf16};
  const std::size_t values = view.elements();
  float *rows = lanes.scratch.get<float>(std::size_t{view.lanes} * values);
  constexpr unsigned lanesAtOnce = 32;
  const unsigned tasks = isa::ceilDiv(view.lanes, lanesAtOnce);
  const bool shares =
      lanes.pool && view.totalElements() >= elementsWorthSharing;
  std::vector<RowSource> sources; // One for each thread.
  for (unsigned i = 0; i < (shares ? lanes.pool->size() : 1); ++i)
    sources.emplace_back(lanes, view);
  const auto widen = [&](unsigned i, unsigned worker) {
    const unsigned first = i * lanesAtOnce;
    const unsigned last = std::min(first + lanesAtOnce, view.lanes);
    for (unsigned k = first; k < last; ++k) {
      const float *row = sources[worker].row(k);
      std::copy(row, row + values, rows + std::size_t{k} * values);
    }
  };
  if (shares)
    lanes.pool->run(tasks, widen);
  else
    for (unsigned i = 0; i < tasks; ++i)
      widen(i, 0);
  return {rows,
          static_cast<std::ptrdiff_t>(values / rowsPerLane * sizeof(float)),
          false};
}

/// True if products can store sums in place.
bool hasRowsOfSums(const Lanes &lanes, const View &dst) {
  return dst.dtype == isa::DType::f32 && dst.layout.contiguous() &&
         lanes.converter.readsInPlace();
}

} // namespace

void multiply(Lanes &lanes, const View &dst, const View &stationary,
              const View &moving, bool accumulate, unsigned rowsPerLane) {
  const std::size_t depth = std::size_t{stationary.lanes} * rowsPerLane;
  const std::size_t m = stationary.elements() / rowsPerLane;
  const std::size_t n = moving.elements() / rowsPerLane;
  // No product in PSUM is an operand of another.
  const bool waits =
      dst.space == isa::Space::psum && stationary.space == isa::Space::sbuf &&
      moving.space == isa::Space::sbuf && hasRowsOfSums(lanes, dst) &&
      hasProductRows(lanes, stationary, rowsPerLane) &&
      hasProductRows(lanes, moving, rowsPerLane);
  if (!waits)
    lanes.products.settle();
  const Kernels::Rows left = productRows(lanes, stationary, rowsPerLane);
  const Kernels::Rows right = productRows(lanes, moving, rowsPerLane);
  multiplyRows(lanes, dst, left, right, depth, m, n, accumulate);
  if (!waits)
    lanes.products.settle();
}

void multiplyRows(Lanes &lanes, const View &dst,
                  const Kernels::Rows &stationary, const Kernels::Rows &moving,
                  std::size_t depth, std::size_t m, std::size_t n,
                  bool accumulate) {
  if (hasRowsOfSums(lanes, dst))
    return lanes.products.add(
        {stationary, moving, reinterpret_cast<float *>(dst.data), accumulate},
        {depth, m, n, static_cast<std::size_t>(dst.pitch) / sizeof(float)});
  float *result = lanes.scratch.get<float>(m * n);
  lanes.products.add({stationary, moving, result, false}, {depth, m, n, n});
  lanes.products.settle();
  RowSource old(lanes, dst);
  RowSink sink(lanes, dst, false);
  const Kernels::Binary add = lanes.binary(isa::AluOp::add);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = result + p * n;
    if (accumulate)
      add(old.row(p), row, row, n);
    sink.finish(p, row);
  }
}

} // namespace kiln::sim
