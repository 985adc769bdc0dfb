//===- BuildMessages.cpp - What a C++ compiler says of a kernel -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildMessages.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kiln::tool {
namespace {

/// Reads a number and the colon behind it, and moves `text` past them.
bool takeNumber(std::string_view &text, std::uint32_t &number) {
  const char *const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || rest == end || *rest != ':')
    return false;
  text = text.substr(static_cast<std::size_t>(rest - text.data()) + 1);
  return true;
}

/// A line "FILE:LINE:COLUMN: error: ..", as clang and g++ write them.
std::optional<isa::DiagnosticParty> messageOf(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    isa::DiagnosticParty party;
    std::string_view rest = line.substr(colon + 1);
    if (!takeNumber(rest, party.line) || !takeNumber(rest, party.column))
      continue;
    party.file = line.substr(0, colon);
    party.role =
        rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    return party;
  }
  return std::nullopt;
}

} // namespace

isa::Diagnostic rejectedBy(std::string text, std::string_view output,
                           std::string_view source) {
  isa::Diagnostic diagnostic = isa::makeError("KILN-T030", std::move(text));
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::optional<isa::DiagnosticParty> party =
        messageOf(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!party)
      continue;
    if (diagnostic.file.empty() && party->file == source) {
      diagnostic.file = party->file;
      diagnostic.line = party->line;
      diagnostic.column = party->column;
    }
    diagnostic.parties.push_back(*std::move(party));
  }
  return diagnostic;
}

} // namespace kiln::tool
