//===- Deadlock.cpp - Who waits for whom ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Faults.h"
#include "../Scheduler.h"

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

} // namespace

/// An instruction of `engine` that may still run and would signal: ahead of
/// the head, or earlier in a loop around it.
std::optional<std::uint32_t> Scheduler::futureSignal(isa::Engine engine,
                                                     unsigned semaphore) const {
  const Stream &stream = streams[static_cast<std::size_t>(engine)];
  if (stream.cursor.atEnd())
    return std::nullopt;
  const auto instructions = stream.plan.instructions();
  const std::uint32_t head = stream.cursor.index();
  for (std::uint32_t i = head; i < instructions.size(); ++i)
    if (signals(instructions[i], semaphore))
      return i;
  for (std::uint32_t i = 0; i < head; ++i)
    if (isa::isLoop(instructions[i].body) && stream.plan.partner(i) >= head)
      for (std::uint32_t j = i + 1; j < head; ++j)
        if (signals(instructions[j], semaphore))
          return j;
  return std::nullopt;
}

Fault Scheduler::describeDeadlock() const {
  struct Blocked {
    const isa::Wait *wait = nullptr;
    std::optional<isa::Engine> giver;
    std::uint32_t signal = 0;
  };
  std::array<Blocked, isa::numEngines> blocked;
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    if (streams[e].cursor.atEnd())
      continue;
    Blocked &entry = blocked[e];
    entry.wait = unmetWait(streams[e].cursor.head());
    for (std::size_t g = 0; g < isa::numEngines && entry.wait; ++g)
      if (const auto index = futureSignal(static_cast<isa::Engine>(g),
                                          entry.wait->semaphore)) {
        // Prefer another stream: that is where the user should look.
        if (entry.giver && g == e)
          continue;
        entry.giver = static_cast<isa::Engine>(g);
        entry.signal = *index;
      }
  }
  // Follow the givers from the first blocked stream until one repeats; a
  // stream that nobody can wake ends the walk and is itself the cause.
  std::vector<std::size_t> path;
  std::size_t at = 0;
  while (at < isa::numEngines && !blocked[at].wait)
    ++at;
  while (at < isa::numEngines &&
         std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    if (!blocked[at].giver)
      break;
    at = static_cast<std::size_t>(*blocked[at].giver);
  }
  if (!path.empty() && blocked[path.back()].giver)
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  else if (!path.empty())
    path.erase(path.begin(), path.end() - 1);

  Fault result = makeFault(FaultKind::deadlock, code::deadlock,
                           "every stream waits, so nothing can go on: ");
  std::string separator;
  for (const std::size_t e : path) {
    const Blocked &entry = blocked[e];
    const FaultParty party =
        partyOf(module, static_cast<isa::Engine>(e), streams[e].cursor.index());
    result.text += separator;
    result.text +=
        fmt::format("{} waits for semaphore {}, which holds {} of {}",
                    nameOf(party), entry.wait->semaphore,
                    semaphores[entry.wait->semaphore % isa::numSemaphores],
                    entry.wait->value);
    result.text +=
        entry.giver
            ? fmt::format(" and which only {} would signal",
                          nameOf(partyOf(module, *entry.giver, entry.signal)))
            : " and which nothing that is left signals";
    result.parties.push_back(party);
    separator = "; ";
  }
  return result;
}

Fault Scheduler::describeLeftTokens(unsigned semaphore) const {
  Fault result = makeFault(
      FaultKind::semaphore, code::tokensLeft,
      fmt::format("semaphore {} holds {} at the end, not 0; let a wait take "
                  "every token that is signalled",
                  semaphore, semaphores[semaphore]));
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    const auto &instructions = module.streams[e];
    for (std::uint32_t i = 0; i < instructions.size(); ++i)
      if (signals(instructions[i], semaphore)) {
        result.parties.push_back(
            partyOf(module, static_cast<isa::Engine>(e), i));
        return result;
      }
  }
  return result;
}

} // namespace kiln::sim
