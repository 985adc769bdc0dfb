//===- Movement.cpp - Copies, patterns, selection -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Rows.h"

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

Outcome run(Lanes &lanes, const isa::TensorCopy &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View src = lanes.view(op.src, op.src_index);
  const std::uint64_t n = dst.elements();
  if (dst.dtype == src.dtype && dst.layout.contiguous() &&
      src.layout.contiguous() && !overlapsInPart(dst, src)) {
    for (unsigned p = 0; p < dst.lanes; ++p)
      std::memmove(dst.lane(p), src.lane(p), n * dst.layout.elementBytes);
    return Outcome::done;
  }
  RowSource source(lanes, src);
  void *row = lanes.scratch.get<std::uint32_t>(n);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    castRow(lanes, src, p, source, dst.dtype, row);
    scatter(row, dst, p);
  }
  return Outcome::done;
}

/// Elements keep their bits, whether they are copied or stay.
Outcome run(Lanes &lanes, const isa::TensorCopyPredicated &op) {
  const View dst = lanes.view(op.dst, op.dst_index);
  const View predicate = lanes.view(op.predicate, op.predicate_index);
  const auto *tile = std::get_if<isa::Access>(&op.src);
  const View src = tile ? lanes.view(*tile) : dst;
  const std::uint64_t n = dst.elements();
  auto *chosen = lanes.scratch.get<std::uint32_t>(n);
  auto *row = lanes.scratch.get<std::uint32_t>(n);
  auto *copied = lanes.scratch.get<std::uint32_t>(n);
  if (!tile) {
    std::uint32_t bits = 0;
    if (const auto *integer = std::get_if<std::int32_t>(&op.src))
      bits = static_cast<std::uint32_t>(*integer);
    else
      narrowOne(lanes, std::get<float>(op.src), dst.dtype, &bits);
    std::fill(copied, copied + n, bits);
  }
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gatherBits(predicate, p, lanes.scratch, chosen);
    gatherBits(dst, p, lanes.scratch, row);
    if (tile)
      gatherBits(src, p, lanes.scratch, copied);
    for (std::uint64_t i = 0; i < n; ++i)
      row[i] = (chosen[i] != 0) != op.reverse_pred ? copied[i] : row[i];
    scatterBits(row, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::Memset &op) {
  const View dst = lanes.view(op.dst);
  const std::uint64_t n = dst.elements();
  void *row = lanes.scratch.get<std::uint32_t>(n);
  if (isa::isPacked(dst.dtype) || !Converter::canNarrow(dst.dtype)) {
    // Types that hold no number of their own take only zero bits.
    std::memset(row, 0, n * dst.layout.elementBytes);
  } else {
    float *wide = lanes.scratch.get<float>(n);
    std::fill(wide, wide + n, op.value);
    lanes.converter.narrow(dst.dtype, wide, row, n);
  }
  for (unsigned p = 0; p < dst.lanes; ++p)
    scatter(row, dst, p);
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::Iota &op) {
  const View dst = lanes.view(op.dst);
  const std::uint64_t n = dst.elements();
  std::int32_t *values = lanes.scratch.get<std::int32_t>(n);
  float *wide = lanes.scratch.get<float>(n);
  void *row = lanes.scratch.get<std::uint32_t>(n);
  const auto laneStep = static_cast<std::uint32_t>(op.channel_multiplier);
  auto start = static_cast<std::uint32_t>(lanes.cursor->value(op.offset)) +
               lanes.range.first * laneStep;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    affineValues(op.pattern, start, values);
    start += laneStep;
    if (dst.dtype == isa::DType::i32 || dst.dtype == isa::DType::u32) {
      scatter(values, dst, p);
      continue;
    }
    lanes.converter.widen(isa::DType::i32, values, wide, n);
    lanes.converter.narrow(dst.dtype, wide, row, n);
    scatter(row, dst, p);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::AffineSelect &op) {
  const View dst = lanes.view(op.dst);
  const View src = lanes.view(op.on_true_tile);
  const std::uint64_t n = dst.elements();
  std::int32_t *values = lanes.scratch.get<std::int32_t>(n);
  void *row = lanes.scratch.get<std::uint32_t>(n);
  RowSource source(lanes, src);
  std::uint32_t fill = 0;
  narrowOne(lanes, op.on_false_value, dst.dtype, &fill);
  const auto laneStep = static_cast<std::uint32_t>(op.channel_multiplier);
  auto start = static_cast<std::uint32_t>(lanes.cursor->value(op.offset)) +
               lanes.range.first * laneStep;
  for (unsigned p = 0; p < dst.lanes; ++p) {
    affineValues(op.pattern, start, values);
    start += laneStep;
    castRow(lanes, src, p, source, dst.dtype, row);
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
  return Outcome::done;
}

} // namespace kiln::sim
