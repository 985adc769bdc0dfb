//===- Labels.cpp - What a trace says about an instruction ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"

#include "kiln/isa/info.h"

#include <fmt/format.h>

namespace kiln::profile {

const isa::SourceLocation &placeOf(const isa::Instruction &instruction,
                                   const isa::Module &module) {
  static const isa::SourceLocation unknown;
  return instruction.location < module.locations.size()
             ? module.locations[instruction.location]
             : unknown;
}

std::string labelOf(const isa::Instruction &instruction,
                    const isa::Module &module) {
  const isa::SourceLocation &place = placeOf(instruction, module);
  return place.name.empty()
             ? std::string(isa::mnemonic(opcode(instruction.body)))
             : place.name;
}

std::string sourceOf(const isa::Instruction &instruction,
                     const isa::Module &module) {
  const isa::SourceLocation &place = placeOf(instruction, module);
  return place.file.empty() ? std::string()
                            : fmt::format("{}:{}", place.file, place.line);
}

std::string trackName(unsigned track) {
  static constexpr std::string_view engines[isa::numEngines] = {
      "TensorE", "VectorE", "ScalarE", "GpSimdE", "SyncE"};
  if (track == sim::weightsTrack)
    return "TensorE loads";
  return track < isa::numEngines
             ? std::string(engines[track])
             : fmt::format("DMA queue {}", track - isa::numEngines);
}

std::string_view nameOf(sim::StallReason reason) {
  return sim::stallReasonNames[static_cast<std::size_t>(reason)];
}

std::string placeText(const isa::Module &module, unsigned engine,
                      std::uint32_t index) {
  if (engine >= isa::numEngines || index >= module.streams[engine].size())
    return "end";
  const isa::Instruction &instruction = module.streams[engine][index];
  const std::string source = sourceOf(instruction, module);
  return labelOf(instruction, module) + (source.empty() ? "" : " " + source);
}

std::string producerText(const sim::TraceWait &wait, const isa::Module &own,
                         std::span<const isa::Module> modules) {
  const sim::Producer &producer = wait.producer;
  if (producer.engine == sim::Producer::nobody)
    return {};
  if (producer.core == sim::Producer::sameCore)
    return placeText(own, producer.engine, producer.index);
  const std::size_t core = producer.core % modules.size();
  return fmt::format("rank {}{} at {}", producer.core / modules.size(),
                     modules.size() > 1 ? fmt::format(" core {}", core)
                                        : std::string(),
                     placeText(modules[core], producer.engine, producer.index));
}

const isa::Instruction *instructionOf(const sim::TraceEvent &event,
                                      const isa::Module &module) {
  if (event.engine >= isa::numEngines ||
      event.index >= module.streams[event.engine].size())
    return nullptr;
  return &module.streams[event.engine][event.index];
}

std::vector<std::pair<std::string, std::string>>
parametersOf(const isa::Module &module) {
  std::vector<std::pair<std::string, std::string>> parameters;
  constexpr std::string_view prefix = "param.";
  for (const auto &[name, value] : module.facts)
    if (name.starts_with(prefix))
      parameters.emplace_back(name.substr(prefix.size()), value);
  return parameters;
}

} // namespace kiln::profile
