//===- Core.cpp - One NeuronCore: five streams, sixteen queues, one clock -===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim::timing {

Core::Core(const CoreSettings &given, World &world, HbmStack &stack)
    : settings(given), accounts(settings),
      signals(settings, semaphores, sequencers, error),
      barrierTime(machine::nanoseconds(settings.target.core_barrier_ns)),
      ports(settings.target), dma(settings, stack, accounts, peerWaits),
      peers(settings, *this, world, accounts, error),
      paths(onePerEngine([&](isa::Engine engine) {
        return DataPath(settings.target, accounts[engine], signals);
      })),
      lanes(onePerEngine([&](isa::Engine engine) {
        return LanePipe(engine, settings, paths[numberOf(engine)],
                        accounts[engine], ports, dma);
      })),
      tensor(settings, paths[numberOf(isa::Engine::tensor)], accounts),
      sequencers(onePerEngine([&](isa::Engine engine) {
        return Sequencer(engine, settings,
                         {semaphores, peerWaits, dma, paths[numberOf(engine)],
                          laneOf(engine), accounts[engine], error});
      })),
      watchdog(settings, error) {}

std::optional<isa::Diagnostic> Core::start() {
  for (const Sequencer &sequencer : sequencers)
    if (auto problem = sequencer.check())
      return problem;
  for (Sequencer &sequencer : sequencers)
    sequencer.lookAtHead();
  return std::nullopt;
}

Picoseconds Core::nextTime() const {
  Picoseconds soonest = std::min(dma.nextEvent(), ports.next());
  for (const Sequencer &sequencer : sequencers)
    if (sequencer.isReady())
      soonest = std::min(soonest, sequencer.nextTime());
  return soonest;
}

bool Core::hasEnded() const {
  return dma.isIdle() &&
         std::all_of(
             sequencers.begin(), sequencers.end(),
             [](const Sequencer &sequencer) { return sequencer.hasEnded(); }) &&
         std::none_of(lanes.begin(), lanes.end(),
                      [](const LanePipe &lane) { return lane.isBehind(); });
}

std::optional<isa::Diagnostic> Core::runUntil(Picoseconds limit) {
  concernsOthers = false;
  while (!error && !concernsOthers) {
    Sequencer *first = nullptr;
    for (Sequencer &sequencer : sequencers)
      if (sequencer.isReady() &&
          (!first || sequencer.nextTime() < first->nextTime()))
        first = &sequencer;
    const Picoseconds transfers = dma.nextEvent();
    const Picoseconds passed = ports.next();
    const Picoseconds acts = first ? first->nextTime() : never;
    const Picoseconds soonest = std::min({transfers, passed, acts});
    if (soonest == never || soonest > limit)
      return std::nullopt;
    if (passed == soonest)
      stepPorts();
    else if (!first || transfers == soonest)
      stepDma();
    else
      step(*first);
  }
  return error;
}

/// Control instructions that neither wait nor signal do not affect other
/// engines; the ports are handled in time, so that few instructions are queued
/// behind them.
bool Core::mayGoOn(const Sequencer &sequencer) const {
  if (!sequencer.isReady())
    return false;
  if (lanes[numberOf(sequencer.engine)].isBehind() &&
      sequencer.nextTime() > ports.next())
    return false;
  const PlannedOp &next = sequencer.op();
  return next.kind == OpKind::control && !next.waits && !next.signals;
}

void Core::step(Sequencer &sequencer) {
  do {
    const PlannedOp &op = sequencer.op();
    accounts.countInstruction(sequencer.engine, sequencer.index(), op.opcode);
    watchdog.look(sequencer, op.kind);
    sequencer.startRun();
    run(sequencer, op, sequencer.act(op));
    if (error)
      return;
    sequencer.fetchAhead();
    sequencer.lookAtHead();
  } while (mayGoOn(sequencer));
}

void Core::run(Sequencer &sequencer, const PlannedOp &op, Picoseconds time) {
  switch (op.kind) {
  case OpKind::control:
  case OpKind::semaphore:
    return runControl(sequencer, op, time);
  case OpKind::barrier:
    return runBarrier(sequencer, time);
  case OpKind::dma:
  case OpKind::peers:
    return runTransfer(sequencer, op, time);
  case OpKind::tensor:
    sequencer.issue(time);
    tensor.run(sequencer.self(), op, time);
    break;
  case OpKind::lane:
    sequencer.issue(time);
    laneOf(sequencer.engine)
        .run(sequencer.self(), op, sequencer.shifts(), time);
    break;
  }
  sequencer.moveOn();
}

void Core::runControl(Sequencer &sequencer, const PlannedOp &op,
                      Picoseconds time) {
  const Producer self = sequencer.self();
  if (!sequencer.execute(op, time) || !op.signals)
    return;
  if (op.kind == OpKind::semaphore)
    laneOf(sequencer.engine).signal(self, sequencer.freeSince());
  else
    signals.give(self, sequencer.freeSince());
}

/// The transfer is triggered once what it reads is there.
void Core::runTransfer(Sequencer &sequencer, const PlannedOp &op,
                       Picoseconds time) {
  const machine::DmaPlan &plan = sequencer.transfer();
  if (plan.mode == isa::DgeMode::hwdge) {
    sequencer.idle(StallReason::descriptor, time);
    sequencer.follow(StallReason::descriptor,
                     {dma.generatorFree(sequencer.engine),
                      dma.generatorUser(sequencer.engine)});
  }
  sequencer.idle(StallReason::queue, std::min(time, dma.roomSince(plan.queue)));
  const InFlight::Ready ready =
      laneOf(sequencer.engine)
          .resultsFor(sequencer.operands(), sequencer.shifts(), time);
  sequencer.follow(StallReason::dependence, ready);
  time = std::max(time, ready.time);
  sequencer.idle(StallReason::dependence, time, ready.producer);
  sequencer.trigger(time);
  if (op.kind == OpKind::peers) {
    concernsOthers = true;
    peers.meet(sequencer, plan, time, dma);
  } else {
    dma.submit(sequencer.self(), plan, time,
               {laneOf(isa::Engine::gpsimd),
                sequencerOf(isa::Engine::gpsimd).index()});
  }
  sequencer.moveOn();
}

/// The stream has come to a barrier once all it did before is complete.
void Core::runBarrier(Sequencer &sequencer, Picoseconds time) {
  sequencer.stopAtBarrier(time);
  concernsOthers = true;
  peers.waitAtBarrier(
      sequencer,
      std::max(time, paths[numberOf(sequencer.engine)].completeSince()));
}

void Core::passBarrier(std::uint8_t engine, const MeetingStart &start) {
  Sequencer &sequencer = sequencers[engine];
  const Picoseconds since = peers.waitedSince(sequencer.engine);
  const Picoseconds passed = start.time + barrierTime;
  sequencer.idle(StallReason::dependence, since);
  if (!peers.isOwn(start.last))
    sequencer.idle(StallReason::waitPeer, start.time, start.last);
  sequencer.idle(StallReason::semaphore, passed);
  sequencer.passBarrier(passed);
  const Producer self = sequencer.self();
  accounts[sequencer.engine].draw(self, since, passed, passed);
  signals.give(self, passed);
  sequencer.moveOn();
  sequencer.lookAtHead();
}

void Core::stepDma() {
  struct Book {
    Core &core;
    void fetched(isa::Engine engine, std::uint32_t block, Picoseconds time) {
      core.sequencerOf(engine).fetched(block, time);
    }
    void completed(const Token &token) { core.signals.giveOfTransfer(token); }
    void foundRoom() { core.signals.wakeBlocked(); }
  };
  concernsOthers |= dma.step(Book{*this});
}

void Core::stepPorts() {
  struct Book {
    Core &core;
    Picoseconds now;
    void waited(isa::Engine engine, StallReason reason, Picoseconds until,
                const Producer &producer) {
      core.laneOf(engine).waitedAtPort(reason, until, producer);
    }
    void slowed(isa::Engine engine, StallReason reason, Picoseconds until,
                Picoseconds time, const Producer &producer) {
      core.laneOf(engine).slowedAtPort(reason, until, time, producer);
    }
    void ended(isa::Engine engine, Picoseconds start, Picoseconds lost) {
      core.laneOf(engine).passedPort(start, lost, now);
      // Its data path's queue may have room, or its transfer no hazard.
      if (core.sequencerOf(engine).isBlocked())
        core.sequencerOf(engine).lookAtHead();
    }
  };
  ports.step(Book{*this, ports.next()});
}

Picoseconds Core::lastTime() const {
  Picoseconds last = dma.lastTime();
  for (std::size_t i = 0; i < isa::numEngines; ++i)
    last = std::max({last, sequencers[i].freeSince(), paths[i].freeSince(),
                     paths[i].completeSince()});
  return last;
}

Timing Core::finish(Picoseconds makespan) {
  for (Sequencer &sequencer : sequencers) {
    sequencer.idle(StallReason::control, sequencer.freeSince());
    sequencer.idle(StallReason::end, makespan);
  }
  return accounts.finish(makespan, dma.use());
}

isa::Diagnostic Core::deadlock() const {
  std::string waits;
  const Sequencer *first = nullptr;
  for (const Sequencer &sequencer : sequencers) {
    if (!sequencer.isBlocked())
      continue;
    if (!first)
      first = &sequencer;
    sequencer.tellWaits(waits);
  }
  if (!first)
    first = &sequencers.front();
  return first->fault(
      "KILN-X201",
      fmt::format("every stream waits, and nothing is in flight: {}", waits));
}

} // namespace kiln::sim::timing
