//===- Faults.cpp - Building reports --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include "kiln/isa/assembly.h"

#include <fmt/format.h>

namespace kiln::sim {

FaultParty partyOf(const isa::Module &module, isa::Engine engine,
                   std::uint32_t index) {
  FaultParty party;
  party.engine = engine;
  party.index = index;
  const auto &stream = module.streams[static_cast<std::size_t>(engine)];
  if (index < stream.size()) {
    const isa::Instruction &instruction = stream[index];
    party.instruction = isa::printInstruction(instruction, module);
    if (instruction.location < module.locations.size())
      party.location = module.locations[instruction.location];
  }
  return party;
}

std::string nameOf(const FaultParty &party) {
  std::string text =
      fmt::format("{} instruction {}", isa::name(party.engine), party.index);
  if (!party.location.file.empty())
    text += fmt::format(" ({}:{})", party.location.file, party.location.line);
  return text;
}

} // namespace kiln::sim
