//===- LanePipe.h - A data path that meets others at the ports ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_LANEPIPE_H
#define KILN_SIM_LIB_TIMING_LANEPIPE_H

#include "DataPath.h"
#include "Fifo.h"
#include "InFlight.h"
#include "Ports.h"

namespace kiln::sim::timing {

class DmaSide;

/// The instructions that a sequencer has handed on, which its engine runs in
/// order.
///
/// While an instruction may meet another engine at a memory port, whatever
/// follows it, even idle time, waits here until its elements have passed.
/// Sequencers of TensorE and SyncE hand on only signals, which are given at
/// once.
class LanePipe {
public:
  LanePipe(isa::Engine engine, const CoreSettings &settings, DataPath &path,
           EngineAccount &account, Ports &ports, DmaSide &dma);

  /// True if something is not settled.
  bool isBehind() const { return handed.count != 0; }
  /// True if an instruction with these operands would read unsettled results.
  bool holdsBack(std::span<const PlannedOperand> operands, Shifts shifts);
  /// When the settled results that it reads are there.
  InFlight::Ready resultsFor(std::span<const PlannedOperand> operands,
                             Shifts shifts, Picoseconds from) const {
    return results.readyFor(operands, shifts, from);
  }

  // What is handed on.

  /// Instruction `who`, at `time`.
  void run(const Producer &who, const PlannedOp &op, Shifts shifts,
           Picoseconds time);
  /// The tokens of instruction `who`, at `time` at the earliest.
  void signal(const Producer &who, Picoseconds time);
  /// Until `end` instruction `index` keeps the engine idle.
  void idle(std::uint32_t index, StallReason reason, Picoseconds end,
            const Producer &producer = {}) {
    if (end <= account.until())
      return;
    if (handed.count == 0)
      account.stall(index, reason, end, producer);
    else
      idleLater(index, reason, end, producer);
  }
  /// The descriptors of a transfer that `wanted` triggered at `time`, while
  /// instruction `index` is the next one of this engine; nothing may be
  /// behind. Returns when it begins to make them.
  Picoseconds describe(std::uint32_t index, const Producer &wanted,
                       Picoseconds time, Picoseconds generation);
  /// The same if something is behind; transfer `held` of the DMA side waits.
  void describeLater(std::uint32_t index, const Producer &wanted,
                     Picoseconds time, const machine::DmaPlan &plan,
                     std::uint32_t held);

  // What the ports tell of the instruction that is there.

  void waitedAtPort(StallReason reason, Picoseconds until,
                    const Producer &producer) {
    account.stall(handed.front().index, reason, until, producer);
    account.noteEdge(handed.front().producer.run, producer, reason, true,
                     until);
  }
  void slowedAtPort(StallReason reason, Picoseconds until, Picoseconds time,
                    const Producer &producer) {
    account.lose(handed.front().index, reason, until - time, time, producer);
  }
  /// It ended at `now`, began at `start` and took `lost` longer than alone.
  /// What waits here is next.
  void passedPort(Picoseconds start, Picoseconds lost, Picoseconds now);

private:
  struct Handed {
    enum class Kind : std::uint8_t { instruction, signals, idle, descriptors };
    Kind kind = Kind::instruction;
    StallReason reason = StallReason::control; ///< Of `idle`.
    std::uint16_t ports = 0;                   ///< Of `instruction`.
    std::uint32_t index = 0;
    /// When it was handed on; of `idle`, the end; of `signals`, the earliest.
    Picoseconds time = 0;
    /// Of `idle`; of `descriptors` the owner; else the instruction.
    Producer producer;
    const machine::DmaPlan *plan =
        nullptr;            ///< Of the transfer that waits for them.
    std::uint32_t held = 0; ///< Its place in its queue.
  };

  void idleLater(std::uint32_t index, StallReason reason, Picoseconds end,
                 const Producer &producer);
  void handOn(const Handed &next);
  void workOff(Picoseconds now);
  /// How registers moved the operands of an instruction when it was handed on;
  /// its shifts begin at `first`.
  Shifts shiftsOfHanded(const PlannedOp &op, std::size_t first) {
    return op.movesOperands ? collectShifts(op, first) : Shifts();
  }
  Shifts collectShifts(const PlannedOp &op, std::size_t first);
  Picoseconds begin(const Producer &who, const PlannedOp &op, Picoseconds time,
                    Shifts operandShifts);
  void end(const Producer &who, const PlannedOp &op, Picoseconds start,
           Picoseconds lost, Shifts operandShifts);

  isa::Engine engine;
  const PlannedStream &planned;
  DataPath &path;
  EngineAccount &account;
  Ports &ports;
  DmaSide &dma;
  Picoseconds tableTime; ///< To load another function table.
  std::uint8_t table = 0;
  InFlight results;
  Fifo<Handed> handed; ///< The first one is at the ports.
  /// Places of register operands of the instructions handed on.
  Fifo<std::int64_t> shifts;
  std::vector<std::int64_t> ofOne; ///< For the time of a call.
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_LANEPIPE_H
