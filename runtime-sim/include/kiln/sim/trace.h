//===- trace.h - Where the time went --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_TRACE_H
#define KILN_SIM_TRACE_H

#include "kiln/isa/dtype.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::sim {

/// Times are integer picoseconds from the start of the kernel.
using Picoseconds = std::int64_t;

/// One instruction or one DMA transfer on its track.
struct TraceEvent {
  std::uint8_t track = 0;   ///< 0..4: engine; 5 + q: DMA queue q.
  std::uint8_t engine = 0;  ///< Stream that issued it.
  std::uint32_t index = 0;  ///< Instruction index in that stream.
  Picoseconds start = 0;    ///< Begins to occupy the track.
  Picoseconds end = 0;      ///< Occupies it no longer.
  Picoseconds visible = 0;  ///< Results visible, signals given.
};

struct EngineTime {
  Picoseconds busy = 0;  ///< Occupied by instructions.
  Picoseconds stall = 0; ///< Head of the stream waited for a semaphore.
  std::uint64_t instructions = 0;
};

struct Timing {
  Picoseconds makespan = 0;
  Picoseconds lowerBound = 0; ///< Largest busy time of an engine, DMA or HBM.
  std::string boundBy;        ///< "tensor", .., "dma", "hbm".
  std::array<EngineTime, isa::numEngines> engines{};
  EngineTime dma; ///< busy: largest busy time of one DMA engine.
  std::uint64_t hbmReadBytes = 0;
  std::uint64_t hbmWriteBytes = 0;
  std::vector<TraceEvent> events; ///< Only if asked for; in order of `start`.
};

} // namespace kiln::sim

#endif // KILN_SIM_TRACE_H
