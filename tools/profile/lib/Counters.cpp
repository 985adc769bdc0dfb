//===- Counters.cpp - How much of a memory is used, over time ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Counters.h"

#include "LiveRanges.h"

#include <map>

namespace kiln::profile {

namespace {

using sim::Picoseconds;

/// Changes by time. Whole numbers, so that additions cancel exactly.
using Changes = std::map<Picoseconds, std::int64_t>;

void add(Changes &changes, Picoseconds from, Picoseconds to,
         std::int64_t amount) {
  if (from >= to || amount == 0)
    return;
  changes[from] += amount;
  changes[to] -= amount;
}

Counter counterOf(std::string_view name, std::string_view unit,
                  const Changes &changes, double scale) {
  Counter counter{name, unit, {}};
  std::int64_t now = 0;
  for (const auto &[time, change] : changes) {
    now += change;
    if (change != 0)
      counter.steps.emplace_back(time, static_cast<double>(now) * scale);
  }
  return counter;
}

Counter counterOf(std::string_view name, const LiveBytes &live) {
  Counter counter{name, "bytes of a partition", {}};
  for (const auto &[time, bytes] : live.steps)
    counter.steps.emplace_back(time, static_cast<double>(bytes));
  return counter;
}

} // namespace

std::vector<Counter> countersOf(const Binary &binary, const sim::Timing &timing,
                                const isa::Target &target) {
  Changes read, written;
  for (const sim::TraceEvent &event : timing.events) {
    if (event.track < isa::numEngines || event.track == sim::weightsTrack)
      continue;
    const Executed &one =
        binary.all[binary.numberOf(event.engine, event.index)];
    const Picoseconds length = event.end - event.start;
    if (one.sums.hbmBytes == 0 || length <= 0)
      continue;
    // Bytes in a millisecond: whole numbers are exact enough.
    const auto rate = [&](std::uint64_t bytes) {
      return static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 /
                                       static_cast<double>(one.sums.runs) /
                                       static_cast<double>(length));
    };
    add(read, event.start, event.end, rate(one.hbmRead));
    add(written, event.start, event.end, rate(one.hbmWritten));
  }
  const LiveMemory live = liveMemory(binary, timing, target);
  return {counterOf("SBUF", live.sbuf), counterOf("PSUM", live.psum),
          counterOf("HBM read", "B/ns", read, 1e-6),
          counterOf("HBM written", "B/ns", written, 1e-6)};
}

} // namespace kiln::profile
