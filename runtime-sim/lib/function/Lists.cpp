//===- Lists.cpp - Lists that GpSimd makes --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"

#include "Rows.h"
#include "kiln/isa/shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::sim {

namespace {

/// Lanes that one GpSimd core serves.

} // namespace

/// Element e of a group of 16 lanes is at lane e mod 16, column e div 16.
Outcome run(Lanes &lanes, const isa::Topk &op) {
  const View values = lanes.view(op.val_dst);
  const View places = lanes.view(op.idx_dst);
  const View src = lanes.view(op.src);
  const auto n = static_cast<std::uint32_t>(op.n);
  const std::uint64_t kept = values.elements();
  RowSource source(lanes, src);
  std::vector<float> numbers(n);
  std::vector<std::uint32_t> order(n);
  std::vector<float> row(kept);
  for (unsigned first = 0; first < src.lanes; first += isa::poolLanes) {
    for (unsigned lane = 0; lane < isa::poolLanes; ++lane) {
      const float *column = source.row(first + lane);
      for (std::uint32_t e = lane; e < n; e += isa::poolLanes)
        numbers[e] = column[e / isa::poolLanes];
    }
    std::iota(order.begin(), order.end(), 0u);
    // A NaN is below everything; of equal numbers the lower place is better.
    const auto below = [&](std::uint32_t a, std::uint32_t b) {
      return numbers[a] < numbers[b] ||
             (std::isnan(numbers[a]) && !std::isnan(numbers[b]));
    };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) {
                return below(b, a) || (!below(a, b) && a < b);
              });
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept),
              [&](std::uint32_t a, std::uint32_t b) {
                return below(a, b) || (!below(b, a) && a < b);
              });
    for (std::uint64_t k = 0; k < kept; ++k)
      row[k] = numbers[order[k]];
    void *narrow = lanes.scratch.get<std::uint32_t>(kept);
    lanes.converter.narrow(values.dtype, row.data(), narrow, kept);
    for (unsigned lane = first; lane < first + isa::poolLanes; ++lane) {
      scatter(narrow, values, lane);
      scatterBits(order.data(), places, lane, lanes.scratch);
    }
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::NonzeroWithCount &op) {
  const View dst = lanes.view(op.dst);
  const View src = lanes.view(op.src);
  const std::uint64_t n = src.elements();
  RowSource source(lanes, src);
  auto *row = lanes.scratch.get<std::uint32_t>(n + 1);
  for (unsigned p = 0; p < src.lanes; p += isa::poolLanes) {
    const float *numbers = source.row(p);
    std::uint32_t count = 0;
    for (std::uint64_t j = 0; j < n; ++j)
      if (numbers[j] != 0.0f)
        row[count++] = static_cast<std::uint32_t>(op.index_offset) +
                       static_cast<std::uint32_t>(j);
    std::fill(row + count, row + n, static_cast<std::uint32_t>(op.padding_val));
    row[n] = count;
    scatterBits(row, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::SequenceBounds &op) {
  const View dst = lanes.view(op.dst);
  const View ids = lanes.view(op.segment_ids);
  const std::uint64_t n = ids.elements();
  const bool isFloat = ids.dtype == isa::DType::f32;
  auto *id = lanes.scratch.get<std::uint32_t>(n);
  auto *bounds = lanes.scratch.get<std::uint32_t>(2 * n);
  gatherBits(ids, 0, lanes.scratch, id);
  // Ids are not negative, so equal numbers have equal bits, but for -0.
  for (std::uint64_t j = 0; j < n && isFloat; ++j)
    id[j] = id[j] == 0x80000000u ? 0 : id[j];
  const auto put = [&](std::uint64_t at, std::int64_t value) {
    const float number = static_cast<float>(value);
    bounds[at] = isFloat ? __builtin_bit_cast(std::uint32_t, number)
                         : static_cast<std::uint32_t>(value);
  };
  for (std::uint64_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && id[end] == id[begin])
      ++end;
    const bool padding = id[begin] == 0;
    for (std::uint64_t j = begin; j < end; ++j) {
      put(j, static_cast<std::int64_t>(padding ? n : begin));
      put(n + j, padding ? -1 : static_cast<std::int64_t>(end));
    }
  }
  scatterBits(bounds, dst, 0, lanes.scratch);
  return Outcome::done;
}

} // namespace kiln::sim
