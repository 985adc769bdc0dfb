//===- Diagnostic.cpp - What went wrong, as text -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/diagnostic.h"

#include <fmt/format.h>

namespace kiln::isa {

/// "file:line:column: ", as far as it is known.
static std::string place(const std::string &file, std::uint32_t line,
                         std::uint32_t column) {
  std::string out;
  if (!file.empty())
    out += file + ":";
  if (line != 0)
    out += fmt::format("{}:", line);
  if (line != 0 && column != 0)
    out += fmt::format("{}:", column);
  if (!out.empty())
    out += ' ';
  return out;
}

std::string Diagnostic::str() const {
  std::string out = place(file, line, column);
  out += severity == Severity::error ? "error: " : "warning: ";
  out += text;
  if (!code.empty())
    out += " [" + code + "]";
  if (!excerpt.empty() && column != 0)
    out += fmt::format("\n  {}\n  {:>{}}", excerpt, '^', column);
  for (const DiagnosticParty &party : parties)
    out += fmt::format("\n{}note: {}",
                       place(party.file, party.line, party.column), party.role);
  return out;
}

} // namespace kiln::isa
