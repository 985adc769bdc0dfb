//===- sequencer_times.h - What a sequencer's own work takes --*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of registers, control flow and semaphores run in the sequencer
// of their stream; all others take a slot of it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_SEQUENCERTIMES_H
#define KILN_MACHINE_SEQUENCERTIMES_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/target.h"
#include "kiln/machine/time.h"

#include <string_view>

namespace kiln::machine {

struct SequencerTime {
  std::string_view parameter; ///< Of isa::Target, that says how long.
  Picoseconds time = 0;
};

/// How long the sequencer of `engine` executes `body`, a control instruction.
/// `goesBack`: an end_loop that begins another iteration.
SequencerTime controlTime(const isa::Body &body, isa::Engine engine,
                          const isa::Target &target, bool goesBack = false);

/// The slot in which a sequencer hands an instruction to its engine or to a DMA
/// queue.
inline Picoseconds issueTime(const isa::Target &target) {
  return nanoseconds(target.control_instruction_ns);
}

/// The slot of each wait of an instruction after the first one, which is part
/// of the instruction.
inline Picoseconds furtherWaitTime(const isa::Target &target) {
  return nanoseconds(target.semaphore_instruction_ns);
}

} // namespace kiln::machine

#endif // KILN_MACHINE_SEQUENCERTIMES_H
