//===- Core.h - One NeuronCore: five streams, sixteen queues, one clock ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_CORE_H
#define KILN_SIM_LIB_TIMING_CORE_H

#include "Accounts.h"
#include "DataPath.h"
#include "DmaSide.h"
#include "LanePipe.h"
#include "PeerSide.h"
#include "PeerWaits.h"
#include "Ports.h"
#include "Sequencer.h"
#include "Signals.h"
#include "TensorPipe.h"
#include "Watchdog.h"

namespace kiln::sim::timing {

/// Orders the events of one core. The stream whose head can act first acts
/// next, or the DMA engines do, so shared things are taken in the order of
/// time. Sequencers run a few instructions ahead of their engines; what an
/// instruction costs is settled when its sequencer hands it on, unless it, or
/// one before it on its engine, may meet another engine at a memory port: then
/// when its elements have passed.
class Core {
public:
  Core(const CoreSettings &settings, World &world, HbmStack &stack);
  Core(const Core &) = delete; // Its parts refer to each other.

  /// Finds what is wrong with the module, or gets ready.
  std::optional<isa::Diagnostic> start();
  /// When something can happen next; `never` if only another core can help.
  Picoseconds nextTime() const;
  /// Handles events up to `limit`, at least one, but none after one that
  /// concerns other cores.
  std::optional<isa::Diagnostic> runUntil(Picoseconds limit);
  bool hasEnded() const;
  bool isStuck() const { return nextTime() == never && !hasEnded(); }
  /// Its own end.
  Picoseconds lastTime() const;
  /// Accounts for all the time up to `makespan`.
  Timing finish(Picoseconds makespan);
  isa::Diagnostic deadlock() const;

  /// All have come to the barrier at which `engine` waits.
  void passBarrier(std::uint8_t engine, const MeetingStart &start);
  /// The transfer that it held may move from `ready` on.
  void release(const DmaSide::Held &held, const MeetingStart &start,
               Picoseconds now, Picoseconds ready,
               const machine::DmaPlan &touch) {
    dma.release(held, start, now, ready, touch);
  }
  /// Its part of the data of a collective.
  void countLinks(std::uint64_t chipBytes, std::uint64_t nodeBytes) {
    accounts.countLinks(chipBytes, nodeBytes);
  }
  /// Traces a transfer with others.
  bool isTraced() const { return accounts.isTraced(); }
  void note(TraceMeeting meeting) { accounts.note(std::move(meeting)); }

private:
  template <class Part> using PerEngine = std::array<Part, isa::numEngines>;

  void step(Sequencer &sequencer);
  void stepDma();
  void stepPorts();
  void run(Sequencer &sequencer, const PlannedOp &op, Picoseconds time);
  void runControl(Sequencer &sequencer, const PlannedOp &op, Picoseconds time);
  void runBarrier(Sequencer &sequencer, Picoseconds time);
  void runTransfer(Sequencer &sequencer, const PlannedOp &op, Picoseconds time);
  bool mayGoOn(const Sequencer &sequencer) const;

  LanePipe &laneOf(isa::Engine engine) { return lanes[numberOf(engine)]; }
  Sequencer &sequencerOf(isa::Engine engine) {
    return sequencers[numberOf(engine)];
  }

  const CoreSettings settings;
  std::optional<isa::Diagnostic> error; ///< What some part reports.
  bool concernsOthers = false; ///< What happened since `runUntil` was called.
  Accounts accounts;
  Semaphores semaphores;
  Signals signals;
  PeerWaits peerWaits;
  Picoseconds barrierTime;
  Ports ports;
  DmaSide dma;
  PeerSide peers;
  PerEngine<DataPath> paths;
  PerEngine<LanePipe> lanes;
  TensorPipe tensor;
  PerEngine<Sequencer> sequencers;
  Watchdog watchdog;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_CORE_H
