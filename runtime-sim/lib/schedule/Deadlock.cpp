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

/// Where a stream may yet signal the semaphore.
std::optional<std::uint32_t> futureSignal(const Scheduler &scheduler,
                                          isa::Engine engine,
                                          unsigned semaphore) {
  const auto e = static_cast<std::size_t>(engine);
  return findAhead(scheduler.core.streams[e].plan, scheduler.cursor(engine),
                   [&](const isa::Instruction &instruction) {
                     return signals(instruction, semaphore);
                   });
}

/// Follows the waits of the cores of a launch.
class Report {
public:
  Report(std::span<const Scheduler *const> cores, unsigned coresOfRank)
      : cores(cores), coresOfRank(coresOfRank) {}

  Fault make() const;

private:
  /// A stream of a core.
  struct Place {
    std::size_t core = 0;
    std::size_t engine = 0;
    bool operator==(const Place &) const = default;
  };
  /// What its head waits for, and which stream could end the wait.
  struct Wait {
    std::string text;
    std::optional<Place> next;
  };
  std::optional<Wait> waitOf(const Place &place) const;
  Wait waitForToken(const Place &place, const isa::Wait &wait) const;
  /// The members that have not arrived at a meeting; continues the text.
  void follow(Wait &wait, const CoreMeeting &meeting,
              const PeerGroup &group) const;

  std::span<const Scheduler *const> cores;
  unsigned coresOfRank;
};

void Report::follow(Wait &wait, const CoreMeeting &meeting,
                    const PeerGroup &group) const {
  const std::size_t number =
      group.numberOf(meeting.firstMissing(), coresOfRank);
  const CoreContext &core = cores[number]->core;
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    const auto engine = static_cast<isa::Engine>(e);
    const auto index =
        findAhead(core.streams[e].plan, cores[number]->cursor(engine),
                  [&](const isa::Instruction &instruction) {
                    const auto its = peerGroupOf(instruction.body, core.id);
                    return its && its->key == group.key;
                  });
    if (!index)
      continue;
    wait.text += " for " + nameOf(core.party(engine, *index));
    wait.next = Place{number, e};
    return;
  }
  wait.text +=
      fmt::format(" for {}, which has no counterpart left; all participants "
                  "must run the same operations, in the same order",
                  nameOf(core.id));
}

Report::Wait Report::waitForToken(const Place &place,
                                  const isa::Wait &wait) const {
  const Scheduler &scheduler = *cores[place.core];
  const CoreContext &core = scheduler.core;
  const unsigned semaphore = wait.semaphore % isa::numSemaphores;
  Wait result;
  result.text = fmt::format("semaphore {}, which holds {} of {}", semaphore,
                            core.semaphores[semaphore], wait.value);
  // A transfer is under way that would signal it: it waits for its peers.
  for (const auto &queue : scheduler.transfers().all())
    for (const IssuedTransfer &transfer : queue) {
      if (!signals(core.instruction(transfer.engine, transfer.index),
                   semaphore))
        continue;
      const IssuedTransfer &first = queue.front();
      result.text +=
          fmt::format(" and which {} would signal",
                      nameOf(core.party(transfer.engine, transfer.index)));
      if (&first != &transfer)
        result.text +=
            ", behind " + nameOf(core.party(first.engine, first.index));
      result.text += " that waits";
      if (first.meeting)
        follow(result, *first.meeting, *first.peer);
      return result;
    }
  std::uint32_t index = 0;
  for (std::size_t g = 0; g < isa::numEngines; ++g)
    if (const auto found =
            futureSignal(scheduler, static_cast<isa::Engine>(g), semaphore)) {
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
          : " and which no remaining instruction signals";
  return result;
}

std::optional<Report::Wait> Report::waitOf(const Place &place) const {
  const Scheduler &scheduler = *cores[place.core];
  const CoreContext &core = scheduler.core;
  const auto engine = static_cast<isa::Engine>(place.engine);
  const StreamCursor &cursor = scheduler.cursor(engine);
  if (cursor.atEnd())
    return std::nullopt;
  if (const CoreMeeting *meeting = scheduler.barrier(engine)) {
    Wait wait;
    follow(wait, *meeting, *peerGroupOf(cursor.head().body, core.id));
    return wait;
  }
  if (const isa::Wait *wait = core.semaphores.unmet(cursor.head())) {
    Wait result = waitForToken(place, *wait);
    result.text = " for " + result.text;
    return result;
  }
  return std::nullopt;
}

Fault Report::make() const {
  // Follow the producers from the first blocked stream until one repeats; a
  // stream that nothing can wake ends the walk and is itself the cause.
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
    const Scheduler &scheduler = *cores[path[i].core];
    const auto engine = static_cast<isa::Engine>(path[i].engine);
    const FaultParty self =
        scheduler.core.party(engine, scheduler.cursor(engine).index());
    result.text += separator + nameOf(self) + " waits" + waits[i].text;
    involve(result, self);
    separator = "; ";
  }
  // A transfer may be left over though every stream has ended.
  if (path.empty())
    for (const Scheduler *scheduler : cores)
      for (const auto &queue : scheduler->transfers().all())
        for (const IssuedTransfer &transfer : queue) {
          if (!transfer.meeting || transfer.meeting->isComplete())
            continue;
          const FaultParty self =
              scheduler->core.party(transfer.engine, transfer.index);
          Wait rest;
          follow(rest, *transfer.meeting, *transfer.peer);
          result.text += nameOf(self) + " waits" + rest.text;
          involve(result, self);
          return result;
        }
  return result;
}

} // namespace

Fault reportDeadlockOf(std::span<const Scheduler *const> cores,
                       unsigned coresOfRank) {
  return Report(cores, coresOfRank).make();
}

Fault describeLeftTokens(const CoreContext &core, unsigned semaphore) {
  Fault result = makeFault(
      FaultKind::semaphore, code::tokensLeft,
      fmt::format(
          "semaphore {}{} holds <|{}|> at the end, not [|0|]; every token that "
          "is signalled must be taken by a wait",
          semaphore, nameOf(core.id).empty() ? "" : " of " + nameOf(core.id),
          core.semaphores[semaphore]));
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    const auto &instructions = core.module.streams[e];
    for (std::uint32_t i = 0; i < instructions.size(); ++i)
      if (signals(instructions[i], semaphore)) {
        involve(result, core.party(static_cast<isa::Engine>(e), i));
        return result;
      }
  }
  return result;
}

} // namespace kiln::sim
