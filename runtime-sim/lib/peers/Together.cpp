//===- Together.cpp - A transfer moves with those of its peers ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A member of a meeting reads its sources at one moment after its issue, and
// writes its destinations at one moment before its end; all have come and have
// read before the first one writes. The fixed order, and seeds that hurry,
// write all of them when the last one comes; other seeds let every member take
// its time.
//
//===----------------------------------------------------------------------===//

#include "../Inspect.h"
#include "../Scheduler.h"

namespace kiln::sim {

bool Scheduler::canMove(const Transfer &transfer) const {
  if (!transfer.peer || pending.at(&transfer)->isComplete())
    return true;
  // Some time before the others come.
  return options.interleaveSeed != 0 && hurry() == Hurry::any &&
         mayReadAlone(*transfer.peer);
}

bool Scheduler::mayReadAlone(const PeerOp &op) {
  return !op.isRead && !op.metadata;
}

/// Takes over what ended the work of another core on behalf of this one.
Scheduler::Outcome Scheduler::haltedBy(Scheduler &other) {
  if (&other != this) {
    fault = std::exchange(other.fault, std::nullopt);
    stopped = std::exchange(other.stopped, std::nullopt);
  }
  return Outcome::halted;
}

Scheduler::Outcome Scheduler::moveMember(Transfer &transfer) {
  const Meeting meeting = pending.at(&transfer);
  if (!meeting->isComplete())
    return readSources(transfer);
  if (!transfer.peer->isMade && makeTogether(*meeting) == Outcome::halted)
    return Outcome::halted;
  if (options.interleaveSeed != 0 && hurry() != Hurry::early)
    return writeTargets(transfer);
  for (const std::optional<Arrival> &who : meeting->members)
    if (who->core->writeTargets(*who->transfer) == Outcome::halted)
      return haltedBy(*who->core);
  return Outcome::stepped;
}

Scheduler::Outcome Scheduler::readSources(Transfer &transfer) {
  PeerOp &op = *transfer.peer;
  if (op.isRead)
    return Outcome::stepped;
  if (checker && (fault = checker->access(transfer.check, op.reads)))
    return Outcome::halted;
  op.clean = options.findNaN && !findNaN(op.reads, false, team.memory);
  takeSources(op);
  op.isRead = true;
  return Outcome::stepped;
}

/// Everybody reads what has not been read, and gets what it will write.
Scheduler::Outcome Scheduler::makeTogether(CoreMeetings::Meeting &meeting) {
  std::vector<PeerOp *> members;
  for (const std::optional<Arrival> &who : meeting.members)
    members.push_back(who->transfer->peer.get());
  std::vector<CountedPiece> pieces;
  if (members.front()->metadata)
    if (readMetadata(meeting, members, pieces) == Outcome::halted)
      return Outcome::halted;
  bool clean = true;
  for (const std::optional<Arrival> &who : meeting.members) {
    if (who->core->readSources(*who->transfer) == Outcome::halted)
      return haltedBy(*who->core);
    clean &= who->transfer->peer->clean;
  }
  if (checker)
    shareKnowledge(meeting, members.front()->key.kind == PeerKey::Kind::pipe);
  const Transfer &first = *meeting.members.front()->transfer;
  Converter converter(kernels(), options.numerics);
  converter.begin(static_cast<std::uint64_t>(first.engine), first.views.serial);
  makeLandings(members, pieces, kernels(), converter);
  for (PeerOp *member : members) {
    member->isMade = true;
    member->clean = clean;
  }
  return Outcome::stepped;
}

Scheduler::Outcome Scheduler::readMetadata(CoreMeetings::Meeting &meeting,
                                           std::span<PeerOp *const> members,
                                           std::vector<CountedPiece> &pieces) {
  for (std::optional<Arrival> &who : meeting.members) {
    const Transfer &transfer = *who->transfer;
    if (Checker *const its = who->core->checker)
      if ((fault =
               its->access(transfer.check,
                           metadataReads(*transfer.peer, transfer.accesses))))
        return Outcome::halted;
  }
  if (const auto wrong = findPieces(members, pieces)) {
    Arrival &who = *meeting.members[wrong->member];
    who.core->fail(FaultKind::metadata, code::metadata, wrong->text, who.engine,
                   who.index);
    return haltedBy(*who.core);
  }
  for (std::size_t m = 0; m < members.size(); ++m)
    setCountedAccesses(*members[m], m, pieces,
                       meeting.members[m]->transfer->accesses);
  for (const CountedPiece &piece : pieces) {
    const Arrival &who = *meeting.members[piece.from];
    who.core->sentCounts[static_cast<std::size_t>(who.engine)]
                        [members[piece.from]->record][piece.to] =
        static_cast<std::uint32_t>(piece.count);
  }
  return Outcome::stepped;
}

/// Who waits for the end of one knows what all members knew when they came.
void Scheduler::shareKnowledge(CoreMeetings::Meeting &meeting,
                               bool withinRank) {
  Knowledge all;
  std::vector<RankClocks::Member> members;
  for (const std::optional<Arrival> &who : meeting.members) {
    if (withinRank)
      all.join(who->knows);
    else
      members.push_back({who->core->id.rank, &who->knows});
  }
  if (!withinRank)
    all.ranks = RankClocks::meet(members);
  for (std::optional<Arrival> &who : meeting.members) {
    Knowledge &met = who->transfer->check.met;
    met = all;
    if (!withinRank)
      met.own = *all.ranks.of(who->core->id.rank);
  }
}

Scheduler::Outcome Scheduler::writeTargets(Transfer &transfer) {
  PeerOp &op = *transfer.peer;
  if (checker && (fault = checker->access(transfer.check, op.writes)))
    return Outcome::halted;
  noteMove(transfer);
  transfer.moved = true;
  land(op);
  if (op.clean && findNaN(op.writes, true, team.memory))
    return fail(FaultKind::notANumber, code::notANumber,
                "makes a NaN from operands that hold none on any rank",
                transfer.engine, transfer.index);
  if (watchedRange && writesInto(op.writes, *watchedRange)) {
    stopped = party(transfer.engine, transfer.index);
    return Outcome::halted;
  }
  return Outcome::stepped;
}

} // namespace kiln::sim
