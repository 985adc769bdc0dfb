//===- Sequencer.h - The instructions of a stream, one after the other ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_SEQUENCER_H
#define KILN_SIM_LIB_TIMING_SEQUENCER_H

#include "../StreamCursor.h"
#include "CoreSettings.h"
#include "DmaSide.h"
#include "Fetch.h"
#include "LanePipe.h"
#include "PeerWaits.h"
#include "Tokens.h"

#include "kiln/isa/diagnostic.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

namespace kiln::sim::timing {

/// The sequencer of one engine: where its stream is, when the head can act,
/// and what it takes of the sequencer's own time.
class Sequencer {
public:
  const isa::Engine engine;

  /// What heads wait for, and the account of their waits.
  struct Surroundings {
    Semaphores &semaphores;
    const PeerWaits &peerWaits;
    DmaSide &dma;
    const DataPath &path;
    LanePipe &pipe;
    EngineAccount &account;
    std::optional<isa::Diagnostic> &error;
  };
  Sequencer(isa::Engine engine, const CoreSettings &settings,
            const Surroundings &around);

  /// What is wrong with the stream, before it runs.
  std::optional<isa::Diagnostic> check() const;

  bool isReady() const { return state == State::ready; }
  bool isBlocked() const { return state == State::blocked; }
  bool hasEnded() const { return state == State::ended; }
  /// If it is ready: when the head acts.
  Picoseconds nextTime() const { return acts; }
  /// When it has completed what it executed.
  Picoseconds freeSince() const { return free; }

  std::uint32_t index() const { return cursor.index(); }
  const isa::Instruction &head() const { return cursor.head(); }
  Producer self() const { return instructionAt(engine, index(), run); }
  const PlannedOp &op() const { return planned.op(index()); }
  std::span<const PlannedOperand> operands() const {
    return planned.operands(op());
  }
  /// How far registers move them.
  Shifts shifts();
  /// What the head, a transfer, asks of the DMA engines.
  const machine::DmaPlan &transfer() const { return planned.dma(op()); }

  /// Finds out when the head can act, as far as is known now.
  void lookAtHead();
  /// The head is about to act.
  void startRun() { run = account.startRun(index()); }
  /// It may not act before `ready`.
  void follow(StallReason reason, const InFlight::Ready &ready) {
    account.noteEdge(run, ready.producer, reason, false, ready.time);
  }
  /// It acts: books what it waited for, and takes its tokens. Returns when.
  Picoseconds act(const PlannedOp &op);
  /// The head, a register, control-flow or semaphore instruction, executes from
  /// `time` on. False if it cannot.
  bool execute(const PlannedOp &op, Picoseconds time);
  /// At `time` the head is handed on to the data path.
  void issue(Picoseconds time);
  /// At `time` the head, which reads its operands then, triggers a transfer.
  void trigger(Picoseconds time);
  /// At `time` the head stops at a barrier, until passBarrier().
  void stopAtBarrier(Picoseconds time);
  void passBarrier(Picoseconds time);
  /// Goes on to the next instruction. False if it cannot.
  bool moveOn(std::int32_t loaded = 0);
  /// Asks for the instructions that it will need next.
  void fetchAhead();
  void fetched(std::uint32_t block, Picoseconds time) {
    fetch.arrived(block, time);
  }

  /// Books the time up to `end` that the head kept its engine idle.
  void idle(StallReason reason, Picoseconds end,
            const Producer &producer = {}) {
    pipe.idle(index(), reason, end, producer);
  }
  /// A report of something wrong with the head.
  isa::Diagnostic fault(std::string_view code, std::string_view text) const;
  /// What the head lacks, one after the other; appends to `waits`.
  void tellWaits(std::string &waits) const;

private:
  enum class State : std::uint8_t { ready, blocked, ended };

  void block() { state = State::blocked; }
  void waitUntil(Picoseconds time) { acts = std::max(acts, time); }
  void waitForPath();
  void waitForQueue();
  void waitForTokens();
  Picoseconds takeTokens();
  void noteMoves(const PlannedOp &op);

  const CoreSettings &settings;
  PlannedStream &planned;
  StreamCursor cursor;
  Fetch fetch;
  Semaphores &semaphores;
  const PeerWaits &peerWaits;
  DmaSide &dma;
  const DataPath &path;
  LanePipe &pipe;
  EngineAccount &account;
  std::optional<isa::Diagnostic> &error;
  Picoseconds waitTime;
  Picoseconds issueTime;
  Picoseconds loopTime; ///< Of an end_loop that goes back.

  State state = State::ready;
  bool atBarrier = false;
  Picoseconds acts = 0;
  Picoseconds free = 0;
  Picoseconds arrival = 0;             ///< Of the head, from memory.
  std::uint32_t run = Producer::noRun; ///< Of the head.
  std::size_t loads = 0;               ///< Values that register_loads read.
  std::vector<std::int64_t> ofHead;    ///< For the time of a call.
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_SEQUENCER_H
