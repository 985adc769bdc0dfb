//===- Elf.h - The part of ELF64 that a .kbin uses ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field by field through ByteWriter and ByteReader, so that the bytes do not
// depend on the host's order or padding.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_ELF_H
#define KILN_ISA_LIB_ELF_H

#include "ByteIO.h"

namespace kiln::isa::elf {

inline constexpr std::size_t headerBytes = 64;
inline constexpr std::size_t sectionHeaderBytes = 64;
inline constexpr std::size_t symbolBytes = 24;

enum SectionType : std::uint32_t {
  typeNull = 0,
  typeProgbits = 1,
  typeSymtab = 2,
  typeStrtab = 3,
  typeNote = 7,
};

struct Section {
  std::string name;
  std::uint32_t type = typeProgbits;
  std::uint64_t alignment = 8;
  std::uint64_t entryBytes = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::vector<std::uint8_t> bytes;
};

struct Symbol {
  std::string name;
  std::uint16_t section = 0; ///< 0 = undefined: supplied when it runs.
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

/// A file with these sections behind the empty one, plus .shstrtab.
/// `offsets` receives where each section starts.
std::vector<std::uint8_t> write(const std::vector<Section> &sections,
                                std::vector<std::uint64_t> &offsets);

/// Fills .symtab and .strtab, which stand at `symtab` and `symtab + 1`.
void putSymbols(std::vector<Section> &sections, std::size_t symtab,
                const std::vector<Symbol> &symbols);

struct SectionView {
  std::string_view name;
  std::uint32_t type = typeNull;
  std::uint64_t offset = 0;
  std::span<const std::uint8_t> bytes;
};

/// The sections of a file, or a sentence that says why it has none.
struct ReadResult {
  std::vector<SectionView> sections;
  std::string problem; ///< Empty = read.
};
ReadResult read(std::span<const std::uint8_t> file);

} // namespace kiln::isa::elf

#endif // KILN_ISA_LIB_ELF_H
