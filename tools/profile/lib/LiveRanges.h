//===- LiveRanges.h - What is on chip, and when --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_LIVERANGES_H
#define KILN_PROFILE_LIB_LIVERANGES_H

#include "Binary.h"

#include "kiln/sim/profile.h"

#include <utility>
#include <vector>

namespace kiln::profile {

/// A value in SBUF or PSUM from its first write to its last use. Its bytes are
/// from the first to the last one that it had; other values may have had some
/// between them, or some of them later.
struct LiveRange {
  isa::Space space = isa::Space::sbuf;
  std::uint16_t buffer = 0;
  std::int64_t firstByte = 0, bytes = 0; ///< Of a partition.
  unsigned firstPartition = 0, partitions = 0;
  sim::Picoseconds start = 0, end = 0;
  std::uint32_t writer = 0; ///< In Binary::all.
};

/// The contents of one of the two memories over time. A byte counts from the
/// write of a value to its last use before the next write, and once, even if it
/// is shared.
struct LiveBytes {
  /// Bytes of the partition that has most, from each time on; begins with 0 if
  /// nothing is there from the start, ends with 0.
  std::vector<std::pair<sim::Picoseconds, std::int64_t>> steps;
  /// The most there ever are, and when first.
  std::int64_t peak = 0;
  sim::Picoseconds peakTime = 0;
  /// The ranges that these bytes belong to, with how many each has; largest
  /// first. They add up to `peak`.
  std::vector<std::pair<std::size_t, std::int64_t>> owners;
  unsigned banks = 0; ///< Of PSUM: the most that hold a value at one time.
};

struct LiveMemory {
  std::vector<LiveRange> ranges; ///< By start.
  LiveBytes sbuf, psum;
  const LiveBytes &of(isa::Space space) const {
    return space == isa::Space::psum ? psum : sbuf;
  }
};

/// Where its buffer was declared, in Module::locations.
std::uint32_t placeOf(const LiveRange &range, const isa::Module &module);

/// All statements about values on chip come from here.
LiveMemory liveMemory(const Binary &binary, const sim::Timing &timing,
                      const isa::Target &target);
/// Adds this to the report of the same core.
void addPeaks(sim::ProfileReport &report, const LiveMemory &memory);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_LIVERANGES_H
