//===- Gather.cpp - Shuffles of lanes, gathers of columns -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <cstring>

namespace kiln::sim {

namespace {

constexpr unsigned quadrant = 32;
constexpr unsigned coreLanes = 16;
constexpr const char *outside =
    "has an index that lies outside the tile it reads";

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

void Machine::run(const isa::NcStreamShuffle &op) {
  const View dst = view(op.dst);
  const View src = view(op.src);
  const std::uint64_t bytes = src.elements() * src.layout.elementBytes;
  // All of the source first: dst may be src.
  auto *rows = buffers[0].get<std::uint8_t>(bytes * src.lanes);
  collect(src, rows);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    const std::uint8_t taken = op.shuffle_mask[p % quadrant];
    if (taken == isa::keepLane)
      continue;
    const unsigned lane = p / quadrant * quadrant + taken;
    if (lane >= src.lanes) {
      problem = "selects a lane that src does not have";
      return;
    }
    scatter(rows + lane * bytes, dst, p);
  }
}

void Machine::run(const isa::LocalGather &op) {
  const View dst = view(op.dst);
  const View src = view(op.src_buffer);
  const View index = view(op.index);
  const unsigned bytes = src.layout.elementBytes;
  const auto each = static_cast<unsigned>(op.num_elem_per_idx);
  const std::uint64_t count =
      op.num_valid_indices ? static_cast<std::uint64_t>(*op.num_valid_indices)
                           : coreLanes * index.elements();
  auto *column = buffers[0].get<std::uint32_t>(index.elements());
  auto *list = buffers[1].get<std::uint32_t>(coreLanes * index.elements());
  auto *row = buffers[2].get<std::uint8_t>(src.elements() * bytes);
  auto *out = buffers[3].get<std::uint8_t>(count * each * bytes);
  for (unsigned first = 0; first < src.lanes; first += coreLanes) {
    for (unsigned lane = 0; lane < coreLanes; ++lane) {
      gatherBits(index, first + lane, buffers[4], column);
      for (std::uint64_t i = 0; i < index.elements(); ++i)
        list[i * coreLanes + lane] = column[i];
    }
    for (unsigned lane = first; lane < first + coreLanes; ++lane) {
      gather(src, lane, row);
      if (!pick(row, src.elements(), bytes, list, count, each, out)) {
        problem = outside;
        return;
      }
      scatter(out, dst, lane);
    }
  }
}

void Machine::run(const isa::NcNGather &op) {
  const View dst = view(op.dst);
  const View data = view(op.data);
  const View indices = view(op.indices);
  const unsigned bytes = data.layout.elementBytes;
  const std::uint64_t count = indices.elements();
  auto *list = buffers[0].get<std::uint32_t>(count);
  auto *row = buffers[1].get<std::uint8_t>(data.elements() * bytes);
  auto *out = buffers[2].get<std::uint8_t>(count * bytes);
  for (unsigned p = 0; p < dst.lanes; ++p) {
    gatherBits(indices, p, buffers[3], list);
    gather(data, p, row);
    if (!pick(row, data.elements(), bytes, list, count, 1, out)) {
      problem = outside;
      return;
    }
    scatter(out, dst, p);
  }
}

} // namespace kiln::sim
