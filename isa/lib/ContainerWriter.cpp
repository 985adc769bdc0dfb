//===- ContainerWriter.cpp - Module to .kbin ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Container.h"

#include "kiln/isa/encoding.h"

#include <map>

namespace kiln::isa {
namespace {

elf::Section named(std::string_view name) {
  elf::Section section;
  section.name = name;
  return section;
}

elf::Section writeNote(const Module &module, std::uint32_t version) {
  elf::Section section = named(noteSection);
  section.type = elf::typeNote;
  section.alignment = 4;
  std::vector<std::uint8_t> description;
  ByteWriter content(description);
  content.put(version);
  content.put(static_cast<std::uint32_t>(module.generation));
  content.put(std::uint64_t{0}); // checksum, patched at the end
  content.putString(module.kernel);
  ByteWriter writer(section.bytes);
  writer.put(std::uint32_t{5}); // length of the name with its zero
  writer.put(static_cast<std::uint32_t>(description.size()));
  writer.put(std::uint32_t{1}); // type
  for (char c : std::string_view("Kiln\0\0\0\0", 8))
    writer.put(static_cast<std::uint8_t>(c));
  writer.putBytes(description);
  writer.padTo(4);
  return section;
}

elf::Section writeStream(Engine engine,
                         const std::vector<Instruction> &instructions) {
  elf::Section section =
      named(std::string(streamSectionPrefix) + std::string(name(engine)));
  for (const Instruction &instruction : instructions)
    encode(instruction, section.bytes);
  return section;
}

elf::Section writeTensors(const Module &module) {
  elf::Section section = named(tensorsSection);
  ByteWriter writer(section.bytes);
  writer.put(static_cast<std::uint32_t>(module.tensors.size()));
  for (const Tensor &tensor : module.tensors) {
    writer.putString(tensor.name);
    writer.put(static_cast<std::uint8_t>(tensor.dtype));
    writer.put(static_cast<std::uint8_t>(tensor.kind));
    writer.put(static_cast<std::uint32_t>(tensor.shape.size()));
    for (std::int64_t extent : tensor.shape)
      writer.put(extent);
  }
  return section;
}

/// Files and scopes repeat in thousands of locations: each string once.
elf::Section writeLocations(const Module &module) {
  std::map<std::string_view, std::uint32_t> numbers;
  std::vector<std::string_view> strings;
  auto numberOf = [&](std::string_view text) {
    auto [entry, isNew] =
        numbers.try_emplace(text, static_cast<std::uint32_t>(strings.size()));
    if (isNew)
      strings.push_back(text);
    return entry->second;
  };
  std::vector<std::uint8_t> records;
  ByteWriter writer(records);
  writer.put(static_cast<std::uint32_t>(module.locations.size()));
  for (const SourceLocation &location : module.locations) {
    writer.put(numberOf(location.file));
    writer.put(location.line);
    writer.put(location.column);
    writer.put(numberOf(location.scopes));
    writer.put(numberOf(location.name));
  }
  elf::Section section = named(locationsSection);
  ByteWriter out(section.bytes);
  out.put(static_cast<std::uint32_t>(strings.size()));
  for (std::string_view text : strings)
    out.putString(text);
  out.putBytes(records);
  return section;
}

elf::Section writeBuffers(const Module &module) {
  elf::Section section = named(buffersSection);
  ByteWriter writer(section.bytes);
  writer.put(static_cast<std::uint32_t>(module.buffers.size()));
  for (const std::uint32_t location : module.buffers)
    writer.put(location);
  return section;
}

elf::Section writeFacts(const Module &module) {
  elf::Section section = named(factsSection);
  ByteWriter writer(section.bytes);
  writer.put(static_cast<std::uint32_t>(module.facts.size()));
  for (const auto &[key, value] : module.facts) {
    writer.putString(key);
    writer.putString(value);
  }
  return section;
}

} // namespace

std::uint64_t checksum(std::span<const std::uint8_t> file, std::size_t skip) {
  // FNV-1a: every step is a bijection, so one changed byte always shows.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < file.size(); ++i) {
    bool isChecksum = i >= skip && i < skip + 8;
    hash = (hash ^ (isChecksum ? 0u : file[i])) * 0x100000001b3;
  }
  return hash;
}

std::vector<std::uint8_t> writeKbin(const Module &module) {
  return writeKbin(std::span(&module, 1));
}

std::vector<std::uint8_t> writeKbin(std::span<const Module> cores) {
  const Module &module = cores.front();
  std::vector<elf::Section> sections;
  sections.push_back(
      writeNote(module, cores.size() > 1 ? kbinCoresVersion : kbinVersion));
  for (std::size_t i = 0; i < numEngines; ++i)
    sections.push_back(writeStream(static_cast<Engine>(i), module.streams[i]));

  elf::Section constants = named(constantsSection);
  ByteWriter bytes(constants.bytes);
  auto constantsIndex = static_cast<std::uint16_t>(sections.size() + 1);
  std::vector<elf::Symbol> symbols;
  for (const Tensor &tensor : module.tensors) {
    elf::Symbol symbol;
    symbol.name = tensor.name;
    symbol.size = tensor.sizeInBytes();
    if (tensor.kind == TensorKind::constant) {
      bytes.padTo(constantAlignment);
      symbol.section = constantsIndex;
      symbol.value = constants.bytes.size();
      bytes.putBytes(tensor.bytes);
    }
    symbols.push_back(std::move(symbol));
  }
  sections.push_back(std::move(constants));
  sections.push_back(writeTensors(module));
  sections.push_back(writeLocations(module));
  if (module.buffers.size() > 1)
    sections.push_back(writeBuffers(module));
  sections.push_back(writeFacts(module));
  if (cores.size() > 1) {
    sections.push_back(named(coreSection));
    sections.back().bytes = writeKbin(cores[1]);
  }
  std::size_t symtab = sections.size();
  sections.resize(symtab + 2);
  elf::putSymbols(sections, symtab, symbols);

  std::vector<std::uint64_t> offsets;
  std::vector<std::uint8_t> file = elf::write(sections, offsets);
  auto at = static_cast<std::size_t>(offsets[0]) + checksumOffset;
  std::uint64_t sum = checksum(file, at);
  for (unsigned i = 0; i < 8; ++i)
    file[at + i] = static_cast<std::uint8_t>(sum >> (8 * i));
  return file;
}

} // namespace kiln::isa
