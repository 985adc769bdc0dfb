//===- JointTransfer.cpp - Transfers that move together -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A member of a meeting reads its sources at one moment after its issue, and
// writes its destinations at one moment before its end; all have arrived and
// have read before the first one writes. The fixed order, and some seeds, write
// all of them when the last one arrives; other seeds let members write later,
// at different times.
//
//===----------------------------------------------------------------------===//

#include "JointTransfer.h"

#include "TransferQueues.h"

namespace kiln::sim {

namespace {

/// What the tables of a counted collective say; the pieces that they name.
Progress readMetadata(CoreContext &core, CoreMeeting &meeting,
                      std::span<PeerOp *const> members,
                      std::vector<CountedPiece> &pieces) {
  for (std::optional<Arrival> &who : meeting.members) {
    const IssuedTransfer &transfer = *who->transfer;
    if (Checker *const its = who->core->checker)
      if ((core.fault =
               its->access(transfer.check,
                           metadataReads(*transfer.peer, transfer.accesses))))
        return Progress::halted;
  }
  if (const auto wrong = findPieces(members, pieces)) {
    Arrival &who = *meeting.members[wrong->member];
    (void)who.core->fail(FaultKind::metadata, code::metadata, wrong->text,
                         who.engine, who.index);
    return core.haltedBy(*who.core);
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
  return Progress::stepped;
}

/// The end of each transfer passes on what all of them knew when they arrived.
void shareKnowledge(CoreMeeting &meeting, bool withinRank) {
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

} // namespace

Progress makeJointTransfer(CoreContext &core, CoreMeeting &meeting) {
  std::vector<PeerOp *> members;
  for (const std::optional<Arrival> &who : meeting.members)
    members.push_back(who->transfer->peer.get());
  std::vector<CountedPiece> pieces;
  if (isPreparation(*members.front()->body))
    setPreparedAccesses(*members.front(),
                        meeting.members.front()->transfer->accesses);
  else if (members.front()->metadata)
    if (readMetadata(core, meeting, members, pieces) == Progress::halted)
      return Progress::halted;
  bool clean = true;
  for (const std::optional<Arrival> &who : meeting.members) {
    if (who->queues->readSources(*who->transfer) == Progress::halted)
      return core.haltedBy(*who->core);
    clean &= who->transfer->peer->clean;
  }
  if (core.checker)
    shareKnowledge(meeting, members.front()->key.kind == PeerKey::Kind::pipe);
  const IssuedTransfer &first = *meeting.members.front()->transfer;
  Converter converter(kernels(), core.options.numerics);
  converter.begin(static_cast<std::uint64_t>(first.engine), first.views.serial);
  makeLandings(members, pieces, kernels(), converter);
  for (PeerOp *member : members) {
    member->isMade = true;
    member->clean = clean;
  }
  return Progress::stepped;
}

} // namespace kiln::sim
