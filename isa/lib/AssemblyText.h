//===- AssemblyText.h - Shared by printer and parser ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_ASSEMBLYTEXT_H
#define KILN_ISA_LIB_ASSEMBLYTEXT_H

#include "kiln/isa/kind_names.h"

#include <cstdint>

namespace kiln::isa {

/// The bits that the word `nan` stands for; other NaNs are `bits(0x...)`.
inline constexpr std::uint32_t canonicalNan = 0x7fc00000;

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool isWordPart(char c) {
  return isWordStart(c) || isDigit(c) || c == '.';
}

/// In quotes, with \" \\ and \xNN.
std::string quote(std::string_view text);

} // namespace kiln::isa

#endif // KILN_ISA_LIB_ASSEMBLYTEXT_H
