//===- Elf.cpp - The part of ELF64 that a .kbin uses ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elf.h"

#include <fmt/format.h>

namespace kiln::isa::elf {
namespace {

constexpr std::uint16_t typeRelocatable = 1;
constexpr std::uint16_t machineNone = 0;
constexpr std::uint8_t identification[16] = {
    0x7f, 'E', 'L', 'F',
    2, // 64 bit
    1, // little-endian
    1, // ELF version
};

/// A table of zero-terminated strings that starts with the empty one.
class StringTable {
public:
  std::uint32_t add(std::string_view text) {
    auto position = static_cast<std::uint32_t>(bytes.size());
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
    return position;
  }
  std::vector<std::uint8_t> bytes{0};
};

void putHeader(std::vector<std::uint8_t> &out, std::uint64_t tableOffset,
               std::size_t sectionCount) {
  ByteWriter writer(out);
  writer.putBytes(identification);
  writer.put(typeRelocatable);
  writer.put(machineNone);
  writer.put(std::uint32_t{1}); // ELF version
  writer.put(std::uint64_t{0}); // entry
  writer.put(std::uint64_t{0}); // program headers
  writer.put(tableOffset);
  writer.put(std::uint32_t{0}); // flags
  writer.put(static_cast<std::uint16_t>(headerBytes));
  writer.put(std::uint16_t{0});
  writer.put(std::uint16_t{0});
  writer.put(static_cast<std::uint16_t>(sectionHeaderBytes));
  writer.put(static_cast<std::uint16_t>(sectionCount));
  writer.put(static_cast<std::uint16_t>(sectionCount - 1)); // .shstrtab
}

void putSectionHeader(ByteWriter &writer, std::uint32_t name,
                      const Section &section, std::uint64_t offset) {
  writer.put(name);
  writer.put(section.type);
  writer.put(std::uint64_t{0}); // flags
  writer.put(std::uint64_t{0}); // address
  writer.put(offset);
  writer.put(static_cast<std::uint64_t>(section.bytes.size()));
  writer.put(section.link);
  writer.put(section.info);
  writer.put(section.alignment);
  writer.put(section.entryBytes);
}

} // namespace

std::vector<std::uint8_t> write(const std::vector<Section> &sections,
                                std::vector<std::uint64_t> &offsets) {
  StringTable names;
  std::vector<std::uint32_t> nameOffsets;
  for (const Section &section : sections)
    nameOffsets.push_back(names.add(section.name));
  Section nameSection;
  nameSection.name = ".shstrtab";
  nameSection.type = typeStrtab;
  nameSection.alignment = 1;
  nameOffsets.push_back(names.add(nameSection.name));
  nameSection.bytes = names.bytes;

  std::vector<std::uint8_t> body;
  ByteWriter writer(body);
  offsets.clear();
  auto place = [&](const Section &section) {
    writer.padTo(8);
    offsets.push_back(headerBytes + body.size());
    writer.putBytes(section.bytes);
  };
  for (const Section &section : sections)
    place(section);
  place(nameSection);
  writer.padTo(8);

  std::vector<std::uint8_t> out;
  std::size_t count = sections.size() + 2;
  out.reserve(headerBytes + body.size() + count * sectionHeaderBytes);
  putHeader(out, headerBytes + body.size(), count);
  ByteWriter table(out);
  table.putBytes(body);
  Section none;
  none.type = typeNull;
  none.alignment = 0;
  putSectionHeader(table, 0, none, 0);
  for (std::size_t i = 0; i < sections.size(); ++i)
    putSectionHeader(table, nameOffsets[i], sections[i], offsets[i]);
  putSectionHeader(table, nameOffsets.back(), nameSection, offsets.back());
  offsets.pop_back();
  return out;
}

void putSymbols(std::vector<Section> &sections, std::size_t symtab,
                const std::vector<Symbol> &symbols) {
  constexpr std::uint8_t globalObject = (1 << 4) | 1;
  StringTable names;
  std::vector<std::uint8_t> table(symbolBytes, 0); // symbol 0
  ByteWriter writer(table);
  for (const Symbol &symbol : symbols) {
    writer.put(names.add(symbol.name));
    writer.put(globalObject);
    writer.put(std::uint8_t{0}); // visibility
    writer.put(symbol.section);
    writer.put(symbol.value);
    writer.put(symbol.size);
  }
  Section &section = sections[symtab];
  section.name = ".symtab";
  section.type = typeSymtab;
  section.entryBytes = symbolBytes;
  section.link = static_cast<std::uint32_t>(symtab + 2); // .strtab
  section.info = 1;                                      // first global
  section.bytes = std::move(table);
  Section &strings = sections[symtab + 1];
  strings.name = ".strtab";
  strings.type = typeStrtab;
  strings.alignment = 1;
  strings.bytes = std::move(names.bytes);
}

ReadResult read(std::span<const std::uint8_t> file) {
  ReadResult result;
  auto fail = [&](std::string problem) {
    result.sections.clear();
    result.problem = std::move(problem);
    return std::move(result);
  };
  if (file.size() < headerBytes)
    return fail(fmt::format("it has <|{}|> bytes, but an ELF header has [|{}|]",
                            file.size(), headerBytes));
  for (std::size_t i = 0; i < sizeof identification; ++i)
    if (file[i] != identification[i])
      return fail("it does not start like a 64-bit little-endian ELF file");
  ByteReader header(file.subspan(sizeof identification));
  auto type = header.get<std::uint16_t>();
  auto machine = header.get<std::uint16_t>();
  header.getBytes(4 + 8 + 8);
  auto tableOffset = header.get<std::uint64_t>();
  header.getBytes(4 + 2 + 2 + 2);
  auto entryBytes = header.get<std::uint16_t>();
  auto count = header.get<std::uint16_t>();
  auto namesIndex = header.get<std::uint16_t>();
  if (type != typeRelocatable || machine != machineNone ||
      entryBytes != sectionHeaderBytes || namesIndex >= count)
    return fail("its ELF header is not one that Kiln writes");
  std::uint64_t tableBytes = std::uint64_t{count} * sectionHeaderBytes;
  if (tableOffset > file.size() || file.size() - tableOffset < tableBytes)
    return fail(fmt::format("it is cut off: the section table needs bytes up "
                            "to [|{}|], but the file has <|{}|>",
                            tableOffset + tableBytes, file.size()));
  ByteReader table(file.subspan(static_cast<std::size_t>(tableOffset)));
  std::vector<std::uint32_t> nameOffsets;
  for (unsigned i = 0; i < count; ++i) {
    SectionView section;
    nameOffsets.push_back(table.get<std::uint32_t>());
    section.type = table.get<std::uint32_t>();
    table.getBytes(8 + 8);
    section.offset = table.get<std::uint64_t>();
    auto size = table.get<std::uint64_t>();
    table.getBytes(4 + 4 + 8 + 8);
    if (section.offset > file.size() || file.size() - section.offset < size)
      return fail(fmt::format("section {} lies outside of the file", i));
    section.bytes = file.subspan(static_cast<std::size_t>(section.offset),
                                 static_cast<std::size_t>(size));
    result.sections.push_back(section);
  }
  std::span<const std::uint8_t> names = result.sections[namesIndex].bytes;
  std::string_view text(reinterpret_cast<const char *>(names.data()),
                        names.size());
  for (unsigned i = 0; i < count; ++i) {
    std::size_t end = nameOffsets[i] < text.size()
                          ? text.find('\0', nameOffsets[i])
                          : std::string_view::npos;
    if (end == std::string_view::npos)
      return fail(fmt::format("section {} has no name", i));
    result.sections[i].name = text.substr(nameOffsets[i], end - nameOffsets[i]);
  }
  return result;
}

} // namespace kiln::isa::elf
