//===- LiveRanges.cpp - What is on chip, and when ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"

#include "kiln/machine/pattern.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::profile {

namespace {

/// The value that a buffer holds now. Buffers without a number are told apart
/// by where they begin.
struct Open {
  LiveRange range;
  bool isUsed = false;
};
using Key = std::tuple<isa::Space, std::uint16_t, unsigned, std::int64_t>;

Key keyOf(const isa::Access &access) {
  const bool named = access.tensor != 0;
  return {access.space, access.tensor, named ? 0 : access.partition,
          named ? 0 : access.offset};
}

} // namespace

std::uint32_t placeOf(const LiveRange &range, const isa::Module &module) {
  return range.buffer < module.buffers.size() ? module.buffers[range.buffer]
                                              : 0;
}

std::vector<LiveRange> liveRanges(const Binary &binary,
                                  const sim::Timing &timing) {
  std::map<Key, Open> open;
  std::vector<LiveRange> ranges;
  for (const sim::TraceEvent &event : timing.events) {
    if (event.track < isa::numEngines ? event.track != event.engine
                                      : event.track == sim::weightsTrack)
      continue;
    const std::uint32_t number = binary.numberOf(event.engine, event.index);
    for (const isa::OperandAccess &entry : binary.all[number].accesses) {
      const isa::Access &access = *entry.access;
      if (access.space == isa::Space::hbm)
        continue;
      Open &own = open[keyOf(access)];
      LiveRange &range = own.range;
      const machine::Box box = machine::makeBox(access);
      const bool fresh = range.partitions == 0 ||
                         (entry.effect == isa::Effect::write && own.isUsed);
      if (fresh) {
        if (range.partitions != 0)
          ranges.push_back(range);
        range = {};
        range.space = access.space;
        range.buffer = access.tensor;
        range.firstByte = box.begin;
        range.bytes = box.end - box.begin;
        range.firstPartition = box.partitionBegin;
        range.partitions = box.partitionEnd - box.partitionBegin;
        range.start = event.start;
        range.writer = number;
      } else {
        const std::int64_t end =
            std::max(range.firstByte + range.bytes, box.end);
        range.firstByte = std::min(range.firstByte, box.begin);
        range.bytes = end - range.firstByte;
        const unsigned last =
            std::max(range.firstPartition + range.partitions, box.partitionEnd);
        range.firstPartition =
            std::min(range.firstPartition, box.partitionBegin);
        range.partitions = last - range.firstPartition;
      }
      range.end = std::max(range.end, event.visible);
      own.isUsed = entry.effect == isa::Effect::read || (own.isUsed && !fresh);
    }
  }
  for (const auto &[key, own] : open)
    ranges.push_back(own.range);
  std::sort(ranges.begin(), ranges.end(),
            [](const LiveRange &a, const LiveRange &b) {
              return std::tie(a.start, a.space, a.firstByte, a.buffer) <
                     std::tie(b.start, b.space, b.firstByte, b.buffer);
            });
  return ranges;
}

MemoryPeak peakOf(const std::vector<LiveRange> &ranges, isa::Space space) {
  std::vector<std::tuple<sim::Picoseconds, std::int64_t>> steps;
  for (const LiveRange &range : ranges)
    if (range.space == space) {
      steps.emplace_back(range.start, range.bytes);
      steps.emplace_back(range.end, -range.bytes);
    }
  std::sort(steps.begin(), steps.end()); // What ends makes room first.
  MemoryPeak peak;
  std::int64_t now = 0;
  for (const auto &[time, change] : steps) {
    now += change;
    if (now <= peak.bytes)
      continue;
    peak.bytes = now;
    peak.time = time;
  }
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].space == space && ranges[i].start <= peak.time &&
        peak.time < ranges[i].end)
      peak.owners.push_back(i);
  std::stable_sort(peak.owners.begin(), peak.owners.end(),
                   [&](std::size_t a, std::size_t b) {
                     return ranges[a].bytes > ranges[b].bytes;
                   });
  return peak;
}

} // namespace kiln::profile
