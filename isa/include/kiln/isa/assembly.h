//===- assembly.h - A module as text, for people --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notation is described in docs/assembly.md. Printing and parsing are
// inverse to each other: parse(print(m)) == m, print(parse(t)) == t for a
// printed t.
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

/// The modules of a rank's cores: the second behind a line `.core 1`.
std::string printAssembly(std::span<const Module> cores);

/// One line without indentation, comment and newline. Tensors are named as in
/// `module`.
std::string printInstruction(const Instruction &instruction,
                             const Module &module);

/// `sbuf[p0:128, 0x4000: bf16 512x1]`.
std::string printAccess(const Access &access, const Module &module);

/// `fileName` is only for messages. Checks the notation, not the limits of the
/// machine: see checks.h.
Expected<Module> parseAssembly(std::string_view text,
                               std::string_view fileName);

/// Of each stream, the line in the text of each instruction.
using StreamLines = std::array<std::vector<std::uint32_t>, numEngines>;

struct Assembly {
  std::vector<Module> cores;
  std::vector<StreamLines> lines; ///< By core.
  /// Of all lines that are not understood, up to the first directive among
  /// them.
  std::vector<Diagnostic> errors;
};
Assembly parseWholeAssembly(std::string_view text, std::string_view fileName);

/// Text for one core or two. Does not compare the cores: see checkCores.
Expected<std::vector<Module>> parseAssemblyCores(std::string_view text,
                                                 std::string_view fileName);

} // namespace kiln::isa

#endif // KILN_ISA_ASSEMBLY_H
