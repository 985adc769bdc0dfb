//===- CoreContext.cpp - What the parts of a core share -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreContext.h"

#include "Inspect.h"

#include "kiln/isa/split_mix.h"

#include <fmt/format.h>

#include <utility>

namespace kiln::sim {

CoreContext::CoreContext(const CoreSeat &seat, const Options &options,
                         const Inspection &inspection)
    : id(seat.id), module(seat.rank.module(seat.id.core)),
      streams(seat.rank.cores[seat.id.core].streams), options(options),
      inspection(inspection), team(seat.team), checker(seat.checker),
      rendezvous(seat.rendezvous), randomState(options.interleaveSeed),
      watchedRange(inspection.onWrite) {
  // Other cores draw other numbers; the first one those of a run alone.
  randomState ^=
      (std::uint64_t{id.rank} << 40) ^ (std::uint64_t{id.core} << 32);
  if (options.values)
    book.emplace(module, team.memory);
}

std::uint64_t CoreContext::random() { return isa::splitMix(randomState); }

Progress CoreContext::fail(FaultKind kind, const char *code,
                           const std::string &what, isa::Engine engine,
                           std::uint32_t index) {
  const FaultParty self = party(engine, index);
  fault = makeFault(kind, code, nameOf(self) + " " + what);
  involve(*fault, self);
  return Progress::halted;
}

Progress CoreContext::disagree(const Arrival &other, const std::string &how,
                               isa::Engine engine, std::uint32_t index) {
  const FaultParty there = other.core->party(other.engine, other.index);
  const Progress halted =
      fail(FaultKind::mismatch, code::mismatch,
           fmt::format("meets {}, but they do not match: {}; all participating "
                       "cores and ranks must do the same, in the same order",
                       nameOf(there), how),
           engine, index);
  involve(*fault, there);
  return halted;
}

Progress CoreContext::haltedBy(CoreContext &other) {
  if (&other != this) {
    fault = std::exchange(other.fault, std::nullopt);
    stopped = std::exchange(other.stopped, std::nullopt);
  }
  return Progress::halted;
}

Progress CoreContext::signal(isa::Engine engine, std::uint32_t index,
                             const Checker::Transfer *transfer) {
  for (const isa::Signal &give : instruction(engine, index).signals) {
    const unsigned semaphore = Semaphores::number(give.semaphore);
    semaphores.give(give);
    if (semaphores[semaphore] > isa::maxTokens)
      return fail(
          FaultKind::semaphore, code::overflow,
          fmt::format("raises semaphore {} to <|{}|>, more than [|{}|]; "
                      "consume its tokens with waits",
                      semaphore, semaphores[semaphore], isa::maxTokens),
          engine, index);
    if (checker && transfer)
      checker->signalTransfer(*transfer, semaphore, give.value);
    else if (checker)
      checker->signalInstruction(engine, semaphore, give.value);
  }
  return Progress::stepped;
}

bool CoreContext::holdsNoNaN(const std::vector<PlacedAccess> &accesses) {
  return !findNaN(accesses, false, team.memory);
}

Progress CoreContext::inspect(const std::vector<PlacedAccess> &accesses,
                              bool wasClean, const std::vector<Event> &writers,
                              isa::Engine engine, std::uint32_t index) {
  if (options.findNaN)
    team.settle();
  if (wasClean)
    if (const auto place = findNaN(accesses, true, team.memory)) {
      const Progress halted = fail(
          FaultKind::notANumber, code::notANumber,
          fmt::format("makes a NaN (element {} of lane {} of {}) from operands "
                      "that hold none; show its operands with "
                      "'--break' and '--dump'",
                      place->element, place->lane, place->access->operand.name),
          engine, index);
      for (const Event &writer : writers)
        involve(*fault,
                party(static_cast<isa::Engine>(writer.engine), writer.index));
      return halted;
    }
  if (watchedRange && writesInto(accesses, *watchedRange))
    return stop(engine, index);
  return Progress::stepped;
}

} // namespace kiln::sim
