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

namespace kiln::profile {

/// Bytes of SBUF or PSUM from the first write of a value to its last use.
struct LiveRange {
  isa::Space space = isa::Space::sbuf;
  std::uint16_t buffer = 0;
  std::int64_t firstByte = 0, bytes = 0; ///< Of a partition.
  unsigned firstPartition = 0, partitions = 0;
  sim::Picoseconds start = 0, end = 0;
  std::uint32_t writer = 0; ///< In Binary::all.
};

struct MemoryPeak {
  std::int64_t bytes = 0; ///< Of a partition.
  sim::Picoseconds time = 0;
  std::vector<std::size_t> owners; ///< Among the ranges, largest first.
};

/// Where its buffer was declared, in Module::locations.
std::uint32_t placeOf(const LiveRange &range, const isa::Module &module);

/// By start. A range ends where its buffer is written anew after a use.
std::vector<LiveRange> liveRanges(const Binary &binary,
                                  const sim::Timing &timing);
MemoryPeak peakOf(const std::vector<LiveRange> &ranges, isa::Space space);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_LIVERANGES_H
