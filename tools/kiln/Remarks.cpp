//===- Remarks.cpp - What a run noticed besides errors --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include "Execute.h"
#include "Messages.h"

#include "kiln/tool/failure.h"

#include <charconv>

namespace kiln::tool {
namespace {

template <class Number> bool readNumber(std::string_view text, Number &value) {
  const char *const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc{} && rest == end;
}

} // namespace

std::vector<sim::Permission> parsePermissions(const CommandLine &line) {
  std::vector<sim::Permission> permissions;
  for (const std::string &text : line.values("--allow")) {
    const auto wrong = [&](const char *help) {
      throw Failure("KILN-T020", "'--allow " + text + "': " + help, usageError);
    };
    const std::size_t at = text.find('@');
    sim::Permission &permission = permissions.emplace_back();
    permission.code = text.substr(0, at);
    if (permission.code != "KILN-X060" && permission.code != "KILN-X061")
      wrong("only the remarks KILN-X060 and KILN-X061 can be allowed");
    if (at == std::string::npos)
      continue;
    const std::string place = text.substr(at + 1);
    const std::size_t colon = place.rfind(':');
    const std::string_view number =
        colon == std::string::npos ? std::string_view()
                                   : std::string_view(place).substr(colon + 1);
    permission.file = place.substr(0, colon);
    permission.engine = isa::parseEngine(permission.file);
    if (!(permission.engine ? readNumber(number, permission.index)
                            : readNumber(number, permission.line)))
      wrong("write the place as FILE:LINE or as vector:12");
  }
  return permissions;
}

void printRemarks(const std::vector<sim::Fault> &remarks) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, remarks.size()); ++i) {
    isa::Diagnostic warning = remarks[i];
    warning.severity = isa::Severity::warning;
    tell({&warning, 1}, faultText(remarks[i], "warning"));
  }
  if (remarks.size() > most)
    tellProgress("kiln: " + std::to_string(remarks.size() - most) +
                 " more warnings of this kind\n");
}

} // namespace kiln::tool
