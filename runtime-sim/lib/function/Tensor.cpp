//===- Tensor.cpp - Tensor engine -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Multiply.h"
#include "Rows.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <cstring>

namespace kiln::sim {

namespace {

/// A thread finishes less than this before another has started.
constexpr std::size_t smallTranspose = std::size_t{1} << 13;

void transposeTile(Lanes &lanes, const View &dst, const View &data) {
  const std::size_t rows = data.lanes;
  const std::size_t columns = data.elements();
  const unsigned bytes = data.layout.elementBytes;
  if (dst.dtype == data.dtype && dst.space != data.space &&
      data.layout.contiguous() && dst.layout.contiguous()) {
    // Each thread reads the lanes that it has computed; see Products.
    const std::size_t parts =
        lanes.pool && rows * columns >= smallTranspose ? lanes.pool->size() : 1;
    const std::size_t step = isa::roundUp(isa::ceilDiv(rows, parts), 8);
    lanes.inParallel(static_cast<unsigned>(isa::ceilDiv(rows, step)),
                     [&](unsigned i, unsigned) {
                       const std::size_t first = i * step;
                       lanes.kernels.transpose(
                           data.lane(static_cast<unsigned>(first)), data.pitch,
                           dst.data + first * bytes, dst.pitch,
                           std::min(step, rows - first), columns, bytes);
                     });
    return;
  }
  const auto rowBytes = static_cast<std::ptrdiff_t>(columns * bytes);
  const auto columnBytes = static_cast<std::ptrdiff_t>(rows * bytes);
  std::uint8_t *in = lanes.scratch.get<std::uint8_t>(rows * columns * bytes);
  std::uint8_t *out = lanes.scratch.get<std::uint8_t>(rows * columns * bytes);
  for (unsigned p = 0; p < rows; ++p)
    gather(data, p, in + p * rowBytes);
  lanes.kernels.transpose(in, rowBytes, out, columnBytes, rows, columns, bytes);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const std::uint8_t *row = out + p * columnBytes;
    if (dst.dtype == data.dtype) {
      scatter(row, dst, p);
      continue;
    }
    const Scratch::Scope scope(lanes.scratch);
    float *wide = lanes.scratch.get<float>(rows);
    lanes.converter.widen(data.dtype, row, wide, rows);
    void *narrow = lanes.scratch.get<std::uint32_t>(rows);
    lanes.converter.narrow(dst.dtype, wide, narrow, rows);
    scatter(narrow, dst, p);
  }
}

/// The v2 tensor engine multiplies with an identity matrix, so that NaN and
/// Inf spread over their row.
void transposeByIdentity(Lanes &lanes, const View &dst, const View &data) {
  const std::size_t depth = data.lanes;
  const std::size_t width = isa::sizeInBytes(isa::DType::f32);
  View identity;
  identity.dtype = isa::DType::f32;
  identity.lanes = static_cast<unsigned>(depth);
  identity.pitch = static_cast<std::int64_t>(depth * width);
  identity.layout.append(static_cast<std::int64_t>(width), depth);
  float *ones = lanes.scratch.get<float>(depth * depth);
  std::memset(ones, 0, depth * depth * width);
  for (std::size_t i = 0; i < depth; ++i)
    ones[i * depth + i] = 1.0f;
  identity.data = reinterpret_cast<std::uint8_t *>(ones);
  multiply(lanes, dst, data, identity, false);
}

} // namespace

Outcome run(Lanes &lanes, const isa::NcMatmul &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View stationary = lanes.view(op.stationary, op.stationary_index);
  // Before v3 the transpose mode only labels an ordinary product.
  if (op.is_transpose && lanes.target.generation >= isa::Generation::v3)
    return transposeTile(lanes, dst, stationary), Outcome::done;
  const bool paired = op.perf_mode == isa::PerformanceMode::double_row;
  multiply(lanes, dst, stationary, lanes.view(op.moving, op.moving_index),
           op.accumulate, paired ? 2 : 1);
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::NcTranspose &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  if (lanes.engine == isa::Engine::tensor &&
      lanes.target.generation < isa::Generation::v3 && isa::isFloat(data.dtype))
    return transposeByIdentity(lanes, dst, data), Outcome::done;
  transposeTile(lanes, dst, data);
  return Outcome::done;
}

} // namespace kiln::sim
