//===- Movement.cpp - Copies, patterns, selection -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Transpose.h"

#include <cstring>

namespace kiln::sim {

namespace {

/// The values of an index pattern for one lane, in int32 that wraps.
void affineValues(const isa::IndexPattern &pattern, std::uint32_t start,
                  std::int32_t *out) {
  std::array<std::uint32_t, 4> index{};
  const unsigned rank = pattern.rank;
  if (rank == 0) {
    *out = static_cast<std::int32_t>(start);
    return;
  }
  const isa::Dim inner = pattern.dims[rank - 1];
  const auto step = static_cast<std::uint32_t>(inner.stride);
  while (true) {
    for (std::uint32_t i = 0; i < inner.size; ++i)
      out[i] = static_cast<std::int32_t>(start + i * step);
    out += inner.size;
    unsigned d = rank - 1;
    while (true) {
      if (d == 0)
        return;
      --d;
      const auto stride = static_cast<std::uint32_t>(pattern.dims[d].stride);
      start += stride;
      if (++index[d] < pattern.dims[d].size)
        break;
      start -= stride * pattern.dims[d].size;
      index[d] = 0;
    }
  }
}

bool compares(isa::AluOp op, std::int32_t value) {
  switch (op) {
  case isa::AluOp::equal:
    return value == 0;
  case isa::AluOp::not_equal:
    return value != 0;
  case isa::AluOp::greater_equal:
    return value >= 0;
  case isa::AluOp::greater:
    return value > 0;
  case isa::AluOp::less_equal:
    return value <= 0;
  default:
    return value < 0;
  }
}

/// Puts `fill` where the comparison fails.
template <class T, class Holds>
void replaceRow(T *row, T fill, const std::int32_t *values, std::uint64_t n,
                Holds holds) {
  for (std::uint64_t i = 0; i < n; ++i)
    row[i] = holds(values[i]) ? row[i] : fill;
}

template <class T>
void replaceRow(void *row, const void *fill, isa::AluOp op,
                const std::int32_t *values, std::uint64_t n) {
  T bits;
  std::memcpy(&bits, fill, sizeof(T));
  T *elements = static_cast<T *>(row);
  if (op == isa::AluOp::greater_equal)
    replaceRow(elements, bits, values, n,
               [](std::int32_t v) { return v >= 0; });
  else
    replaceRow(elements, bits, values, n,
               [op](std::int32_t v) { return compares(op, v); });
}

} // namespace

void Machine::run(const isa::TensorCopy &op) {
  const View dst = view(op.dst);
  const View src = view(op.src);
  const std::uint64_t n = dst.elements();
  const bool same = dst.dtype == src.dtype;
  if (same && dst.layout.contiguous() && src.layout.contiguous() &&
      !overlapsInPart(dst, src)) {
    for (unsigned p = 0; p < dst.lanes; ++p)
      std::memmove(dst.lane(p), src.lane(p), n * dst.layout.elementBytes);
    return;
  }
  RowSource source(converter, src, buffers[0], buffers[1]);
  void *row = buffers[2].get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    if (same)
      gather(src, p, row);
    else
      converter.narrow(dst.dtype, source.row(p), row, n);
    scatter(row, dst, p);
  }
}

void Machine::run(const isa::Memset &op) {
  const View dst = view(op.dst);
  const std::uint64_t n = dst.elements();
  float *wide = buffers[0].get<float>(n);
  for (std::uint64_t i = 0; i < n; ++i)
    wide[i] = op.value;
  void *row = buffers[1].get<std::uint32_t>(n);
  converter.narrow(dst.dtype, wide, row, n);
  for (unsigned p = 0; p < dst.lanes; ++p)
    scatter(row, dst, p);
}

void Machine::run(const isa::Iota &op) {
  const View dst = view(op.dst);
  const std::uint64_t n = dst.elements();
  std::int32_t *values = buffers[0].get<std::int32_t>(n);
  float *wide = buffers[1].get<float>(n);
  void *row = buffers[2].get<std::uint32_t>(n);
  const auto laneStep = static_cast<std::uint32_t>(op.channel_multiplier);
  auto start = static_cast<std::uint32_t>(cursor->value(op.offset)) +
               range.first * laneStep;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    affineValues(op.pattern, start, values);
    start += laneStep;
    if (dst.dtype == isa::DType::i32) {
      scatter(values, dst, p);
      continue;
    }
    converter.widen(isa::DType::i32, values, wide, n);
    converter.narrow(dst.dtype, wide, row, n);
    scatter(row, dst, p);
  }
}

void Machine::run(const isa::AffineSelect &op) {
  const View dst = view(op.dst);
  const View src = view(op.on_true_tile);
  const std::uint64_t n = dst.elements();
  std::int32_t *values = buffers[0].get<std::int32_t>(n);
  void *row = buffers[1].get<std::uint32_t>(n);
  RowSource source(converter, src, buffers[2], buffers[3]);
  std::uint32_t fill = 0;
  narrowOne(op.on_false_value, dst.dtype, &fill);
  const auto laneStep = static_cast<std::uint32_t>(op.channel_multiplier);
  auto start = static_cast<std::uint32_t>(cursor->value(op.offset)) +
               range.first * laneStep;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    affineValues(op.pattern, start, values);
    start += laneStep;
    if (src.dtype == dst.dtype)
      gather(src, p, row);
    else
      converter.narrow(dst.dtype, source.row(p), row, n);
    switch (dst.layout.elementBytes) {
    case 1:
      replaceRow<std::uint8_t>(row, &fill, op.cmp_op, values, n);
      break;
    case 2:
      replaceRow<std::uint16_t>(row, &fill, op.cmp_op, values, n);
      break;
    default:
      replaceRow<std::uint32_t>(row, &fill, op.cmp_op, values, n);
    }
    scatter(row, dst, p);
  }
}

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

void Machine::transfer(const TransferViews &views) {
  converter.begin(static_cast<std::uint64_t>(views.engine), views.serial);
  if (views.transpose)
    transposeTransfer(views.dst, views.src);
  else
    copyTransfer(views.dst, views.src);
}

void Machine::collect(const View &view, std::uint8_t *dense) {
  const std::uint64_t bytes = view.elements() * view.layout.elementBytes;
  for (unsigned p = 0; p < view.lanes; ++p)
    gather(view, p, dense + p * bytes);
}

void Machine::spread(const std::uint8_t *dense, const View &view) {
  const std::uint64_t bytes = view.elements() * view.layout.elementBytes;
  for (unsigned p = 0; p < view.lanes; ++p)
    scatter(dense + p * bytes, view, p);
}

void Machine::copyTransfer(const View &dst, const View &src) {
  const std::uint64_t total = src.totalElements();
  // A dense side is the other side's buffer, unless both are one memory.
  const bool apart = dst.space != src.space;
  const auto isDense = [](const View &view) {
    return view.layout.contiguous() &&
           (view.lanes == 1 ||
            view.pitch == static_cast<std::int64_t>(view.elements()) *
                              view.layout.elementBytes);
  };
  if (dst.dtype == src.dtype && apart && isDense(src))
    return spread(src.data, dst);
  if (dst.dtype == src.dtype && apart && isDense(dst))
    return collect(src, dst.data);
  std::uint8_t *dense =
      buffers[0].get<std::uint8_t>(total * src.layout.elementBytes);
  collect(src, dense);
  if (dst.dtype == src.dtype)
    return spread(dense, dst);
  float *wide = buffers[1].get<float>(total);
  converter.widen(src.dtype, dense, wide, total);
  std::uint8_t *narrow =
      buffers[2].get<std::uint8_t>(total * dst.layout.elementBytes);
  converter.narrow(dst.dtype, wide, narrow, total);
  spread(narrow, dst);
}

void Machine::transposeTransfer(const View &dst, const View &src) {
  const unsigned bytes = src.layout.elementBytes;
  const std::uint64_t rows = dst.elements();
  const std::uint64_t columns = dst.lanes;
  const std::uint8_t *in = src.data;
  if (src.lanes > 1 || !src.layout.contiguous()) {
    std::uint8_t *dense = buffers[0].get<std::uint8_t>(rows * columns * bytes);
    collect(src, dense);
    in = dense;
  }
  std::uint8_t *out = buffers[1].get<std::uint8_t>(rows * columns * bytes);
  transposeBytes(in, rows, columns, bytes, out);
  spread(out, dst);
}

} // namespace kiln::sim
