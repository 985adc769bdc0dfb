//===- fetch.h - The instruction buffer of a sequencer -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions come in blocks of one DMA packet each. The buffer of a stream
// holds a few of them, and a loop stays there if it lies in no more.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_FETCH_H
#define KILN_MACHINE_FETCH_H

#include "kiln/isa/target.h"
#include "kiln/machine/time.h"

#include <algorithm>
#include <cstdint>

namespace kiln::machine {

/// Instructions of a block, at least 1.
inline std::uint32_t fetchBlock(const isa::Target &target) {
  return static_cast<std::uint32_t>(std::max(
      1, target.dma_packet_bytes / std::max(1, target.instruction_bytes)));
}

/// Blocks in the buffer of a stream, at least 2.
inline std::uint32_t fetchBlocks(const isa::Target &target) {
  return std::max<std::uint32_t>(2, static_cast<std::uint32_t>(std::max(
                                        0, target.fetch_buffer_instructions)) /
                                        fetchBlock(target));
}

/// How long the DMA engine that fetches a block is busy.
inline Picoseconds fetchWork(const isa::Target &target) {
  return nanoseconds(target.dma_packet_bytes / target.dma_engine_bytes_per_ns);
}

/// From the request of a block to its arrival.
inline Picoseconds fetchLatency(const isa::Target &target) {
  return nanoseconds(target.dma_start_ns) + fetchWork(target) +
         nanoseconds(target.dma_done_ns);
}

} // namespace kiln::machine

#endif // KILN_MACHINE_FETCH_H
