//===- MemoryJson.cpp - What was on chip as JSON -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryJson.h"

#include "CoreJson.h"

namespace kiln::profile {

using json = nlohmann::ordered_json;

json rangesJson(const LiveMemory &live, const isa::Module &module) {
  json out = json::array();
  for (const LiveRange &range : live.ranges)
    out.push_back(
        {{"memory", range.space == isa::Space::psum ? "psum" : "sbuf"},
         {"buffer", range.buffer},
         {"place", placeOf(range, module)},
         {"first_byte", range.firstByte},
         {"bytes", range.bytes},
         {"first_partition", range.firstPartition},
         {"partitions", range.partitions},
         {"start_ns", inNanoseconds(range.start)},
         {"end_ns", inNanoseconds(range.end)},
         {"writer", range.writer}});
  return out;
}

json memoryJson(const LiveMemory &live, const isa::Target &target) {
  json out;
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum}) {
    const LiveBytes &bytes = live.of(space);
    json owners = json::array(), owned = json::array();
    for (const auto &[range, own] : bytes.owners) {
      owners.push_back(range);
      owned.push_back(own);
    }
    out[space == isa::Space::psum ? "psum" : "sbuf"] = {
        {"capacity_bytes", target.bytes(space)},
        {"peak_bytes", bytes.peak},
        {"at_ns", inNanoseconds(bytes.peakTime)},
        {"owners", std::move(owners)},
        {"owner_bytes", std::move(owned)}};
  }
  return out;
}

} // namespace kiln::profile
