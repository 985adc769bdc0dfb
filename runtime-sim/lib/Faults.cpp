//===- Faults.cpp - Building reports --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include "kiln/isa/assembly.h"
#include "kiln/isa/callers.h"

#include <fmt/format.h>

namespace kiln::sim {

namespace {

std::string coreName(std::optional<unsigned> rank,
                     std::optional<unsigned> core) {
  std::string text;
  if (rank)
    text = fmt::format("rank {}", *rank);
  if (core)
    text += fmt::format("{}core {}", text.empty() ? "" : " ", *core);
  return text;
}

} // namespace

std::string nameOf(const CoreId &id) {
  return coreName(id.severalRanks ? std::optional(id.rank) : std::nullopt,
                  id.severalCores ? std::optional(id.core) : std::nullopt);
}

FaultParty partyOf(const isa::Module &module, isa::Engine engine,
                   std::uint32_t index, const CoreId &core) {
  FaultParty party;
  party.engine = engine;
  party.index = index;
  if (core.severalRanks)
    party.rank = core.rank;
  if (core.severalCores)
    party.core = core.core;
  const auto &stream = module.streams[static_cast<std::size_t>(engine)];
  if (index < stream.size()) {
    const isa::Instruction &instruction = stream[index];
    party.instruction = isa::printInstruction(instruction, module);
    if (instruction.location < module.locations.size())
      party.location = module.locations[instruction.location];
    for (const std::uint32_t call :
         isa::Callers(module).of(instruction.location))
      party.callers.push_back(module.locations[call]);
  }
  return party;
}

/// "rank 1 core 0 vector #12".
static std::string roleOf(const FaultParty &party) {
  std::string text = coreName(party.rank, party.core);
  if (!text.empty())
    text += ' ';
  return text + fmt::format("{} #{}", isa::name(party.engine), party.index);
}

void involve(Fault &fault, FaultParty party) {
  const isa::SourceLocation &place = party.location;
  fault.parties.push_back(
      {roleOf(party), party.instruction, place.file, place.line, place.column});
  for (const isa::SourceLocation &call : party.callers)
    fault.parties.push_back({"called here", "", call.file, call.line});
  if (fault.instructions.empty()) {
    fault.file = place.file;
    fault.line = place.line;
    fault.column = place.column;
  }
  fault.instructions.push_back(std::move(party));
}

std::string nameOf(const FaultParty &party) {
  std::string text = coreName(party.rank, party.core);
  if (!text.empty())
    text += ' ';
  text +=
      fmt::format("{} instruction {}", isa::name(party.engine), party.index);
  if (!party.location.file.empty())
    text += fmt::format(" ({}:{})", party.location.file, party.location.line);
  return text;
}

std::string nameOfBuffer(const isa::Module &module, unsigned buffer) {
  std::string name = fmt::format("buffer {}", buffer);
  const std::uint32_t location = module.buffers[buffer];
  if (location == 0)
    return name;
  const isa::SourceLocation &place = module.locations[location];
  return name + fmt::format(" ({}:{}{}{})", place.file, place.line,
                            place.name.empty() ? "" : " ", place.name);
}

} // namespace kiln::sim
