//===- instruction_times.h - An instruction alone -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times of an instruction on an otherwise idle machine, which both the
// executor and the compiler use. Effects of other instructions (cold TensorE,
// function tables, memory ports, shared DMA engines and links) are added to
// these.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_INSTRUCTIONTIMES_H
#define KILN_MACHINE_INSTRUCTIONTIMES_H

#include "kiln/machine/instruction_cost.h"

namespace kiln::machine {

struct InstructionTimes {
  /// Control instructions and transfers: until the stream can issue the next
  /// instruction. If software generates the descriptors of a transfer, this is
  /// the time that GpSimd takes for them.
  Picoseconds issue = 0;
  /// Until its engine or DMA queue can start the next one like it.
  Picoseconds occupancy = 0;
  /// Until its results are visible.
  Picoseconds latency = 0;
  /// Reciprocal throughput: the time per instruction if its engine runs many of
  /// them. It equals the occupancy, except for a transpose that follows another
  /// one on TensorE, which takes half. For a collective, it is the time of the
  /// slowest link if that is longer.
  Picoseconds pace = 0;
  /// A transfer: how long it keeps the DMA engines of the core busy.
  Picoseconds moving = 0;
  friend bool operator==(const InstructionTimes &,
                         const InstructionTimes &) = default;
};

/// What is known about an instruction's surroundings.
struct InstructionSetting {
  bool addressIsData = false; ///< As in costOf().
  unsigned coresOfRank = 1;
  bool goesBack = false; ///< An end_loop that begins another iteration.
  friend bool operator==(const InstructionSetting &,
                         const InstructionSetting &) = default;
};

/// A control instruction occupies only the sequencer of its stream. For a
/// meeting with other cores or ranks, all members arrive at the same time, and
/// each core of a rank does the same. With several lists of ranks, the slowest
/// counts. If a table gives the size of a piece, the piece fills its slot.
InstructionTimes timesOf(const isa::Body &body, isa::Engine engine,
                         const isa::Target &target,
                         const InstructionSetting &setting = {});

/// From the trigger of an empty transfer to its token, which the last DMA
/// engine to start signals.
inline Picoseconds emptyTransferLatency(const isa::Target &target) {
  return nanoseconds(target.dma_start_ns + target.dma_skew_ns +
                     target.dma_done_ns);
}

/// The time from the start of an instruction on `engine` (not a transfer) to
/// the start of one on `next` that uses the same memory. Another engine waits
/// for a token, which is signalled when the first instruction is complete, even
/// if it only reads. On the same engine, the pipeline decides. `flows`: the
/// second instruction reads what the first one writes. TensorE accumulates
/// products in start order, and reads nothing else that it has written.
Picoseconds handOver(const InstructionTimes &first, isa::Engine engine,
                     isa::Engine next, bool flows, const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_INSTRUCTIONTIMES_H
