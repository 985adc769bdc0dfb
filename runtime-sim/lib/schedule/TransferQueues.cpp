//===- TransferQueues.cpp - DMA between issue and completion --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransferQueues.h"

#include "Inspect.h"
#include "JointTransfer.h"

namespace kiln::sim {

bool TransferQueues::isEmpty() const {
  for (const Queue &queue : queues)
    if (!queue.empty())
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

Progress TransferQueues::issue(StreamCursor &cursor, isa::Engine engine,
                               const std::vector<PlacedAccess> &accesses) {
  const isa::Body &body = cursor.head().body;
  IssuedTransfer transfer;
  transfer.engine = engine;
  transfer.index = cursor.index();
  const bool meets = meetsAsTransfer(body);
  if (meets)
    transfer.views.queue =
        static_cast<unsigned>(isa::queueOf(body).value_or(0));
  else
    transfer.views = core.team.prepare(body, cursor);
  transfer.views.engine = engine;
  transfer.views.serial = core.team.nextSerial(engine);
  const unsigned queue = transfer.views.queue;
  transfer.accesses = accesses;
  if (core.checker)
    transfer.check = core.checker->issueTransfer(engine, transfer.index, queue);
  queues[queue].push_back(std::move(transfer));
  IssuedTransfer &issued = queues[queue].back();
  if (meets && join(issued) == Progress::halted)
    return Progress::halted;
  cursor.advance(); // Before a transfer that is refused leaves it behind.
  if (core.isSeeded())
    return meets && core.hurry() == CoreContext::Hurry::early &&
                   mayReadAlone(*issued.peer)
               ? readSources(issued)
               : Progress::stepped;
  if (canMove(issued) && move(issued) == Progress::halted)
    return Progress::halted;
  return drain(queue);
}

Progress TransferQueues::join(IssuedTransfer &transfer) {
  const isa::Engine engine = transfer.engine;
  const std::uint32_t index = transfer.index;
  auto op = makePeerOp(core.instruction(engine, index).body, core.id,
                       transfer.accesses, core.team.memory);
  if (!op)
    return core.fail(FaultKind::mismatch, code::mismatch, op.error().text,
                     engine, index);
  if (const auto wrong = core.preparation.issue(core, engine, index, *op))
    return core.fail(FaultKind::outOfTurn, code::outOfTurn, *wrong, engine,
                     index);
  if (hasTable(*op->body)) {
    // What it will send is known later; other members may know it first.
    auto &records = core.sentCounts[static_cast<std::size_t>(engine)];
    op->record = records.size();
    records.emplace_back(op->members.size());
  }
  transfer.peer = std::make_unique<PeerOp>(std::move(*op));
  const PeerOp &mine = *transfer.peer;
  if (core.checker &&
      (core.fault = core.checker->meet(mine.key, transfer.check)))
    return Progress::halted;
  Arrival arrival{&core, this, &transfer, engine, index, {}};
  if (core.checker)
    arrival.knows = transfer.check.knows;
  transfer.meeting = core.rendezvous.arrive(mine, std::move(arrival));
  ++joined;
  for (const std::optional<Arrival> &other : transfer.meeting->members)
    if (other && other->transfer != &transfer)
      if (const auto how = disagreement(*other->transfer->peer, mine))
        return core.disagree(*other, *how, engine, index);
  return Progress::stepped;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

bool TransferQueues::canMove(const IssuedTransfer &transfer) const {
  if (!transfer.peer || transfer.meeting->isComplete())
    return true;
  // Some time before the others come.
  return core.isSeeded() && core.hurry() == CoreContext::Hurry::any &&
         mayReadAlone(*transfer.peer);
}

bool TransferQueues::mayReadAlone(const PeerOp &op) {
  return !op.isRead && !op.metadata;
}

void TransferQueues::noteMove(const IssuedTransfer &transfer) {
  core.order = noteInOrder(
      core.order, std::uint64_t{transfer.index} << 8 | std::uint64_t{0x80} |
                      static_cast<std::uint64_t>(transfer.engine));
}

Progress TransferQueues::move(IssuedTransfer &transfer) {
  if (transfer.peer)
    return moveMember(transfer);
  indexedPlaces.resolve(transfer.accesses, core.team.memory, transfer.engine);
  const std::vector<PlacedAccess> accesses = std::move(transfer.accesses);
  std::vector<Event> writers;
  if (core.checker && core.options.findNaN)
    writers = core.checker->writersOfReads(accesses);
  if (core.checker &&
      (core.fault = core.checker->access(transfer.check, accesses)))
    return Progress::halted;
  noteMove(transfer);
  transfer.moved = true;
  return core.watched(
      accesses, writers, transfer.engine, transfer.index, nullptr, [&] {
        if (const auto wrong = core.team.transfer(transfer.views))
          return core.fail(FaultKind::outOfBounds, code::outOfBounds, *wrong,
                           transfer.engine, transfer.index);
        return Progress::stepped;
      });
}

Progress TransferQueues::moveMember(IssuedTransfer &transfer) {
  const std::shared_ptr<CoreMeeting> meeting = transfer.meeting;
  if (!meeting->isComplete())
    return readSources(transfer);
  if (!transfer.peer->isMade &&
      makeJointTransfer(core, *meeting) == Progress::halted)
    return Progress::halted;
  if (core.isSeeded() && core.hurry() != CoreContext::Hurry::early)
    return writeTargets(transfer);
  for (const std::optional<Arrival> &who : meeting->members)
    if (who->queues->writeTargets(*who->transfer) == Progress::halted)
      return core.haltedBy(*who->core);
  return Progress::stepped;
}

Progress TransferQueues::readSources(IssuedTransfer &transfer) {
  PeerOp &op = *transfer.peer;
  if (op.isRead)
    return Progress::stepped;
  if (core.checker &&
      (core.fault = core.checker->access(transfer.check, op.reads)))
    return Progress::halted;
  op.clean =
      core.options.findNaN && !findNaN(op.reads, false, core.team.memory);
  takeSources(op);
  op.isRead = true;
  return Progress::stepped;
}

Progress TransferQueues::writeTargets(IssuedTransfer &transfer) {
  PeerOp &op = *transfer.peer;
  if (core.checker &&
      (core.fault = core.checker->access(transfer.check, op.writes)))
    return Progress::halted;
  noteMove(transfer);
  transfer.moved = true;
  land(op);
  if (core.book)
    core.book->received(transfer.engine, transfer.index, op.writes);
  if (op.clean && findNaN(op.writes, true, core.team.memory))
    return core.fail(FaultKind::notANumber, code::notANumber,
                     "makes a NaN from operands that hold none on any rank",
                     transfer.engine, transfer.index);
  if (core.watchedRange && writesInto(op.writes, *core.watchedRange))
    return core.stop(transfer.engine, transfer.index);
  return Progress::stepped;
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

Progress TransferQueues::drain(unsigned queue) {
  while (!queues[queue].empty() && queues[queue].front().moved)
    if (complete(queue) == Progress::halted)
      return Progress::halted;
  return Progress::stepped;
}

bool TransferQueues::drainJoined(Progress &progress) {
  bool helped = false;
  for (unsigned q = 0; q < isa::dmaQueues && joined != 0; ++q) {
    const std::size_t before = queues[q].size();
    progress = drain(q);
    if (progress == Progress::halted)
      return helped;
    helped |= queues[q].size() < before;
  }
  return helped;
}

Progress TransferQueues::advance(unsigned queue) {
  Queue &waiting = queues[queue];
  if (waiting.empty())
    return Progress::blocked;
  if (waiting.front().moved)
    return complete(queue);
  // Transfers of one queue complete in order but may move data in any.
  IssuedTransfer &transfer = waiting[core.random() % waiting.size()];
  if (!transfer.moved && canMove(transfer))
    return move(transfer);
  for (IssuedTransfer &other : waiting)
    if (!other.moved && canMove(other))
      return move(other);
  return Progress::blocked;
}

void TransferQueues::flush() {
  for (unsigned queue = 0; queue < isa::dmaQueues; ++queue) {
    for (IssuedTransfer &transfer : queues[queue])
      if (!transfer.moved && canMove(transfer))
        (void)move(transfer);
    (void)drain(queue);
  }
}

Progress TransferQueues::complete(unsigned queue) {
  const IssuedTransfer transfer = std::move(queues[queue].front());
  queues[queue].pop_front();
  joined -= transfer.peer ? 1 : 0;
  if (core.checker)
    core.checker->completeTransfer(transfer.check);
  return core.signal(transfer.engine, transfer.index, &transfer.check);
}

} // namespace kiln::sim
