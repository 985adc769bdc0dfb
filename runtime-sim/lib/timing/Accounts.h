//===- Accounts.h - What a core did with its time -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_ACCOUNTS_H
#define KILN_SIM_LIB_TIMING_ACCOUNTS_H

#include "CoreSettings.h"
#include "EngineAccount.h"

namespace kiln::sim::timing {

/// Keeps what is reported about a run, and does not influence it: the accounts
/// of the engines, the trace, and the counts.
class Accounts {
public:
  explicit Accounts(const CoreSettings &settings);
  Accounts(const Accounts &) = delete; // Its parts refer to it.

  EngineAccount &operator[](isa::Engine engine) {
    return engines[numberOf(engine)];
  }

  void countInstruction(isa::Engine engine, std::uint32_t index,
                        std::uint8_t opcode) {
    engines[numberOf(engine)].countInstruction();
    ++result.instructionsByOpcode[opcode];
    ++result.executions[numberOf(engine)][index];
  }
  void countProduct(const machine::InstructionCost &cost) {
    result.matmulFlops[static_cast<std::size_t>(cost.rate)] += cost.flops;
    result.peTransposes += cost.transposes;
  }
  void countTransfer(const machine::DmaPlan &transfer) {
    ++result.dma.instructions;
    result.dmaBytes += transfer.bytes;
    result.hbmReadBytes += transfer.hbmRead;
    result.hbmWriteBytes += transfer.hbmWritten;
  }
  void countFetched(std::uint64_t bytes) { result.fetchedBytes += bytes; }
  void countLinks(std::uint64_t chipBytes, std::uint64_t nodeBytes) {
    result.linkBytes += chipBytes;
    result.nodeBytes += nodeBytes;
  }
  /// A collective has a table of which nothing is known.
  void countFullBuffers() { ++result.fullBuffersAssumed; }

  /// Traces a transfer, or the load of a stationary operand.
  void draw(std::uint8_t track, const Producer &who, Picoseconds begin,
            Picoseconds end, Picoseconds visible) {
    if (trace.isWanted)
      trace.events.push_back(
          {track, who.engine, who.index, begin, end, visible, who.run});
  }

  bool isTraced() const { return trace.isWanted; }
  void note(TraceMeeting meeting) {
    trace.meetings.push_back(std::move(meeting));
  }

  /// The facts about the DMA engines that are known at the end.
  struct DmaUse {
    std::array<Picoseconds, machine::maxDmaEngines> work{}; ///< Of each.
    Picoseconds exposed = 0;
  };
  /// All the time up to `makespan` has been accounted for. The bounds are
  /// those of the core's own engines.
  Timing finish(Picoseconds makespan, const DmaUse &dma);

private:
  void collectSites();

  const TimingPlan &plan;
  const isa::Target &target;
  Trace trace;
  std::array<EngineAccount, isa::numEngines> engines;
  Timing result;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_ACCOUNTS_H
