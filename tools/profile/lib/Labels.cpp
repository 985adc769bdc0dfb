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

namespace {

/// Length of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

} // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    const char c = text.front();
    if (length == 0)
      out += '?';
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == '<')
      // '<' too, so that no string can end a script element.
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out += '"';
}

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

} // namespace kiln::profile
