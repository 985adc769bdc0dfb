//===- Indirection.cpp - Elements that an index lists ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indirection.h"
#include "Rows.h"

#include "kiln/isa/rounding.h"

namespace kiln::sim {

/// Element i of a group of lanes lies at place index[i mod G, i div G].
Outcome Lanes::resolveOperand(const isa::Access &access,
                              const isa::Access &index) {
  View result = view(access);
  const View list = view(index);
  const unsigned group = engine == isa::Engine::tensor ? 32 : 16;
  const std::uint64_t n = result.elements();
  const unsigned groups = isa::ceilDiv(result.lanes, group);
  const std::uint64_t numPlaces = n * groups;
  auto *places = scratch.get<std::int64_t>(numPlaces);
  std::fill(places, places + numPlaces, 0);
  auto *row = scratch.get<std::uint32_t>(list.elements());
  for (unsigned lane = 0; lane < list.lanes; ++lane) {
    gatherBits(list, lane, scratch, row);
    for (std::uint64_t k = 0; k < list.elements(); ++k)
      if (const std::uint64_t i = k * group + lane % group; i < n)
        places[lane / group * n + i] = index.dtype == isa::DType::i32
                                           ? static_cast<std::int32_t>(row[k])
                                           : static_cast<std::int64_t>(row[k]);
  }
  // The last group may have fewer lanes than a list needs.
  const std::int64_t begin = cursor->byteOffset(access);
  const unsigned bytes = result.layout.elementBytes;
  const std::int64_t end = memory.laneBytes(access.space);
  for (std::uint64_t i = 0; i < numPlaces; ++i) {
    const bool listed = i / n * group + i % n % group < list.lanes &&
                        i % n / group < list.elements();
    const std::int64_t at = begin + places[i] * bytes;
    if (!listed || at < 0 || at + bytes > end)
      return Outcome::indexOutsidePartition;
    places[i] *= bytes;
  }
  result.places = places;
  result.groupLanes = group;
  // One run that is not contiguous, and may touch any byte of the lanes.
  result.layout = Layout{};
  result.layout.elementBytes = bytes;
  result.layout.elements = n;
  result.layout.rank = 1;
  result.layout.dims[0] = {0, n};
  result.layout.low = -begin;
  result.layout.high = end - begin;
  indexed.push_back({&access, result});
  return Outcome::done;
}

} // namespace kiln::sim
