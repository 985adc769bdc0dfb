//===- Scheduler.cpp - Streams, queues and semaphores ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include "Faults.h"
#include "Inspect.h"
#include "OrderDigest.h"
#include "kiln/isa/limits.h"
#include "kiln/isa/split_mix.h"

#include <fmt/format.h>

namespace kiln::sim {

namespace {

constexpr isa::Engine engineAt(std::size_t index) {
  return static_cast<isa::Engine>(index);
}

} // namespace

Scheduler::Scheduler(const CoreSeat &seat, const Options &options,
                     const Inspection &inspection)
    : stepLimit(options.maxSteps), id(seat.id),
      module(seat.rank.module(seat.id.core)),
      streams(seat.rank.cores[seat.id.core].streams), options(options),
      inspection(inspection), team(seat.team), checker(seat.checker),
      meetings(seat.meetings), watchedRange(inspection.onWrite),
      randomState(options.interleaveSeed) {
  for (const Stream &stream : streams)
    cursors.emplace_back(stream.plan, id.rank);
  // Other cores draw other numbers; the first one those of a run alone.
  randomState ^=
      (std::uint64_t{id.rank} << 40) ^ (std::uint64_t{id.core} << 32);
}

std::uint64_t Scheduler::random() { return isa::splitMix(randomState); }

std::optional<Fault> Scheduler::checkTokens() const {
  for (unsigned s = 0; s < isa::numSemaphores; ++s)
    if (semaphores[s] != 0)
      return describeLeftTokens(s);
  return std::nullopt;
}

bool Scheduler::finished() const {
  for (const StreamCursor &cursor : cursors)
    if (!cursor.atEnd())
      return false;
  for (const auto &queue : queues)
    if (!queue.empty())
      return false;
  return true;
}

Scheduler::Outcome Scheduler::runUntilBlocked() {
  const Outcome outcome = runAlone();
  team.settle();
  return outcome;
}

Scheduler::Outcome Scheduler::runAlone() {
  Outcome whole = Outcome::blocked;
  for (bool progress = true; progress;) {
    progress = false;
    // Others may have moved what this core had issued.
    for (unsigned q = 0; q < isa::dmaQueues && !pending.empty(); ++q) {
      const std::size_t before = queues[q].size();
      if (drain(q) == Outcome::halted)
        return Outcome::halted;
      progress |= queues[q].size() < before;
    }
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      Outcome outcome;
      while ((outcome = step(engineAt(e))) == Outcome::stepped)
        progress = true;
      if (outcome == Outcome::halted)
        return outcome;
    }
    if (progress)
      whole = Outcome::stepped;
  }
  return whole;
}

Scheduler::Outcome Scheduler::stepSeeded() {
  const Hurry hurry = this->hurry();
  const auto tryFrom = [&](std::size_t first, std::size_t count) {
    Outcome outcome = Outcome::blocked;
    const std::size_t start = random() % count;
    for (std::size_t i = 0; i < count && outcome == Outcome::blocked; ++i) {
      const std::size_t agent = first + (start + i) % count;
      outcome =
          agent < isa::numEngines
              ? step(engineAt(agent))
              : advanceQueue(static_cast<unsigned>(agent - isa::numEngines));
    }
    return outcome;
  };
  Outcome outcome = Outcome::blocked;
  if (hurry == Hurry::early)
    outcome = tryFrom(isa::numEngines, isa::dmaQueues);
  if (outcome == Outcome::blocked)
    outcome = tryFrom(0, hurry == Hurry::any ? isa::numEngines + isa::dmaQueues
                                             : isa::numEngines);
  if (outcome == Outcome::blocked && hurry == Hurry::late)
    outcome = tryFrom(isa::numEngines, isa::dmaQueues);
  team.settle();
  return outcome;
}

Scheduler::Outcome Scheduler::fail(FaultKind kind, const char *code,
                                   const std::string &what, isa::Engine engine,
                                   std::uint32_t index) {
  const FaultParty self = party(engine, index);
  fault = makeFault(kind, code, nameOf(self) + " " + what);
  fault->parties.push_back(self);
  return Outcome::halted;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

const isa::Wait *Scheduler::unmetWait(const isa::Instruction &head) const {
  for (const isa::Wait &wait : head.waits) {
    std::uint32_t need = 0;
    for (const isa::Wait &other : head.waits)
      if (other.semaphore == wait.semaphore)
        need += other.value;
    if (semaphores[wait.semaphore % isa::numSemaphores] < need)
      return &wait;
  }
  return nullptr;
}

Scheduler::Outcome Scheduler::step(isa::Engine engine) {
  const StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  if (cursor.atEnd())
    return Outcome::blocked;
  if (barriers[static_cast<std::size_t>(engine)])
    return meetAtBarrier(engine);
  const isa::Instruction &head = cursor.head();
  if (unmetWait(head))
    return Outcome::blocked;
  const std::uint32_t index = cursor.index();
  if (stopsBefore(engine, index))
    return Outcome::halted;
  if (++steps > stepLimit)
    return fail(FaultKind::watchdog, code::watchdog,
                fmt::format("would be step {}, more than the limit of {}; "
                            "raise the limit if the kernel is that long",
                            steps, stepLimit),
                engine, index);
  order = noteInOrder(order, std::uint64_t{index} << 8 |
                                 static_cast<std::uint64_t>(engine));
  const bool isIdle = cursor.headIsControl() && head.signals.empty() &&
                      head.waits.empty() &&
                      !std::holds_alternative<isa::RegisterStore>(head.body);
  idleSteps = isIdle ? idleSteps + 1 : 0;
  if (idleSteps > options.maxIdleSteps)
    return fail(FaultKind::watchdog, code::watchdog,
                fmt::format("is the {}th register or loop instruction in a row "
                            "while nothing else runs; let the condition of the "
                            "loop end, or raise the limit",
                            idleSteps),
                engine, index);
  for (const isa::Wait &wait : head.waits) {
    semaphores[wait.semaphore % isa::numSemaphores] -= wait.value;
    if (checker)
      checker->take(engine, wait.semaphore % isa::numSemaphores, wait.value);
  }
  return dispatch(engine);
}

void Scheduler::place(isa::Engine engine) {
  const Stream &stream = streams[static_cast<std::size_t>(engine)];
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
Scheduler::Outcome Scheduler::checkBounds(isa::Engine engine,
                                          std::uint32_t index) {
  for (const PlacedAccess &operand : placed) {
    // Where an index leads is checked when it is read.
    if (operand.operand.isIndexed)
      continue;
    const isa::Access &access = *operand.operand.access;
    const Layout layout = layoutOf(access);
    const bool inHbm = access.space == isa::Space::hbm;
    const std::int64_t limit = inHbm ? team.memory.tensorBytes(access.tensor)
                                     : team.memory.laneBytes(access.space);
    const std::int64_t begin = operand.offset + layout.low;
    const std::int64_t end = operand.offset + layout.high;
    if (begin < 0 || end > limit ||
        (!inHbm && access.partition + access.partitions > isa::maxPartitions))
      return fail(
          FaultKind::outOfBounds, code::outOfBounds,
          fmt::format("reaches bytes [{}, {}) with {}, but {} has {}; "
                      "correct the offset or the loop that moves it",
                      begin, end, operand.operand.name,
                      inHbm ? "tensor " + module.tensors[access.tensor].name
                            : "a partition of " +
                                  std::string(isa::name(access.space)),
                      limit),
          engine, index);
  }
  return Outcome::stepped;
}

Scheduler::Outcome Scheduler::dispatch(isa::Engine engine) {
  StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  const std::uint32_t index = cursor.index();
  const isa::Instruction &head = cursor.head();
  const auto undefined = [&] {
    return fail(FaultKind::undefinedState, code::undefined,
                "cannot run: " + *cursor.error(), engine, index);
  };
  place(engine);
  if (cursor.error())
    return undefined();
  if (checkBounds(engine, index) == Outcome::halted)
    return Outcome::halted;
  if (!placed.empty() && !Team::mayWait(head.body))
    team.settle();
  if (cursor.headIsDma())
    return issue(engine);
  if (std::holds_alternative<isa::CoreBarrier>(head.body))
    return meetAtBarrier(engine);

  indexedPlaces.resolve(placed, team.memory, engine);
  if (checker) {
    if (options.findNaN)
      owners = checker->writersOfReads(placed);
    checker->beginInstruction(engine, index);
    if (!placed.empty())
      if ((fault = checker->access(engine, placed)))
        return Outcome::halted;
  }
  std::int32_t loaded = 0;
  if (!cursor.headIsControl()) {
    const Outcome outcome = watched(placed, engine, index, [&] {
      const auto result = team.execute(head.body, engine, cursor);
      if (result != sim::Outcome::done)
        return fail(FaultKind::undefinedState, code::undefined,
                    std::string(reasonOf(result)), engine, index);
      return cursor.error() ? undefined() : Outcome::stepped;
    });
    if (outcome == Outcome::halted)
      return outcome;
  } else if (cursor.headAsLoad()) {
    loaded = loadElement(
        team.memory.view(*placed[0].operand.access, placed[0].offset));
    registerLoads[static_cast<std::size_t>(engine)].push_back(loaded);
  } else if (const auto *store = std::get_if<isa::RegisterStore>(&head.body)) {
    storeElement(team.memory.view(*placed[0].operand.access, placed[0].offset),
                 cursor.value(store->src));
  }
  if (!cursor.advance(loaded))
    return undefined();
  if (const StreamCursor::Turns turns = cursor.turns();
      turns.count > options.maxTurns)
    return fail(FaultKind::watchdog, code::watchdog,
                fmt::format("repeats its body for the {}th time; data say how "
                            "long it runs: give data that let it end, or raise "
                            "the limit (--max-turns)",
                            turns.count),
                engine, turns.index);
  return signal(head, engine, index, nullptr);
}

Scheduler::Outcome Scheduler::signal(const isa::Instruction &instruction,
                                     isa::Engine engine, std::uint32_t index,
                                     const Checker::Transfer *transfer) {
  for (const isa::Signal &give : instruction.signals) {
    const unsigned semaphore = give.semaphore % isa::numSemaphores;
    semaphores[semaphore] += give.value;
    if (semaphores[semaphore] > isa::maxTokens)
      return fail(FaultKind::semaphore, code::overflow,
                  fmt::format("raises semaphore {} to {}, more than {}; "
                              "consume its tokens with waits",
                              semaphore, semaphores[semaphore], isa::maxTokens),
                  engine, index);
    if (checker && transfer)
      checker->signalTransfer(*transfer, semaphore, give.value);
    else if (checker)
      checker->signalInstruction(engine, semaphore, give.value);
  }
  return Outcome::stepped;
}

//===----------------------------------------------------------------------===//
// Inspection
//===----------------------------------------------------------------------===//

bool Scheduler::stopsBefore(isa::Engine engine, std::uint32_t index) {
  const auto &before = inspection.before;
  if (!before || before->engine != engine || before->index != index ||
      ++visits != before->visit)
    return false;
  stopped = party(engine, index);
  return true;
}

template <class Work>
Scheduler::Outcome Scheduler::watched(const std::vector<PlacedAccess> &accesses,
                                      isa::Engine engine, std::uint32_t index,
                                      Work &&work) {
  const bool clean = options.findNaN && !findNaN(accesses, false, team.memory);
  if (work() == Outcome::halted)
    return Outcome::halted;
  if (options.findNaN)
    team.settle();
  if (clean)
    if (const auto place = findNaN(accesses, true, team.memory)) {
      fail(
          FaultKind::notANumber, code::notANumber,
          fmt::format("makes a NaN (element {} of lane {} of {}) from operands "
                      "that hold none; see what its operands are here with "
                      "'--break' and '--dump'",
                      place->element, place->lane, place->access->operand.name),
          engine, index);
      for (const Event &owner : owners)
        fault->parties.push_back(
            party(static_cast<isa::Engine>(owner.engine), owner.index));
      return Outcome::halted;
    }
  if (watchedRange && writesInto(accesses, *watchedRange)) {
    stopped = party(engine, index);
    return Outcome::halted;
  }
  return Outcome::stepped;
}

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

Scheduler::Outcome Scheduler::issue(isa::Engine engine) {
  StreamCursor &cursor = cursors[static_cast<std::size_t>(engine)];
  const isa::Body &body = cursor.head().body;
  Transfer transfer;
  transfer.engine = engine;
  transfer.index = cursor.index();
  const bool meets = meetsAsTransfer(body);
  if (meets)
    transfer.views.queue =
        static_cast<unsigned>(isa::queueOf(body).value_or(0));
  else
    transfer.views = team.prepare(body, cursor);
  transfer.views.engine = engine;
  transfer.views.serial = team.nextSerial(engine);
  const unsigned queue = transfer.views.queue;
  transfer.accesses = placed;
  if (checker)
    transfer.check = checker->issueTransfer(engine, transfer.index, queue);
  queues[queue].push_back(std::move(transfer));
  Transfer &issued = queues[queue].back();
  if (meets && join(issued) == Outcome::halted)
    return Outcome::halted;
  if (!cursor.advance())
    return Outcome::halted;
  if (options.interleaveSeed != 0)
    return meets && hurry() == Hurry::early && mayReadAlone(*issued.peer)
               ? readSources(issued)
               : Outcome::stepped;
  if (canMove(issued) && move(issued) == Outcome::halted)
    return Outcome::halted;
  return drain(queue);
}

Scheduler::Outcome Scheduler::drain(unsigned queue) {
  while (!queues[queue].empty() && queues[queue].front().moved)
    if (complete(queue) == Outcome::halted)
      return Outcome::halted;
  return Outcome::stepped;
}

Scheduler::Outcome Scheduler::advanceQueue(unsigned queue) {
  auto &waiting = queues[queue];
  if (waiting.empty())
    return Outcome::blocked;
  if (waiting.front().moved)
    return complete(queue);
  // Transfers of one queue complete in order but may move data in any.
  Transfer &transfer = waiting[random() % waiting.size()];
  if (!transfer.moved && canMove(transfer))
    return move(transfer);
  for (Transfer &other : waiting)
    if (!other.moved && canMove(other))
      return move(other);
  return Outcome::blocked;
}

void Scheduler::noteMove(const Transfer &transfer) {
  order = noteInOrder(order, std::uint64_t{transfer.index} << 8 |
                                 std::uint64_t{0x80} |
                                 static_cast<std::uint64_t>(transfer.engine));
}

Scheduler::Outcome Scheduler::move(Transfer &transfer) {
  if (transfer.peer)
    return moveMember(transfer);
  indexedPlaces.resolve(transfer.accesses, team.memory, transfer.engine);
  const std::vector<PlacedAccess> accesses = std::move(transfer.accesses);
  if (checker && options.findNaN)
    owners = checker->writersOfReads(accesses);
  if (checker && (fault = checker->access(transfer.check, accesses)))
    return Outcome::halted;
  noteMove(transfer);
  transfer.moved = true;
  return watched(accesses, transfer.engine, transfer.index, [&] {
    if (const auto wrong = team.transfer(transfer.views))
      return fail(FaultKind::outOfBounds, code::outOfBounds, *wrong,
                  transfer.engine, transfer.index);
    return Outcome::stepped;
  });
}

Scheduler::Outcome Scheduler::complete(unsigned queue) {
  pending.erase(&queues[queue].front());
  const Transfer transfer = std::move(queues[queue].front());
  queues[queue].pop_front();
  if (checker)
    checker->completeTransfer(transfer.check);
  const auto &stream =
      module.streams[static_cast<std::size_t>(transfer.engine)];
  return signal(stream[transfer.index], transfer.engine, transfer.index,
                &transfer.check);
}

} // namespace kiln::sim
