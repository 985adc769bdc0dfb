//===- Search.cpp - The largest elements, and where values stand ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Results.h"
#include "Rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kiln::sim {

namespace {

constexpr unsigned eight = 8;
constexpr std::uint32_t missing = ~0u;

/// A NaN is below everything, equal ones keep their order.
bool isAbove(float a, float b) {
  return a > b || (std::isnan(b) && !std::isnan(a));
}

/// The place of the first match of `value` that `taken` does not hold.
std::uint32_t find(const float *row, std::uint64_t n, float value,
                   const std::uint32_t *taken, unsigned numTaken) {
  for (std::uint64_t j = 0; j < n; ++j)
    if (row[j] == value &&
        std::find(taken, taken + numTaken, j) == taken + numTaken)
      return static_cast<std::uint32_t>(j);
  return missing;
}

} // namespace

Outcome run(Lanes &lanes, const isa::Max8 &op) {
  const View dst = lanes.view(op.dst);
  const View src = lanes.view(op.src);
  RowSource source(lanes, src);
  produceRows(lanes, dst, false, std::nullopt, isa::AluOp::add,
              [&](unsigned p, float *row) {
                const float *in = source.row(p);
                unsigned count = 0;
                for (std::uint64_t i = 0; i < src.elements(); ++i) {
                  if (count == eight && !isAbove(in[i], row[eight - 1]))
                    continue;
                  unsigned place = count < eight ? count++ : eight - 1;
                  for (; place > 0 && isAbove(in[i], row[place - 1]); --place)
                    row[place] = row[place - 1];
                  row[place] = in[i];
                }
              });
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::NcFindIndex8 &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const View values = lanes.view(op.vals);
  RowSource source(lanes, data);
  RowSource wanted(lanes, values);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float *row = source.row(p);
    const float *value = wanted.row(p);
    std::uint32_t found[eight];
    // A place that an earlier value took holds the same value: continue with
    // the next place.
    for (unsigned i = 0; i < eight; ++i)
      found[i] = find(row, data.elements(), value[i], found, i);
    scatterBits(found, dst, p, lanes.scratch);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::NcMatchReplace8 &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const View values = lanes.view(op.vals);
  const std::uint64_t n = data.elements();
  RowSource source(lanes, data);
  RowSource wanted(lanes, values);
  // Elements that do not match are copied: their bits stay if the types are
  // equal.
  auto *copied = lanes.scratch.get<std::uint32_t>(n);
  auto *indices =
      lanes.scratch.get<std::uint32_t>(std::size_t{eight} * dst.lanes);
  std::uint32_t replacement = 0;
  narrowOne(lanes, op.imm, dst.dtype, &replacement);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const float *row = source.row(p);
    const float *value = wanted.row(p);
    std::uint32_t *found = indices + std::size_t{eight} * p;
    std::uint32_t claimed[eight];
    for (unsigned i = eight; i-- > 0;) {
      found[i] = find(row, n, value[i], claimed, eight - 1 - i);
      claimed[eight - 1 - i] = found[i];
    }
    castRow(lanes, data, p, source, dst.dtype, copied);
    for (const std::uint32_t place : claimed)
      if (place != missing)
        std::memcpy(reinterpret_cast<char *>(copied) +
                        std::size_t{place} * dst.layout.elementBytes,
                    &replacement, dst.layout.elementBytes);
    scatter(copied, dst, p);
  }
  if (!op.dst_idx)
    return Outcome::done;
  const View places = lanes.view(*op.dst_idx);
  for (unsigned p = 0; p < places.lanes; ++p)
    scatterBits(indices + std::size_t{eight} * p, places, p, lanes.scratch);
  return Outcome::done;
}

} // namespace kiln::sim
