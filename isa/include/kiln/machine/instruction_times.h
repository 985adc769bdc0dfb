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
  /// Until its stream can issue the next one, if its sequencer does all of it
  /// or it is a transfer: then that of GpSimd where software makes the
  /// descriptors.
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

/// A control instruction occupies the sequencer of its stream, and no data
/// path. Instructions that meet other cores or ranks all arrive at the same
/// time, from each core of a rank alike. The slowest of several lists of ranks
/// counts. Pieces whose sizes are in a table fill their slots.
InstructionTimes timesOf(const isa::Body &body, isa::Engine engine,
                         const isa::Target &target,
                         const InstructionSetting &setting = {});

/// From the trigger of an empty transfer to its token, which the last DMA
/// engine to start signals.
inline Picoseconds emptyTransferLatency(const isa::Target &target) {
  return nanoseconds(target.dma_start_ns + target.dma_skew_ns +
                     target.dma_done_ns);
}

/// Picoseconds from the start of an instruction on `engine`, no transfer, to
/// the start of one on `next` that uses the same memory. To another engine, a
/// token passes, which is given when the first one is complete, even if it only
/// read. On the same engine, its pipeline decides. `flows`: the second one
/// reads what the first one wrote. Products accumulate in PSUM in the order in
/// which TensorE starts them; TensorE reads nothing else that it has written.
Picoseconds handOver(const InstructionTimes &first, isa::Engine engine,
                     isa::Engine next, bool flows, const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_INSTRUCTIONTIMES_H
