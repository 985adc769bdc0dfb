//===- Scheduler.h - The streams of a core ----------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the streams of a core in some legal order. The fixed order runs each
// stream until it blocks and moves the data of a DMA when it issues. A seed
// picks another legal order: streams advance at random, transfers happen at any
// time until a wait needs them. Either all orders give the same bits, or the
// checker reports a race. Instructions that meet other cores wait until all
// have arrived.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_SCHEDULER_H
#define KILN_SIM_LIB_SCHEDULE_SCHEDULER_H

#include "CoreContext.h"
#include "IndexedPlaces.h"
#include "TransferQueues.h"

#include "../StreamCursor.h"

#include "kiln/sim/register_loads.h"

#include <array>
#include <memory>
#include <vector>

namespace kiln::sim {

class Scheduler {
public:
  Scheduler(const CoreSeat &seat, const Options &options,
            const Inspection &inspection);
  Scheduler(const Scheduler &) = delete; // Meetings refer to it.

  /// Runs in the fixed order until it cannot continue alone.
  Progress runUntilBlocked();
  /// The same, but what meets other cores stays for `meet`: this touches
  /// nothing of another rank.
  Progress runUntilMeeting();
  /// Arrives at the meetings that its streams have reached.
  Progress meet();
  /// One event in the order of the seed.
  Progress stepSeeded();
  bool finished() const;
  /// After the end of all cores: every semaphore must be 0.
  std::optional<Fault> checkTokens() const;

  /// From now on runs without checks, for a limited time, until it writes bytes
  /// of the range.
  void watchFor(const std::optional<MemoryRange> &range,
                std::uint64_t patience);
  /// Leaves out the engine instruction that was refused.
  void leaveOut(const FaultParty &refused);

  CoreContext core;
  RegisterLoads registerLoads;
  std::uint64_t steps = 0;

  // For reports.
  const TransferQueues &transfers() const { return queues; }
  const StreamCursor &cursor(isa::Engine engine) const {
    return cursors[static_cast<std::size_t>(engine)];
  }
  /// Where the stream waits at a barrier, or null.
  const CoreMeeting *barrier(isa::Engine engine) const {
    return barriers[static_cast<std::size_t>(engine)].get();
  }

private:
  using Stream = PlannedModule::Stream;

  Progress runAlone();
  /// Releases on-chip memory once no remaining instruction accesses it.
  void releaseMemory();
  /// Executes the head of a stream if its waits hold.
  Progress step(isa::Engine engine);
  Progress dispatch(isa::Engine engine);
  Progress execute(isa::Engine engine);
  /// The register effect of the head, and the next instruction.
  Progress advance(isa::Engine engine, std::int32_t loaded);
  void place(isa::Engine engine);
  Progress checkBounds(isa::Engine engine, std::uint32_t index);
  /// The head is a barrier: arrives, and passes when the other core is there.
  Progress meetAtBarrier(isa::Engine engine);
  Progress undefined(isa::Engine engine, std::uint32_t index);
  /// Whether the inspection stops before this instruction.
  bool stopsBefore(isa::Engine engine, std::uint32_t index);

  TransferQueues queues;
  std::vector<StreamCursor> cursors; ///< By engine.
  bool meetsLater = false;           ///< Streams stop where they meet others.
  bool isReleased = false;           ///< On-chip memory.
  std::array<std::shared_ptr<CoreMeeting>, isa::numEngines> barriers;
  std::vector<PlacedAccess> placed; ///< Operands of the current instruction.
  IndexedPlaces indexedPlaces;
  std::uint64_t stepLimit;
  std::uint64_t idleSteps = 0; ///< Control instructions since the last other.
  std::uint64_t visits = 0;    ///< Of the inspection's instruction.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_SCHEDULER_H
