//===- assembly.h - A module as text, for people --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/assembly.md describes the notation. Printing and parsing are inverses:
// parse(print(m)) == m, and print(parse(t)) == t for a printed t.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_ASSEMBLY_H
#define KILN_ISA_ASSEMBLY_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"

#include <array>
#include <span>
#include <vector>

namespace kiln::isa {

std::string printAssembly(const Module &module);

/// The modules of a rank's cores; the second follows a `.core 1` line.
std::string printAssembly(std::span<const Module> cores);

/// One line, without indentation, comment or newline. Tensors are named as in
/// `module`.
std::string printInstruction(const Instruction &instruction,
                             const Module &module);

/// `sbuf[p0:128, 0x4000: bf16 512x1]`.
std::string printAccess(const Access &access, const Module &module);

/// Checks the notation, but not the limits of the machine: see checks.h.
/// `fileName` is used only in messages.
Expected<Module> parseAssembly(std::string_view text,
                               std::string_view fileName);

/// For each stream: the line number of each instruction in the text.
using StreamLines = std::array<std::vector<std::uint32_t>, numEngines>;

struct Assembly {
  std::vector<Module> cores;
  std::vector<StreamLines> lines; ///< One entry per core.
  /// One error per line that cannot be parsed. Parsing stops at the first
  /// directive with an error.
  std::vector<Diagnostic> errors;
};
Assembly parseWholeAssembly(std::string_view text, std::string_view fileName);

/// Parses text for one core or two. Does not compare the cores: see checkCores.
Expected<std::vector<Module>> parseAssemblyCores(std::string_view text,
                                                 std::string_view fileName);

} // namespace kiln::isa

#endif // KILN_ISA_ASSEMBLY_H
