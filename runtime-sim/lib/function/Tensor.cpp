//===- Tensor.cpp - Tensor engine -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <cstring>

namespace kiln::sim {

namespace {

/// Less than this is done before another thread has started.
constexpr std::size_t smallTranspose = std::size_t{1} << 13;

std::size_t roundUp(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

} // namespace

bool Machine::hasProductRows(const View &view, unsigned rowsPerLane) const {
  return (view.dtype == isa::DType::bf16 || view.dtype == isa::DType::f32) &&
         rowsPerLane == 1 && view.layout.contiguous() &&
         converter.readsInPlace();
}

Kernels::Rows Machine::productRows(const View &view, unsigned rowsPerLane,
                                   Buffer &dense) {
  if (hasProductRows(view, rowsPerLane))
    return {view.data, view.pitch, view.dtype == isa::DType::bf16};
  const std::size_t values = view.elements();
  float *rows = dense.get<float>(std::size_t{view.lanes} * values);
  constexpr unsigned lanesAtOnce = 32;
  const auto widen = [&](unsigned i, unsigned worker) {
    const unsigned first = i * lanesAtOnce;
    const unsigned last = std::min(first + lanesAtOnce, view.lanes);
    RowSource source(converter, view, packing[2 * worker],
                     packing[2 * worker + 1]);
    for (unsigned k = first; k < last; ++k) {
      const float *row = source.row(k);
      std::copy(row, row + values, rows + std::size_t{k} * values);
    }
  };
  const unsigned tasks = (view.lanes + lanesAtOnce - 1) / lanesAtOnce;
  if (view.totalElements() >= smallTranspose)
    inParallel(tasks, widen);
  else
    for (unsigned i = 0; i < tasks; ++i)
      widen(i, 0);
  return {rows,
          static_cast<std::ptrdiff_t>(values / rowsPerLane * sizeof(float)),
          false};
}

void Machine::multiply(const View &dst, const View &stationary,
                       const View &moving, bool accumulate,
                       unsigned rowsPerLane) {
  const std::size_t depth = std::size_t{stationary.lanes} * rowsPerLane;
  const std::size_t m = stationary.elements() / rowsPerLane;
  const std::size_t n = moving.elements() / rowsPerLane;
  // No product in PSUM is an operand of another.
  const bool waits = dst.space == isa::Space::psum &&
                     stationary.space == isa::Space::sbuf &&
                     moving.space == isa::Space::sbuf && hasRowsOfSums(dst) &&
                     hasProductRows(stationary, rowsPerLane) &&
                     hasProductRows(moving, rowsPerLane);
  if (!waits)
    products.settle();
  const Kernels::Rows left = productRows(stationary, rowsPerLane, buffers[0]);
  const Kernels::Rows right = productRows(moving, rowsPerLane, buffers[1]);
  multiplyRows(dst, left, right, depth, m, n, accumulate);
  if (!waits)
    products.settle();
}

bool Machine::hasRowsOfSums(const View &dst) const {
  return dst.dtype == isa::DType::f32 && dst.layout.contiguous() &&
         converter.readsInPlace();
}

void Machine::multiplyRows(const View &dst, const Kernels::Rows &stationary,
                           const Kernels::Rows &moving, std::size_t depth,
                           std::size_t m, std::size_t n, bool accumulate) {
  if (hasRowsOfSums(dst))
    return products.add(
        {stationary, moving, reinterpret_cast<float *>(dst.data), accumulate},
        {depth, m, n, static_cast<std::size_t>(dst.pitch) / sizeof(float)});
  float *result = buffers[4].get<float>(m * n);
  products.add({stationary, moving, result, false}, {depth, m, n, n});
  products.settle();
  RowSource old(converter, dst, buffers[2], buffers[3]);
  RowSink sink(converter, dst, buffers[5], buffers[6], false);
  const Kernels::Binary add = binary(isa::AluOp::add);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    float *row = result + p * n;
    if (accumulate)
      add(old.row(p), row, row, n);
    sink.finish(p, row);
  }
}

void Machine::run(const isa::NcMatmul &op) {
  const View dst = view(op.dst, op.dst_index);
  const View stationary = view(op.stationary, op.stationary_index);
  // Before v3 the transpose mode only labels an ordinary product.
  if (op.is_transpose && target.generation >= isa::Generation::v3)
    return transposeTile(dst, stationary);
  const bool paired = op.perf_mode == isa::PerformanceMode::double_row;
  multiply(dst, stationary, view(op.moving, op.moving_index), op.accumulate,
           paired ? 2 : 1);
}

void Machine::run(const isa::NcTranspose &op) {
  const View dst = view(op.dst);
  const View data = view(op.data);
  if (engine == isa::Engine::tensor &&
      target.generation < isa::Generation::v3 && isa::isFloat(data.dtype))
    return transposeByIdentity(dst, data);
  transposeTile(dst, data);
}

/// The v2 tensor engine multiplies with an identity matrix, so that NaN and
/// Inf spread over their row.
void Machine::transposeByIdentity(const View &dst, const View &data) {
  const std::size_t depth = data.lanes;
  const std::size_t width = isa::sizeInBytes(isa::DType::f32);
  View identity;
  identity.dtype = isa::DType::f32;
  identity.lanes = static_cast<unsigned>(depth);
  identity.pitch = static_cast<std::int64_t>(depth * width);
  identity.layout.append(static_cast<std::int64_t>(width), depth);
  float *ones = buffers[8].get<float>(depth * depth);
  std::memset(ones, 0, depth * depth * width);
  for (std::size_t i = 0; i < depth; ++i)
    ones[i * depth + i] = 1.0f;
  identity.data = reinterpret_cast<std::uint8_t *>(ones);
  multiply(dst, data, identity, false);
}

void Machine::transposeTile(const View &dst, const View &data) {
  const std::size_t rows = data.lanes;
  const std::size_t columns = data.elements();
  const unsigned bytes = data.layout.elementBytes;
  if (dst.dtype == data.dtype && dst.space != data.space &&
      data.layout.contiguous() && dst.layout.contiguous()) {
    // Each thread reads the lanes that it has made; see Products.
    const std::size_t parts =
        pool && rows * columns >= smallTranspose ? pool->size() : 1;
    const std::size_t step = roundUp((rows + parts - 1) / parts, 8);
    inParallel(static_cast<unsigned>((rows + step - 1) / step), [&](unsigned i,
                                                                    unsigned) {
      const std::size_t first = i * step;
      kernels.transpose(data.lane(static_cast<unsigned>(first)), data.pitch,
                        dst.data + first * bytes, dst.pitch,
                        std::min(step, rows - first), columns, bytes);
    });
    return;
  }
  const auto rowBytes = static_cast<std::ptrdiff_t>(columns * bytes);
  const auto columnBytes = static_cast<std::ptrdiff_t>(rows * bytes);
  std::uint8_t *in = buffers[0].get<std::uint8_t>(rows * columns * bytes);
  std::uint8_t *out = buffers[1].get<std::uint8_t>(rows * columns * bytes);
  for (unsigned p = 0; p < rows; ++p)
    gather(data, p, in + p * rowBytes);
  kernels.transpose(in, rowBytes, out, columnBytes, rows, columns, bytes);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const std::uint8_t *row = out + p * columnBytes;
    if (dst.dtype == data.dtype) {
      scatter(row, dst, p);
      continue;
    }
    float *wide = buffers[2].get<float>(rows);
    converter.widen(data.dtype, row, wide, rows);
    void *narrow = buffers[3].get<std::uint32_t>(rows);
    converter.narrow(dst.dtype, wide, narrow, rows);
    scatter(narrow, dst, p);
  }
}

} // namespace kiln::sim
