//===- Simulator.cpp - Five streams, sixteen queues, one clock -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim::timing {

namespace {

constexpr auto syncTrack = static_cast<std::uint8_t>(isa::Engine::sync);

} // namespace

Simulator::Simulator(TimingPlan &plan, const isa::Target &target,
                     const CoreSettings &settings, World &world,
                     HbmStack &stack)
    : plan(plan), module(plan.module), target(target), options(settings),
      world(world), semaphores(isa::numSemaphores), dma(target, stack),
      ports(target), warmUp(machine::warmUpRule(target)),
      semaphoreTime(machine::nanoseconds(target.semaphore_ns)),
      waitTime(machine::nanoseconds(target.semaphore_instruction_ns)),
      controlTime(machine::nanoseconds(target.control_instruction_ns)),
      loopTime(machine::nanoseconds(target.loop_iteration_ns)),
      queueDepth(std::clamp<std::size_t>(
          static_cast<std::size_t>(target.engine_queue_depth), 1,
          maxQueueDepth)) {
  result.instructionsByOpcode.resize(256);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    Stream &stream = streams[i];
    stream.engine = static_cast<isa::Engine>(i);
    stream.planned = &plan.planned[i];
    stream.cursor =
        std::make_unique<StreamCursor>(plan.streams[i], settings.id.rank);
    stream.fetch = std::make_unique<Fetch>(module.streams[i], target);
    stream.book = std::make_unique<StallBook>(module.streams[i].size());
    stream.hasTiles = plan.hasTiles[i];
    stream.turnaround = machine::cyclesToTime(target.dependent_issue_cycles,
                                              target.ghz(stream.engine));
  }
}

std::optional<isa::Diagnostic> Simulator::start() {
  if (auto problem = check())
    return problem;
  for (Stream &stream : streams)
    estimate(stream);
  return std::nullopt;
}

Picoseconds Simulator::nextTime() const {
  Picoseconds soonest = std::min(dma.nextEvent(), ports.next());
  for (const Stream &stream : streams)
    if (stream.state == State::ready)
      soonest = std::min(soonest, stream.estimate);
  return soonest;
}

bool Simulator::hasEnded() const {
  // What is held in a queue has peers that never came.
  return dma.isIdle() &&
         std::all_of(streams.begin(), streams.end(), [](const Stream &stream) {
           return stream.state == State::ended && stream.handed.count == 0;
         });
}

std::optional<isa::Diagnostic> Simulator::runUntil(Picoseconds limit) {
  concernsOthers = false;
  while (!error && !concernsOthers) {
    Stream *first = nullptr;
    for (Stream &stream : streams)
      if (stream.state == State::ready &&
          (!first || stream.estimate < first->estimate))
        first = &stream;
    const Picoseconds transfers = dma.nextEvent();
    const Picoseconds passed = ports.next();
    const Picoseconds acts = first ? first->estimate : never;
    const Picoseconds soonest = std::min({transfers, passed, acts});
    if (soonest == never || soonest > limit)
      return std::nullopt;
    if (passed == soonest)
      stepPorts();
    else if (transfers == soonest)
      stepDma();
    else
      step(*first);
  }
  return error;
}

std::optional<isa::Diagnostic> Simulator::check() const {
  for (const Stream &stream : streams) {
    if (const auto &wrong = plan.streams[number(stream)].error())
      return fault(stream, "KILN-X204", *wrong);
    const auto known = [](const auto &entry) {
      return entry.semaphore < isa::numSemaphores;
    };
    for (const isa::Instruction &instruction : module.streams[number(stream)])
      if (!std::all_of(instruction.waits.begin(), instruction.waits.end(),
                       known) ||
          !std::all_of(instruction.signals.begin(), instruction.signals.end(),
                       known))
        return fault(stream, "KILN-X204",
                     fmt::format("a semaphore number is not below {}",
                                 isa::numSemaphores));
  }
  return std::nullopt;
}

/// When can the head of the stream act, as far as is known now?
void Simulator::estimate(Stream &stream) {
  if (stream.cursor->atEnd()) {
    stream.state = State::ended;
    return;
  }
  if (stream.barrier) {
    stream.state = State::blocked;
    return;
  }
  const PlannedOp &op = stream.planned->op(stream.cursor->index());
  stream.state = State::ready;
  stream.estimate = stream.sequencer;
  if (stream.fetch->isActive()) {
    stream.fetched =
        stream.fetch->arrival(stream.fetch->blockOf(stream.cursor->index()));
    if (stream.fetched == Fetch::never)
      stream.state = State::blocked;
    else
      stream.estimate = std::max(stream.estimate, stream.fetched);
  }
  if (op.kind == OpKind::tensor || op.kind == OpKind::lane) {
    if (stream.issued >= queueDepth) {
      const std::size_t before = stream.issued - queueDepth;
      if (before >= stream.begun)
        stream.state = State::blocked;
      else
        stream.estimate =
            std::max(stream.estimate, stream.starts[before % maxQueueDepth]);
    }
  } else if (op.kind == OpKind::dma || op.kind == OpKind::peers) {
    const machine::DmaPlan &plan = stream.planned->dma(op);
    if (dma.isFull(plan.queue) ||
        (stream.handed.count != 0 && needsUnsettled(stream, op)))
      stream.state = State::blocked;
    stream.estimate = std::max(stream.estimate, dma.roomSince(plan.queue));
    if (plan.mode == isa::DgeMode::hwdge)
      stream.estimate = std::max(stream.estimate, stream.generator);
  } else if (op.kind == OpKind::barrier && stream.handed.count != 0) {
    stream.state = State::blocked;
  }
  if (!op.waits)
    return;
  for (const isa::Wait &wait : stream.cursor->head().waits) {
    const Token *token = semaphores[wait.semaphore].completing(wait.value);
    if (!token)
      stream.state = State::blocked;
    else
      stream.estimate = std::max(stream.estimate, token->arrival);
  }
}

/// Books `time` from `begin` on in which instruction `index` of the stream kept
/// its engine idle.
void Simulator::book(Stream &stream, std::uint32_t index, StallReason reason,
                     Picoseconds begin, Picoseconds time, Producer producer) {
  if (time <= 0)
    return;
  if (options.trace)
    result.waits.push_back({static_cast<std::uint8_t>(number(stream)), reason,
                            WaitKind::none, index, producer, begin,
                            begin + time});
  times(stream).stalls[static_cast<std::size_t>(reason)] += time;
  stream.book->add(index, reason, producer, time);
}

void Simulator::account(Stream &stream, std::uint32_t index, StallReason reason,
                        Picoseconds until, Producer producer) {
  book(stream, index, reason, stream.accounted, until - stream.accounted,
       producer);
  stream.accounted = std::max(stream.accounted, until);
}

void Simulator::idleLater(Stream &stream, StallReason reason, Picoseconds until,
                          Producer producer) {
  // What is at the ports keeps the engine busy at least so long.
  if (until <= ports.earliestEnd(stream.engine))
    return;
  Handed next;
  next.kind = Handed::Kind::idle;
  next.reason = reason;
  next.index = stream.cursor->index();
  next.time = until;
  next.producer = producer;
  stream.handed.push(next);
}

/// Traces that an instruction of `who` occupies the track of an engine.
void Simulator::draw(const Stream &track, Producer who, Picoseconds begin,
                     Picoseconds end, Picoseconds visible) {
  if (options.trace)
    result.events.push_back({static_cast<std::uint8_t>(number(track)),
                             who.engine, who.index, begin, end, visible});
}

/// Takes the tokens that the head waits for; returns when all were there.
Picoseconds Simulator::takeTokens(Stream &stream) {
  const std::vector<isa::Wait> &waits = stream.cursor->head().waits;
  Picoseconds time = stream.estimate;
  Token last;
  for (const isa::Wait &wait : waits) {
    TokenQueue &queue = semaphores[wait.semaphore];
    // Two waits on one semaphore: the second may find too little left.
    const Token *token = queue.completing(wait.value);
    if (!token) {
      error = fault(stream, "KILN-X204",
                    "one instruction waits twice for the same semaphore; "
                    "merge the waits into one");
      return time;
    }
    if (token->arrival >= last.arrival)
      last = *token;
    queue.take(wait.value);
  }
  if (last.meeting != 0)
    if (const PeerWaits::Wait *wait = peerWaits.find(last.meeting)) {
      idle(stream, last.reason, wait->since, last.producer);
      idle(stream, StallReason::waitPeer, wait->until, wait->peer);
    }
  idle(stream, last.reason, last.arrival - last.way, last.producer);
  // The first wait is part of the instruction; each other one takes a slot.
  const Picoseconds further =
      waitTime * (static_cast<Picoseconds>(waits.size()) - 1);
  idle(stream, StallReason::semaphore, last.arrival + further, last.producer);
  return time + further;
}

void Simulator::count(Stream &stream, const PlannedOp &op) {
  ++times(stream).instructions;
  ++result.instructionsByOpcode[op.opcode];
  if (++steps > options.maxSteps)
    error = fault(stream, "KILN-X202",
                  fmt::format("more than {} instructions ran; raise the limit "
                              "or check the loop bounds",
                              options.maxSteps));
  // Of the streams that wait the one that comes first acts: time only grows.
  if (op.kind != OpKind::control)
    progress = std::max(progress, stream.sequencer);
  else if (stream.sequencer - progress > options.patience)
    error = fault(stream, "KILN-X202",
                  fmt::format("for {} us nothing but register and loop "
                              "instructions executed; let the loop end, or "
                              "raise the limit",
                              (stream.sequencer - progress) / 1'000'000));
}

bool Simulator::moveOn(Stream &stream, std::int32_t loaded) {
  if (stream.cursor->advance(loaded))
    return true;
  error = fault(stream, "KILN-X204", *stream.cursor->error());
  return false;
}

void Simulator::step(Stream &stream) {
  do {
    const PlannedOp &op = stream.planned->op(stream.cursor->index());
    count(stream, op);
    idle(stream, StallReason::control, stream.sequencer);
    idle(stream, StallReason::fetch, stream.fetched);
    if (op.movesOperands)
      noteMoves(stream, op);
    Picoseconds time = stream.estimate;
    if (op.waits)
      time = takeTokens(stream);
    switch (op.kind) {
    case OpKind::control:
    case OpKind::semaphore:
      runControl(stream, op, time);
      break;
    case OpKind::barrier:
      runBarrier(stream, time);
      break;
    case OpKind::dma:
    case OpKind::peers:
      runDma(stream, op, time);
      break;
    case OpKind::tensor:
      runTensor(stream, op, time);
      break;
    case OpKind::lane:
      runLane(stream, op, time);
      break;
    }
    if (error)
      return;
    fetchAhead(stream);
    estimate(stream);
    // Control that neither waits nor signals concerns nobody else; what is at
    // the ports is looked at in time, so that little is handed on behind it.
  } while (stream.state == State::ready && [&] {
    if (stream.handed.count != 0 && stream.estimate > ports.next())
      return false;
    const PlannedOp &next = stream.planned->op(stream.cursor->index());
    return next.kind == OpKind::control && !next.waits && !next.signals;
  }());
}

void Simulator::runControl(Stream &stream, const PlannedOp &op,
                           Picoseconds time) {
  const isa::Instruction &instruction = stream.cursor->head();
  std::int32_t loaded = 0;
  if (op.isLoad) {
    const auto &values = (*options.registerLoads)[number(stream)];
    if (stream.loads == values.size()) {
      error = fault(stream, "KILN-X203",
                    fmt::format("register_load number {} of the {} stream has "
                                "no value; run with values to supply it",
                                stream.loads, isa::name(stream.engine)));
      return;
    }
    loaded = values[stream.loads++];
  }
  const std::uint32_t before = stream.cursor->index();
  if (!moveOn(stream, loaded))
    return;
  Picoseconds slot = op.control;
  if (op.isLoopEnd && stream.cursor->index() <= before)
    slot = loopTime;
  stream.sequencer = time + slot;
  // SyncE is nothing but a sequencer.
  if (stream.engine == isa::Engine::sync) {
    idle(stream, StallReason::control, time);
    times(stream).busy += slot;
    stream.accounted = stream.sequencer;
    if (options.trace && slot > 0)
      result.events.push_back({syncTrack, syncTrack, before, time,
                               stream.sequencer, stream.sequencer});
  }
  if (!op.signals)
    return;
  if (op.kind == OpKind::semaphore) {
    Handed next;
    next.kind = Handed::Kind::signals;
    next.index = before;
    next.time = stream.sequencer;
    handOn(stream, next);
  } else {
    give(instruction.signals, stream.sequencer + semaphoreTime,
         tokenOf(stream, before));
  }
}

/// A token that instruction `index` of `stream` gives.
Token Simulator::tokenOf(const Stream &stream, std::uint32_t index) const {
  Token token;
  token.reason = static_cast<StallReason>(number(stream));
  token.producer = {static_cast<std::uint8_t>(number(stream)), index};
  token.way = semaphoreTime;
  return token;
}

/// Widens what is known of where registers put the operands of `op`.
void Simulator::noteMoves(Stream &stream, const PlannedOp &op) {
  for (PlannedOperand &operand : stream.planned->movableOperands(op))
    if (operand.dynamic) {
      const std::int64_t shift =
          stream.cursor->byteOffset(*operand.dynamic) - operand.dynamic->offset;
      operand.leastShift = std::min(operand.leastShift, shift);
      operand.mostShift = std::max(operand.mostShift, shift);
    }
}

} // namespace kiln::sim::timing
