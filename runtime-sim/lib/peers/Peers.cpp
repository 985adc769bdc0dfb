//===- Peers.cpp - A core meets others ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Scheduler.h"

#include <fmt/format.h>

namespace kiln::sim {

Scheduler::Outcome Scheduler::disagree(const Arrival &other,
                                       const std::string &how,
                                       isa::Engine engine,
                                       std::uint32_t index) {
  const FaultParty there = other.core->party(other.engine, other.index);
  const Outcome halted =
      fail(FaultKind::mismatch, code::mismatch,
           fmt::format("meets {}, but they do not match: {}; all participating "
                       "cores and ranks must do the same, in the same order",
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
  if (op->metadata) {
    // What it will send is known later; others may come to know it first.
    auto &records = sentCounts[static_cast<std::size_t>(transfer.engine)];
    op->record = records.size();
    records.emplace_back(op->members.size());
  }
  transfer.peer = std::make_unique<PeerOp>(std::move(*op));
  const PeerOp &mine = *transfer.peer;
  if (checker && (fault = checker->meet(mine.key, transfer.check)))
    return Outcome::halted;
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

Scheduler::Outcome Scheduler::meetAtBarrier(isa::Engine engine) {
  const auto e = static_cast<std::size_t>(engine);
  StreamCursor &cursor = cursors[e];
  const std::uint32_t index = cursor.index();
  const isa::Instruction &head = cursor.head();
  Meeting &meeting = barriers[e];
  if (!meeting) {
    if (!id.severalCores)
      return fail(FaultKind::mismatch, code::mismatch,
                  "waits for core 1, but the launch has one core per rank; "
                  "compile the kernel for two cores",
                  engine, index);
    const auto &barrier = std::get<isa::CoreBarrier>(head.body);
    const PeerKey key{PeerKey::Kind::barrier, id.rank, {}};
    if (checker) {
      checker->beginInstruction(engine, index);
      if ((fault = checker->meet(key, engine)))
        return Outcome::halted;
    }
    meeting = meetings.next(key, id.core, 2);
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
    if (checker)
      arrival.knows = checker->knowledge(engine);
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
