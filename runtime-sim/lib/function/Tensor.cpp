//===- Tensor.cpp - Tensor engine -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Transpose.h"

#include <algorithm>
#include <cstring>

namespace kiln::sim {

namespace {

constexpr std::size_t smallProduct = std::size_t{1} << 17;

std::size_t roundUp(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

} // namespace

/// Widens lanes [first, last), each of `rowsPerLane` rows of K, and puts them
/// into panels of `width`.
void Machine::packLanes(const View &view, unsigned first, unsigned last,
                        std::size_t width, unsigned rowsPerLane,
                        unsigned worker, float *panels) {
  const std::size_t n = view.elements() / rowsPerLane;
  const std::size_t depth = std::size_t{view.lanes} * rowsPerLane;
  if (view.dtype == isa::DType::bf16 && view.layout.contiguous() &&
      converter.readsInPlace()) {
    for (unsigned k = first; k < last; ++k)
      kernels.packBf16(view.lane(k), n, panels, width, k, depth);
    return;
  }
  RowSource source(converter, view, packing[2 * worker],
                   packing[2 * worker + 1]);
  for (unsigned k = first; k < last; ++k) {
    const float *row = source.row(k);
    for (unsigned j = 0; j < rowsPerLane; ++j)
      kernels.packF32(row + j * n, n, panels, width,
                      std::size_t{k} * rowsPerLane + j, depth);
  }
}

void Machine::multiply(const View &dst, const View &stationary,
                       const View &moving, bool accumulate,
                       unsigned rowsPerLane) {
  const unsigned lanes = stationary.lanes;
  const std::size_t depth = std::size_t{lanes} * rowsPerLane;
  const std::size_t m = stationary.elements() / rowsPerLane;
  const std::size_t n = moving.elements() / rowsPerLane;
  float *left = buffers[0].get<float>(roundUp(m, kernels.mr) * depth);
  float *right = buffers[1].get<float>(roundUp(n, kernels.nr) * depth);
  // A small product is done before another thread has started.
  Pool *const outer = pool;
  if (m * n * depth < smallProduct)
    pool = nullptr;
  constexpr unsigned lanesAtOnce = 32;
  inParallel((lanes + lanesAtOnce - 1) / lanesAtOnce, [&](unsigned i,
                                                          unsigned worker) {
    const unsigned first = i * lanesAtOnce;
    const unsigned last = std::min(first + lanesAtOnce, lanes);
    packLanes(stationary, first, last, kernels.mr, rowsPerLane, worker, left);
    packLanes(moving, first, last, kernels.nr, rowsPerLane, worker, right);
  });
  multiplyPanels(dst, left, right, depth, m, n, accumulate);
  pool = outer;
}

void Machine::multiplyPanels(const View &dst, const float *left,
                             const float *right, std::size_t depth,
                             std::size_t m, std::size_t n, bool accumulate) {
  // Whole panels of columns; every output is one thread's.
  const auto product = [&](float *out, std::size_t outStride, bool adds) {
    const std::size_t columns = roundUp((n + 3) / 4, kernels.nr);
    inParallel(static_cast<unsigned>((n + columns - 1) / columns),
               [&](unsigned i, unsigned) {
                 const std::size_t first = i * columns;
                 kernels.matmul(left, right + first * depth, out + first,
                                outStride, depth, m,
                                std::min(columns, n - first), adds);
               });
  };
  if (dst.dtype == isa::DType::f32 && dst.layout.contiguous() &&
      converter.readsInPlace())
    return product(reinterpret_cast<float *>(dst.data),
                   static_cast<std::size_t>(dst.pitch) / sizeof(float),
                   accumulate);
  float *result = buffers[4].get<float>(m * n);
  product(result, n, false);
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
  float *ones = buffers[7].get<float>(depth * depth);
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
  std::uint8_t *in = buffers[0].get<std::uint8_t>(rows * columns * bytes);
  std::uint8_t *out = buffers[1].get<std::uint8_t>(rows * columns * bytes);
  for (unsigned p = 0; p < rows; ++p)
    gather(data, p, in + p * columns * bytes);
  transposeBytes(in, rows, columns, bytes, out);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const std::uint8_t *row = out + p * rows * bytes;
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
