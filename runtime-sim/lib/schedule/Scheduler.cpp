//===- Scheduler.cpp - The streams of a core
//-------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include "Deadlock.h"

#include "../function/Rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

constexpr isa::Engine engineAt(std::size_t index) {
  return static_cast<isa::Engine>(index);
}

/// True if it waits for other cores.
bool isMeeting(const isa::Body &body) {
  return meetsAsTransfer(body) ||
         std::holds_alternative<isa::CoreBarrier>(body);
}

bool touchesOnChip(const IssuedTransfer &transfer) {
  const auto touches = [](const std::vector<PlacedAccess> &accesses) {
    return std::any_of(accesses.begin(), accesses.end(),
                       [](const PlacedAccess &access) {
                         return access.operand.access->space != isa::Space::hbm;
                       });
  };
  return !transfer.moved && (!transfer.peer || touches(transfer.accesses));
}

} // namespace

Scheduler::Scheduler(const CoreSeat &seat, const Options &options,
                     const Inspection &inspection)
    : core(seat, options, inspection), queues(core),
      stepLimit(options.maxSteps) {
  for (const Stream &stream : core.streams)
    cursors.emplace_back(stream.plan, core.id.rank);
}

bool Scheduler::finished() const {
  for (const StreamCursor &cursor : cursors)
    if (!cursor.atEnd())
      return false;
  return queues.isEmpty();
}

Progress Scheduler::runUntilBlocked() {
  const Progress progress = runAlone();
  core.team.settle();
  releaseMemory();
  return progress;
}

Progress Scheduler::runUntilMeeting() {
  meetsLater = true;
  const Progress progress = runUntilBlocked();
  meetsLater = false;
  return progress;
}

Progress Scheduler::meet() {
  Progress whole = Progress::blocked;
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    while (!cursors[e].atEnd() && isMeeting(cursors[e].head().body)) {
      const Progress progress = step(engineAt(e));
      if (progress == Progress::halted)
        return progress;
      if (progress == Progress::blocked)
        break;
      whole = Progress::stepped;
    }
  return whole;
}

void Scheduler::releaseMemory() {
  const Inspection &look = core.inspection;
  if (isReleased || core.fault || !look.dump.empty() || look.onWrite)
    return;
  for (std::size_t e = 0; e < isa::numEngines; ++e)
    if (cursors[e].index() < core.streams[e].onChipEnd)
      return;
  for (const TransferQueues::Queue &queue : queues.all())
    for (const IssuedTransfer &transfer : queue)
      if (touchesOnChip(transfer))
        return;
  isReleased = true;
  core.team.memory.releaseOnChip();
}

Progress Scheduler::runAlone() {
  Progress whole = Progress::blocked;
  for (bool helped = true; helped;) {
    // Other cores may have moved what this core issued.
    Progress drained = Progress::stepped;
    helped = queues.drainJoined(drained);
    if (drained == Progress::halted)
      return Progress::halted;
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      Progress progress;
      while ((progress = step(engineAt(e))) == Progress::stepped)
        helped = true;
      if (progress == Progress::halted)
        return progress;
    }
    if (helped)
      whole = Progress::stepped;
  }
  return whole;
}

Progress Scheduler::stepSeeded() {
  using Hurry = CoreContext::Hurry;
  const Hurry hurry = core.hurry();
  const auto tryFrom = [&](std::size_t first, std::size_t count) {
    Progress progress = Progress::blocked;
    const std::size_t start = core.random() % count;
    for (std::size_t i = 0; i < count && progress == Progress::blocked; ++i) {
      const std::size_t agent = first + (start + i) % count;
      progress =
          agent < isa::numEngines
              ? step(engineAt(agent))
              : queues.advance(static_cast<unsigned>(agent - isa::numEngines));
    }
    return progress;
  };
  Progress progress = Progress::blocked;
  if (hurry == Hurry::early)
    progress = tryFrom(isa::numEngines, isa::dmaQueues);
  if (progress == Progress::blocked)
    progress = tryFrom(0, hurry == Hurry::any ? isa::numEngines + isa::dmaQueues
                                              : isa::numEngines);
  if (progress == Progress::blocked && hurry == Hurry::late)
    progress = tryFrom(isa::numEngines, isa::dmaQueues);
  core.team.settle();
  return progress;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Progress Scheduler::step(isa::Engine engine) {
  const StreamCursor &cursor = this->cursor(engine);
  if (cursor.atEnd())
    return Progress::blocked;
  if (barrier(engine))
    return meetAtBarrier(engine);
  const isa::Instruction &head = cursor.head();
  if (core.semaphores.unmet(head) || (meetsLater && isMeeting(head.body)))
    return Progress::blocked;
  const std::uint32_t index = cursor.index();
  if (stopsBefore(engine, index))
    return Progress::halted;
  if (++steps > stepLimit)
    return core.fail(
        FaultKind::watchdog, code::watchdog,
        fmt::format("would be step <|{}|>, more than the limit of [|{}|]; "
                    "raise the limit if the kernel is that long",
                    steps, stepLimit),
        engine, index);
  core.order = noteInOrder(core.order, std::uint64_t{index} << 8 |
                                           static_cast<std::uint64_t>(engine));
  const bool isIdle = cursor.headIsControl() && head.signals.empty() &&
                      head.waits.empty() &&
                      !std::holds_alternative<isa::RegisterStore>(head.body);
  idleSteps = isIdle ? idleSteps + 1 : 0;
  if (idleSteps > core.options.maxIdleSteps)
    return core.fail(
        FaultKind::watchdog, code::watchdog,
        fmt::format("is the <|{}|>th register or loop instruction in a row "
                    "while nothing else runs; make the condition of the loop "
                    "become 0, or raise the limit",
                    idleSteps),
        engine, index);
  for (const isa::Wait &wait : head.waits) {
    core.semaphores.take(wait);
    if (core.checker)
      core.checker->take(engine, Semaphores::number(wait.semaphore),
                         wait.value);
  }
  return dispatch(engine);
}

void Scheduler::place(isa::Engine engine) {
  const Stream &stream = core.streams[static_cast<std::size_t>(engine)];
  const StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  placed.clear();
  const std::uint32_t index = cursor.index();
  for (std::uint32_t i = stream.firstOperand[index];
       i < stream.firstOperand[index + 1]; ++i)
    placed.push_back({stream.operands[i],
                      cursor.byteOffset(*stream.operands[i].access),
                      stream.types[i]});
}

/// Addresses are checked even without the checker: the host's memory is at
/// stake. Alignment follows from the module's checks: offsets and the scales of
/// registers are multiples of the element size.
Progress Scheduler::checkBounds(isa::Engine engine, std::uint32_t index) {
  for (const PlacedAccess &operand : placed) {
    // Where an index leads is checked when it is read.
    if (operand.operand.isIndexed)
      continue;
    const isa::Access &access = *operand.operand.access;
    const Layout layout = layoutOf(access);
    const bool inHbm = access.space == isa::Space::hbm;
    const std::int64_t limit = inHbm
                                   ? core.team.memory.tensorBytes(access.tensor)
                                   : core.team.memory.laneBytes(access.space);
    const std::int64_t begin = operand.offset + layout.low;
    const std::int64_t end = operand.offset + layout.high;
    if (begin < 0 || end > limit ||
        (!inHbm && access.partition + access.partitions > isa::maxPartitions))
      return core.fail(
          FaultKind::outOfBounds, code::outOfBounds,
          fmt::format(
              "reaches bytes <|[{}, {})|> with {}, but {} has [|{}|]; "
              "correct the offset or the loop that moves it",
              begin, end, operand.operand.name,
              inHbm ? "tensor " + core.module.tensors[access.tensor].name
                    : "a partition of " + std::string(isa::name(access.space)),
              limit),
          engine, index);
  }
  return Progress::stepped;
}

Progress Scheduler::undefined(isa::Engine engine, std::uint32_t index) {
  return core.fail(FaultKind::undefinedState, code::undefined,
                   "cannot run: " + *cursor(engine).error(), engine, index);
}

Progress Scheduler::dispatch(isa::Engine engine) {
  StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  const std::uint32_t index = cursor.index();
  const isa::Body &body = cursor.head().body;
  place(engine);
  if (cursor.error())
    return undefined(engine, index);
  if (checkBounds(engine, index) == Progress::halted)
    return Progress::halted;
  if (!placed.empty() && !Team::mayWait(body))
    core.team.settle();
  if (cursor.headIsDma())
    return queues.issue(cursor, engine, placed);
  return std::holds_alternative<isa::CoreBarrier>(body) ? meetAtBarrier(engine)
                                                        : execute(engine);
}

Progress Scheduler::execute(isa::Engine engine) {
  const StreamCursor &cursor = this->cursor(engine);
  const std::uint32_t index = cursor.index();
  const isa::Body &body = cursor.head().body;
  Checker *const checker = core.checker;
  indexedPlaces.resolve(placed, core.team.memory, engine);
  std::vector<Event> writers;
  if (checker) {
    if (core.options.findNaN)
      writers = checker->writersOfReads(placed);
    checker->beginInstruction(engine, index);
    if (!placed.empty())
      if ((core.fault = checker->access(engine, placed)))
        return Progress::halted;
  }
  const auto element = [&] {
    return core.team.memory.view(*placed[0].operand.access, placed[0].offset);
  };
  std::int32_t loaded = 0;
  if (!cursor.headIsControl()) {
    const Progress progress =
        core.watched(placed, writers, engine, index, &cursor, [&] {
          const Outcome outcome = core.team.execute(body, engine, cursor);
          if (outcome != Outcome::done)
            return core.fail(FaultKind::undefinedState, code::undefined,
                             std::string(reasonOf(outcome)), engine, index);
          return cursor.error() ? undefined(engine, index) : Progress::stepped;
        });
    if (progress == Progress::halted)
      return progress;
  } else if (cursor.headAsLoad()) {
    loaded = loadElement(element());
    registerLoads[static_cast<std::size_t>(engine)].push_back(loaded);
  } else if (const auto *store = std::get_if<isa::RegisterStore>(&body)) {
    storeElement(element(), cursor.value(store->src));
  }
  if (advance(engine, loaded) == Progress::halted)
    return Progress::halted;
  return core.signal(engine, index);
}

Progress Scheduler::advance(isa::Engine engine, std::int32_t loaded) {
  StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  const std::uint32_t index = cursor.index();
  if (!cursor.advance(loaded))
    return undefined(engine, index);
  if (const StreamCursor::Turns turns = cursor.turns();
      turns.count > core.options.maxTurns)
    return core.fail(
        FaultKind::watchdog, code::watchdog,
        fmt::format("repeats its body for the <|{}|>th time; its data decide "
                    "how long it runs: give data with which it ends, or raise "
                    "the limit (--max-turns)",
                    turns.count),
        engine, turns.index);
  return Progress::stepped;
}

bool Scheduler::stopsBefore(isa::Engine engine, std::uint32_t index) {
  const auto &before = core.inspection.before;
  if (!before || before->engine != engine || before->index != index ||
      ++visits != before->visit)
    return false;
  core.stopped = core.party(engine, index);
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Progress Scheduler::meetAtBarrier(isa::Engine engine) {
  StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  const std::uint32_t index = cursor.index();
  const auto &own = std::get<isa::CoreBarrier>(cursor.head().body);
  auto &meeting = barriers[static_cast<std::size_t>(engine)];
  const unsigned there = 1 - core.id.core;
  if (!meeting) {
    if (!core.id.severalCores)
      return core.fail(FaultKind::mismatch, code::mismatch,
                       "waits for core 1, but the launch has one core per "
                       "rank; compile the kernel for two cores",
                       engine, index);
    const PeerGroup group = *peerGroupOf(cursor.head().body, core.id);
    Arrival arrival{&core, nullptr, nullptr, engine, index, {}};
    if (core.checker) {
      core.checker->beginInstruction(engine, index);
      if ((core.fault = core.checker->meet(group.key, engine)))
        return Progress::halted;
      arrival.knows = core.checker->knowledge(engine);
    }
    meeting = core.rendezvous.arrive(group, std::move(arrival));
    if (!meeting->isComplete())
      return Progress::stepped;
    const Arrival &other = *meeting->members[there];
    const auto &its = std::get<isa::CoreBarrier>(
        other.core->instruction(other.engine, other.index).body);
    const std::string &mine = core.module.tensors[own.data.tensor].name;
    const std::string &theirs =
        other.core->module.tensors[its.data.tensor].name;
    if (mine != theirs)
      return core.disagree(
          other,
          fmt::format("the data of one is {} and that of the other {}, so the "
                      "cores have taken different paths",
                      mine, theirs),
          engine, index);
  }
  if (!meeting->isComplete())
    return Progress::blocked;
  if (core.checker)
    core.checker->learn(engine, meeting->members[there]->knows);
  meeting.reset();
  if (!cursor.advance())
    return undefined(engine, index);
  return core.signal(engine, index);
}

//===----------------------------------------------------------------------===//
// After the run
//===----------------------------------------------------------------------===//

std::optional<Fault> Scheduler::checkTokens() const {
  for (unsigned semaphore = 0; semaphore < isa::numSemaphores; ++semaphore)
    if (core.semaphores[semaphore] != 0)
      return describeLeftTokens(core, semaphore);
  return std::nullopt;
}

void Scheduler::watchFor(const std::optional<MemoryRange> &range,
                         std::uint64_t patience) {
  core.fault.reset();
  core.checker = nullptr;
  core.watchedRange = range;
  stepLimit = std::min(stepLimit, steps + patience);
}

void Scheduler::leaveOut(const FaultParty &refused) {
  // A transfer that was refused is still in its queue, and ends there.
  if (!core.isSeeded())
    queues.flush();
  // An engine instruction that was refused has taken its tokens.
  StreamCursor &cursor = cursors[static_cast<std::size_t>(refused.engine)];
  if (!cursor.atEnd() && cursor.index() == refused.index &&
      !cursor.headIsDma() && cursor.advance())
    (void)core.signal(refused.engine, refused.index);
}

} // namespace kiln::sim
