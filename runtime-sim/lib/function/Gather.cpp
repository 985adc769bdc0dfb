//===- Gather.cpp - Shuffles of lanes, gathers of columns -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bulk.h"

#include "Meanings.h"
#include "Rows.h"
#include "kiln/isa/shapes.h"

#include <cstring>

namespace kiln::sim {

namespace {

constexpr unsigned quadrant = 32;

/// The element of each index, from a dense row.
template <class Index>
bool pick(const std::uint8_t *row, std::uint64_t elements, unsigned bytes,
          const Index *indices, std::uint64_t count, unsigned each,
          std::uint8_t *out) {
  for (std::uint64_t j = 0; j < count; ++j) {
    if (std::uint64_t{indices[j]} + each > elements)
      return false;
    std::memcpy(out + j * each * bytes, row + std::size_t{indices[j]} * bytes,
                each * bytes);
  }
  return true;
}

} // namespace

Outcome run(Lanes &lanes, const isa::NcStreamShuffle &op) {
  const View dst = lanes.view(op.dst);
  const View src = lanes.view(op.src);
  const std::uint64_t bytes = src.elements() * src.layout.elementBytes;
  // All of the source first: dst may be src.
  auto *rows = lanes.scratch.get<std::uint8_t>(bytes * src.lanes);
  collect(lanes, src, rows);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const std::uint8_t taken = op.shuffle_mask[p % quadrant];
    if (taken == isa::keepLane)
      continue;
    const unsigned lane = p / quadrant * quadrant + taken;
    if (lane >= src.lanes)
      return Outcome::laneOutsideTile;
    scatter(rows + lane * bytes, dst, p);
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::LocalGather &op) {
  const View dst = lanes.view(op.dst);
  const View src = lanes.view(op.src_buffer);
  const View index = lanes.view(op.index);
  const unsigned bytes = src.layout.elementBytes;
  const auto each = static_cast<unsigned>(op.num_elem_per_idx);
  const std::uint64_t count =
      op.num_valid_indices ? static_cast<std::uint64_t>(*op.num_valid_indices)
                           : isa::poolLanes * index.elements();
  auto *column = lanes.scratch.get<std::uint32_t>(index.elements());
  auto *list =
      lanes.scratch.get<std::uint32_t>(isa::poolLanes * index.elements());
  auto *row = lanes.scratch.get<std::uint8_t>(src.elements() * bytes);
  auto *out = lanes.scratch.get<std::uint8_t>(count * each * bytes);
  for (unsigned first = 0; first < src.lanes; first += isa::poolLanes) {
    for (unsigned lane = 0; lane < isa::poolLanes; ++lane) {
      gatherBits(index, first + lane, lanes.scratch, column);
      for (std::uint64_t i = 0; i < index.elements(); ++i)
        list[i * isa::poolLanes + lane] = column[i];
    }
    for (unsigned lane = first; lane < first + isa::poolLanes; ++lane) {
      gather(src, lane, row);
      if (!pick(row, src.elements(), bytes, list, count, each, out))
        return Outcome::indexOutsideTile;
      scatter(out, dst, lane);
    }
  }
  return Outcome::done;
}

Outcome run(Lanes &lanes, const isa::NcNGather &op) {
  const View dst = lanes.view(op.dst);
  const View data = lanes.view(op.data);
  const View indices = lanes.view(op.indices);
  const unsigned bytes = data.layout.elementBytes;
  const std::uint64_t count = indices.elements();
  auto *list = lanes.scratch.get<std::uint32_t>(count);
  auto *row = lanes.scratch.get<std::uint8_t>(data.elements() * bytes);
  auto *out = lanes.scratch.get<std::uint8_t>(count * bytes);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gatherBits(indices, p, lanes.scratch, list);
    gather(data, p, row);
    if (!pick(row, data.elements(), bytes, list, count, 1, out))
      return Outcome::indexOutsideTile;
    scatter(out, dst, p);
  }
  return Outcome::done;
}

} // namespace kiln::sim
