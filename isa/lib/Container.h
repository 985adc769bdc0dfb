//===- Container.h - Names and layout shared by writer and reader ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_CONTAINER_H
#define KILN_ISA_LIB_CONTAINER_H

#include "kiln/isa/container.h"

#include "Elf.h"

namespace kiln::isa {

inline constexpr std::string_view streamSectionPrefix = ".kiln.stream.";
inline constexpr std::string_view constantsSection = ".kiln.constants";
inline constexpr std::string_view tensorsSection = ".kiln.tensors";
inline constexpr std::string_view locationsSection = ".kiln.locations";
inline constexpr std::string_view buffersSection = ".kiln.buffers";
inline constexpr std::string_view factsSection = ".kiln.facts";
inline constexpr std::string_view noteSection = ".note.kiln";
/// The whole file of core 1, in that of core 0.
inline constexpr std::string_view coreSection = ".kiln.core.1";

/// Constants start at multiples of this in their section.
inline constexpr std::size_t constantAlignment = 8;

/// "Kiln" as an ELF note's owner: lengths, type, name with padding.
inline constexpr std::size_t noteHeaderBytes = 12 + 8;
/// The checksum's place within the note section.
inline constexpr std::size_t checksumOffset = noteHeaderBytes + 8;

/// Of all bytes but the eight at `skip`.
std::uint64_t checksum(std::span<const std::uint8_t> file, std::size_t skip);

} // namespace kiln::isa

#endif // KILN_ISA_LIB_CONTAINER_H
