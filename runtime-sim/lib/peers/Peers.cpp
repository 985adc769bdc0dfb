//===- Peers.cpp - A core meets others ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Inspect.h"
#include "../Scheduler.h"

#include <fmt/format.h>

namespace kiln::sim {

bool Scheduler::canMove(const Transfer &transfer) const {
  if (!transfer.peer)
    return true;
  return pending.at(&transfer)->isComplete();
}

Scheduler::Outcome Scheduler::disagree(const Arrival &other,
                                       const std::string &how,
                                       isa::Engine engine,
                                       std::uint32_t index) {
  const FaultParty there = other.core->party(other.engine, other.index);
  const Outcome halted =
      fail(FaultKind::mismatch, code::mismatch,
           fmt::format("meets {}, but they do not match: {}; let all cores and "
                       "ranks that take part do the same in the same order",
                       nameOf(there), how),
           engine, index);
  fault->parties.push_back(there);
  return halted;
}

Scheduler::Outcome Scheduler::join(Transfer &transfer) {
  const auto &stream =
      module.streams[static_cast<std::size_t>(transfer.engine)];
  auto op = makePeerOp(stream[transfer.index].body, id, transfer.accesses,
                       team.memory);
  if (!op)
    return fail(FaultKind::mismatch, code::mismatch, op.error().text,
                transfer.engine, transfer.index);
  transfer.peer = std::make_unique<PeerOp>(std::move(*op));
  const PeerOp &mine = *transfer.peer;
  const Meeting meeting =
      meetings.next(mine.key, mine.self, mine.members.size());
  for (const std::optional<Arrival> &other : meeting->members)
    if (other)
      if (const auto how = disagreement(*other->transfer->peer, mine))
        return disagree(*other, *how, transfer.engine, transfer.index);
  Arrival arrival{this, &transfer, transfer.engine, transfer.index, {}};
  if (checker)
    arrival.knows = transfer.check.knows;
  CoreMeetings::arrive(*meeting, mine.self, std::move(arrival));
  pending[&transfer] = meeting;
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

/// Every member makes its own accesses, as its own transfer; then the values
/// move, of all at once.
Scheduler::Outcome Scheduler::moveTogether(CoreMeetings::Meeting &meeting) {
  std::vector<PeerOp *> members;
  std::vector<std::vector<PlacedAccess> *> accesses;
  const auto refuse = [&](std::optional<Fault> found) {
    fault = std::move(found);
    return Outcome::halted;
  };
  for (std::optional<Arrival> &who : meeting.members) {
    Transfer &transfer = *who->transfer;
    members.push_back(transfer.peer.get());
    accesses.push_back(&transfer.accesses);
    if (Checker *const its = who->core->checker)
      if (auto found = its->access(
              transfer.check, metadataReads(*transfer.peer, transfer.accesses)))
        return refuse(std::move(found));
  }
  if (const auto wrong = narrowAccesses(members, accesses)) {
    Arrival &who = *meeting.members[wrong->member];
    who.core->fail(FaultKind::metadata, code::metadata, wrong->text, who.engine,
                   who.index);
    return refuse(std::exchange(who.core->fault, std::nullopt));
  }
  bool clean = options.findNaN;
  for (std::optional<Arrival> &who : meeting.members) {
    Transfer &transfer = *who->transfer;
    clean = clean && !findNaN(transfer.accesses, false, who->core->team.memory);
    if (Checker *const its = who->core->checker)
      if (auto found = its->access(transfer.check, transfer.accesses))
        return refuse(std::move(found));
    transfer.moved = true;
  }
  if (checker)
    shareKnowledge(meeting, members.front()->key.kind == PeerKey::Kind::pipe);
  const Transfer &first = *meeting.members.front()->transfer;
  Converter converter(kernels(), options.numerics);
  converter.begin(static_cast<std::uint64_t>(first.engine), first.views.serial);
  exchange(members, kernels(), converter);
  for (std::optional<Arrival> &who : meeting.members) {
    const std::vector<PlacedAccess> &made = who->transfer->accesses;
    if (clean && findNaN(made, true, who->core->team.memory)) {
      who->core->fail(FaultKind::notANumber, code::notANumber,
                      "makes a NaN from operands that hold none on any rank",
                      who->engine, who->index);
      return refuse(std::exchange(who->core->fault, std::nullopt));
    }
    if (who->core->watchedRange && writesInto(made, *who->core->watchedRange)) {
      stopped = who->core->party(who->engine, who->index);
      return Outcome::halted;
    }
  }
  return Outcome::stepped;
}

Scheduler::Outcome Scheduler::meetAtBarrier(isa::Engine engine) {
  const auto e = static_cast<std::size_t>(engine);
  StreamCursor &cursor = cursors[e];
  const std::uint32_t index = cursor.index();
  const isa::Instruction &head = cursor.head();
  Meeting &meeting = barriers[e];
  if (!meeting) {
    if (!id.severalCores)
      return fail(FaultKind::mismatch, code::mismatch,
                  "waits for core 1, but the launch has one core a rank; "
                  "compile the kernel for two cores",
                  engine, index);
    const auto &barrier = std::get<isa::CoreBarrier>(head.body);
    meeting = meetings.next({PeerKey::Kind::barrier, id.rank, {}}, id.core, 2);
    if (const auto &other = meeting->members[1 - id.core]) {
      const auto &its = std::get<isa::CoreBarrier>(
          other->core->streams[static_cast<std::size_t>(other->engine)]
              .plan.instructions()[other->index]
              .body);
      const std::string &mine = module.tensors[barrier.data.tensor].name;
      const std::string &theirs =
          other->core->module.tensors[its.data.tensor].name;
      if (mine != theirs)
        return disagree(*other,
                        fmt::format("the data of one is {}, of the other {}, "
                                    "so the cores have gone different ways",
                                    mine, theirs),
                        engine, index);
    }
    Arrival arrival{this, nullptr, engine, index, {}};
    if (checker) {
      checker->beginInstruction(engine, index);
      arrival.knows = checker->knowledge(engine);
    }
    CoreMeetings::arrive(*meeting, id.core, std::move(arrival));
    if (!meeting->isComplete())
      return Outcome::stepped;
  }
  if (!meeting->isComplete())
    return Outcome::blocked;
  if (checker)
    checker->learn(engine, meeting->members[1 - id.core]->knows);
  meeting.reset();
  if (!cursor.advance())
    return fail(FaultKind::undefinedState, code::undefined,
                "cannot run: " + *cursor.error(), engine, index);
  return signal(head, engine, index, nullptr);
}

} // namespace kiln::sim
