//===- Deadlock.cpp - Who waits for whom ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Deadlock.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

bool signals(const isa::Instruction &instruction, unsigned semaphore) {
  return std::any_of(instruction.signals.begin(), instruction.signals.end(),
                     [&](const isa::Signal &signal) {
                       return signal.semaphore == semaphore && signal.value > 0;
                     });
}

/// An instruction that may still run and is `wanted`: ahead of the head, or
/// earlier in a loop around it.
template <class Wanted>
std::optional<std::uint32_t>
findAhead(const StreamPlan &plan, const StreamCursor &cursor, Wanted &&wanted) {
  if (cursor.atEnd())
    return std::nullopt;
  const auto instructions = plan.instructions();
  const std::uint32_t head = cursor.index();
  for (std::uint32_t i = head; i < instructions.size(); ++i)
    if (wanted(instructions[i]))
      return i;
  for (std::uint32_t i = 0; i < head; ++i)
    if (isa::isLoop(instructions[i].body) && plan.partner(i) >= head)
      for (std::uint32_t j = i + 1; j < head; ++j)
        if (wanted(instructions[j]))
          return j;
  return std::nullopt;
}

} // namespace

std::optional<std::uint32_t> Scheduler::futureSignal(isa::Engine engine,
                                                     unsigned semaphore) const {
  const auto e = static_cast<std::size_t>(engine);
  return findAhead(streams[e].plan, cursors[e],
                   [&](const isa::Instruction &instruction) {
                     return signals(instruction, semaphore);
                   });
}

void DeadlockReport::follow(Wait &wait, const CoreMeetings::Meeting &meeting,
                            const PeerGroup &group) const {
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    if (meeting.members[m])
      continue;
    const std::size_t number = group.numberOf(m, coresOfRank);
    const Scheduler &core = *cores[number];
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      const auto index = findAhead(core.streams[e].plan, core.cursors[e],
                                   [&](const isa::Instruction &instruction) {
                                     const auto its =
                                         peerGroupOf(instruction.body, core.id);
                                     return its && its->key == group.key;
                                   });
      if (!index)
        continue;
      wait.text +=
          " for " + nameOf(core.party(static_cast<isa::Engine>(e), *index));
      wait.next = Place{number, e};
      return;
    }
    wait.text +=
        fmt::format(" for {}, which has no counterpart left; all participants "
                    "must run the same of these, in the same order",
                    nameOf(core.id));
    return;
  }
}

DeadlockReport::Wait DeadlockReport::waitForToken(const Place &place,
                                                  const isa::Wait &wait) const {
  const Scheduler &core = *cores[place.core];
  const unsigned semaphore = wait.semaphore % isa::numSemaphores;
  Wait result;
  result.text = fmt::format("semaphore {}, which holds {} of {}", semaphore,
                            core.semaphores[semaphore], wait.value);
  // A transfer is under way that would signal it: it waits for its peers.
  for (const auto &queue : core.queues)
    for (const IssuedTransfer &transfer : queue) {
      const auto stream = static_cast<std::size_t>(transfer.engine);
      if (!signals(core.module.streams[stream][transfer.index], semaphore))
        continue;
      const IssuedTransfer &first = queue.front();
      result.text +=
          fmt::format(" and which {} would signal",
                      nameOf(core.party(transfer.engine, transfer.index)));
      if (&first != &transfer)
        result.text +=
            ", behind " + nameOf(core.party(first.engine, first.index));
      result.text += " that waits";
      const auto meeting = core.pending.find(&first);
      if (meeting != core.pending.end())
        follow(result, *meeting->second, *first.peer);
      return result;
    }
  std::uint32_t index = 0;
  for (std::size_t g = 0; g < isa::numEngines; ++g)
    if (const auto found =
            core.futureSignal(static_cast<isa::Engine>(g), semaphore)) {
      // Prefer another stream: that is where the user should look.
      if (result.next && g == place.engine)
        continue;
      result.next = Place{place.core, g};
      index = *found;
    }
  result.text +=
      result.next
          ? fmt::format(
                " and which only {} would signal",
                nameOf(core.party(static_cast<isa::Engine>(result.next->engine),
                                  index)))
          : " and which nothing that is left signals";
  return result;
}

std::optional<DeadlockReport::Wait>
DeadlockReport::waitOf(const Place &place) const {
  const Scheduler &core = *cores[place.core];
  const StreamCursor &cursor = core.cursors[place.engine];
  if (cursor.atEnd())
    return std::nullopt;
  if (const auto &meeting = core.barriers[place.engine]) {
    Wait wait;
    follow(wait, *meeting, *peerGroupOf(cursor.head().body, core.id));
    return wait;
  }
  if (const isa::Wait *wait = core.unmetWait(cursor.head())) {
    Wait result = waitForToken(place, *wait);
    result.text = " for " + result.text;
    return result;
  }
  return std::nullopt;
}

Fault DeadlockReport::make() const {
  // Follow the givers from the first blocked stream until one repeats; a
  // stream that nobody can wake ends the walk and is itself the cause.
  Place at;
  std::optional<Wait> wait;
  for (; at.core < cores.size() && !wait; ++at.core)
    for (at.engine = 0; at.engine < isa::numEngines; ++at.engine)
      if ((wait = waitOf(at)))
        break;
  at.core -= wait ? 1 : 0;
  std::vector<Place> path;
  std::vector<Wait> waits;
  while (wait && std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    waits.push_back(*wait);
    if (!wait->next)
      break;
    at = *wait->next;
    wait = waitOf(at);
  }
  std::size_t first = 0;
  if (!path.empty() && waits.back().next)
    first = static_cast<std::size_t>(std::find(path.begin(), path.end(), at) -
                                     path.begin());
  else if (!path.empty())
    first = path.size() - 1;
  if (first == path.size())
    first = 0;

  Fault result = makeFault(FaultKind::deadlock, code::deadlock,
                           "every stream waits, so none can continue: ");
  std::string separator;
  for (std::size_t i = first; i < path.size(); ++i) {
    const Scheduler &core = *cores[path[i].core];
    const FaultParty self = core.party(static_cast<isa::Engine>(path[i].engine),
                                       core.cursors[path[i].engine].index());
    result.text += separator + nameOf(self) + " waits" + waits[i].text;
    result.parties.push_back(self);
    separator = "; ";
  }
  // A transfer may be left over though every stream has ended.
  for (std::size_t c = 0; c < cores.size() && path.empty(); ++c)
    for (const auto &[transfer, meeting] : cores[c]->pending) {
      if (meeting->isComplete())
        continue;
      const FaultParty self =
          cores[c]->party(transfer->engine, transfer->index);
      Wait rest;
      follow(rest, *meeting, *transfer->peer);
      result.text += nameOf(self) + " waits" + rest.text;
      result.parties.push_back(self);
      return result;
    }
  return result;
}

Fault Scheduler::describeLeftTokens(unsigned semaphore) const {
  Fault result = makeFault(
      FaultKind::semaphore, code::tokensLeft,
      fmt::format("semaphore {}{} holds {} at the end, not 0; every token that "
                  "is signalled must be taken by a wait",
                  semaphore, nameOf(id).empty() ? "" : " of " + nameOf(id),
                  semaphores[semaphore]));
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    const auto &instructions = module.streams[e];
    for (std::uint32_t i = 0; i < instructions.size(); ++i)
      if (signals(instructions[i], semaphore)) {
        result.parties.push_back(party(static_cast<isa::Engine>(e), i));
        return result;
      }
  }
  return result;
}

} // namespace kiln::sim
