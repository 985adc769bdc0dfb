//===- Sequencer.cpp - The instructions of a stream, one after the other --===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequencer.h"

#include "kiln/isa/assembly.h"
#include "kiln/machine/sequencer_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim::timing {

Sequencer::Sequencer(isa::Engine engine, const CoreSettings &settings,
                     const Surroundings &around)
    : engine(engine), settings(settings),
      planned(settings.plan.planned[numberOf(engine)]),
      cursor(settings.plan.streams[numberOf(engine)], settings.id.rank),
      fetch(settings.plan.module.streams[numberOf(engine)], settings.target),
      semaphores(around.semaphores), peerWaits(around.peerWaits),
      dma(around.dma), path(around.path), pipe(around.pipe),
      account(around.account), error(around.error),
      waitTime(machine::furtherWaitTime(settings.target)),
      issueTime(machine::issueTime(settings.target)),
      loopTime(
          machine::controlTime(isa::LoopEnd{}, engine, settings.target, true)
              .time) {}

std::optional<isa::Diagnostic> Sequencer::check() const {
  if (const auto &wrong = settings.plan.streams[numberOf(engine)].error())
    return fault("KILN-X204", *wrong);
  const auto known = [](const auto &entry) {
    return entry.semaphore < isa::numSemaphores;
  };
  for (const isa::Instruction &instruction :
       settings.plan.module.streams[numberOf(engine)])
    if (!std::all_of(instruction.waits.begin(), instruction.waits.end(),
                     known) ||
        !std::all_of(instruction.signals.begin(), instruction.signals.end(),
                     known))
      return fault("KILN-X204",
                   fmt::format("a semaphore number is not below [|{}|]",
                               isa::numSemaphores));
  return std::nullopt;
}

void Sequencer::lookAtHead() {
  if (cursor.atEnd()) {
    state = State::ended;
    return;
  }
  if (atBarrier) {
    block();
    return;
  }
  const PlannedOp &op = this->op();
  state = State::ready;
  acts = free;
  if (fetch.isActive()) {
    arrival = fetch.arrival(fetch.blockOf(index()));
    if (arrival == Fetch::never)
      block();
    else
      waitUntil(arrival);
  }
  if (op.kind == OpKind::tensor || op.kind == OpKind::lane)
    waitForPath();
  else if (op.kind == OpKind::dma || op.kind == OpKind::peers)
    waitForQueue();
  else if (op.kind == OpKind::barrier && pipe.isBehind())
    block();
  if (op.waits)
    waitForTokens();
}

void Sequencer::waitForPath() {
  const Picoseconds room = path.roomSince();
  if (room == DataPath::notKnown)
    block();
  else
    waitUntil(room);
}

void Sequencer::waitForQueue() {
  const machine::DmaPlan &plan = transfer();
  if (dma.isFull(plan.queue) ||
      (pipe.isBehind() && pipe.holdsBack(operands(), shifts())))
    block();
  waitUntil(dma.roomSince(plan.queue));
  if (plan.mode == isa::DgeMode::hwdge)
    waitUntil(dma.generatorFree(engine));
}

void Sequencer::waitForTokens() {
  for (const isa::Wait &wait : head().waits) {
    if (planned.ignores(index(), wait))
      continue;
    const Token *token = semaphores.completing(wait);
    if (!token)
      block();
    else
      waitUntil(token->arrival);
  }
}

/// Takes the tokens that the head waits for; returns when all were there.
Picoseconds Sequencer::takeTokens() {
  const std::vector<isa::Wait> &waits = head().waits;
  Token last;
  for (const isa::Wait &wait : waits) {
    if (planned.ignores(index(), wait)) {
      semaphores.takeEarly(wait);
      continue;
    }
    // Two waits on one semaphore: the second may find too little left.
    const Token *token = semaphores.completing(wait);
    if (!token) {
      error = fault("KILN-X204",
                    "one instruction waits twice for the same semaphore; "
                    "merge the waits into one");
      return acts;
    }
    account.noteEdge(run, token->producer, token->reason, false,
                     token->arrival);
    if (token->arrival >= last.arrival)
      last = *token;
    semaphores.take(wait);
  }
  if (last.meeting != 0)
    if (const PeerWaits::Wait *wait = peerWaits.find(last.meeting)) {
      idle(last.reason, wait->since, last.producer);
      idle(StallReason::waitPeer, wait->until, wait->peer);
    }
  idle(last.reason, last.arrival - last.way, last.producer);
  // The first wait is part of the instruction; each other one takes a slot.
  const Picoseconds further =
      waitTime * (static_cast<Picoseconds>(waits.size()) - 1);
  idle(StallReason::semaphore, last.arrival + further, last.producer);
  return acts + further;
}

Picoseconds Sequencer::act(const PlannedOp &op) {
  idle(StallReason::control, free);
  idle(StallReason::fetch, arrival);
  if (op.movesOperands)
    noteMoves(op);
  return op.waits ? takeTokens() : acts;
}

/// Widens the known range of the operands of the head that registers move.
void Sequencer::noteMoves(const PlannedOp &op) {
  for (PlannedOperand &operand : planned.movableOperands(op))
    if (operand.dynamic) {
      const std::int64_t shift =
          cursor.byteOffset(*operand.dynamic) - operand.dynamic->offset;
      operand.leastShift = std::min(operand.leastShift, shift);
      operand.mostShift = std::max(operand.mostShift, shift);
      account.noteMove(shift);
    }
}

Shifts Sequencer::shifts() {
  const PlannedOp &op = this->op();
  if (!op.movesOperands)
    return {};
  ofHead.clear();
  for (const PlannedOperand &operand : planned.operands(op))
    ofHead.push_back(operand.dynamic ? cursor.byteOffset(*operand.dynamic) -
                                           operand.dynamic->offset
                                     : 0);
  return ofHead;
}

bool Sequencer::moveOn(std::int32_t loaded) {
  if (cursor.advance(loaded))
    return true;
  error = fault("KILN-X204", *cursor.error());
  return false;
}

bool Sequencer::execute(const PlannedOp &op, Picoseconds time) {
  std::int32_t loaded = 0;
  if (op.isLoad) {
    const auto &values = (*settings.registerLoads)[numberOf(engine)];
    if (loads == values.size()) {
      error = fault("KILN-X203",
                    fmt::format("register_load number {} of the {} stream has "
                                "no value; run with values to supply it",
                                loads, isa::name(engine)));
      return false;
    }
    loaded = values[loads++];
  }
  const Producer executed = self();
  if (!moveOn(loaded))
    return false;
  Picoseconds slot = op.control;
  if (op.isLoopEnd && index() <= executed.index)
    slot = loopTime;
  free = time + slot;
  account.noteActed(executed.run, time, free);
  if (engine == isa::Engine::sync) {
    idle(StallReason::control, time);
    if (slot > 0)
      account.draw(executed, time, free, free);
    account.takeSlot(slot, free);
  }
  return true;
}

void Sequencer::issue(Picoseconds time) {
  free = time + issueTime;
  account.noteActed(run, time, free);
  idle(StallReason::control, time);
}

void Sequencer::trigger(Picoseconds time) {
  free = time + issueTime;
  account.noteActed(run, time, free);
  // SyncE is only a sequencer.
  if (engine == isa::Engine::sync) {
    account.draw(self(), time, free, free);
    account.takeSlot(issueTime, free);
  }
}

void Sequencer::stopAtBarrier(Picoseconds time) {
  atBarrier = true;
  free = std::max(free, time);
}

void Sequencer::passBarrier(Picoseconds time) {
  atBarrier = false;
  free = time;
  account.noteActed(run, time, free);
}

void Sequencer::fetchAhead() {
  if (!fetch.isActive() || cursor.atEnd())
    return;
  fetch.enter(fetch.blockOf(index()),
              [&](std::uint32_t block) { dma.fetch(engine, block, free); });
}

isa::Diagnostic Sequencer::fault(std::string_view code,
                                 std::string_view text) const {
  const isa::Module &module = settings.plan.module;
  const auto &instructions = module.streams[numberOf(engine)];
  const std::string core = nameOf(settings.id);
  isa::Diagnostic diagnostic =
      isa::makeError(code, fmt::format("{}{}{} stream, instruction {}: {}",
                                       core, core.empty() ? "" : " ",
                                       isa::name(engine), index(), text));
  if (index() < instructions.size() &&
      instructions[index()].location < module.locations.size()) {
    const isa::SourceLocation &place =
        module.locations[instructions[index()].location];
    diagnostic.file = place.file;
    diagnostic.line = place.line;
    diagnostic.column = place.column;
  }
  return diagnostic;
}

void Sequencer::tellWaits(std::string &waits) const {
  const auto tell = [&](const std::string &what) {
    waits += fmt::format("{}{} at {} {}", waits.empty() ? "" : "; ",
                         isa::name(engine), index(), what);
  };
  if (atBarrier)
    tell("waits for the other core");
  for (const isa::Wait &wait : head().waits) {
    const std::uint64_t has = semaphores.count(wait.semaphore);
    if (has < wait.value)
      tell(fmt::format("('{}') waits for S{} >= {} and it has {}",
                       isa::printInstruction(head(), settings.plan.module),
                       wait.semaphore, wait.value, has));
  }
}

} // namespace kiln::sim::timing
