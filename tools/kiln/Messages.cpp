//===- Messages.cpp - What goes to the standard error stream --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "kiln/tool/failure.h"

#include <nlohmann/json.hpp>

#include <array>
#include <iostream>

namespace kiln::tool {
namespace {

using json = nlohmann::ordered_json;

bool isJson = false;

constexpr std::array<std::string_view, 2> severities{"error", "warning"};
constexpr std::array<std::string_view, 2> blames{"user", "kiln"};

/// A number where the text is one, and null where there is none.
json numberOr(const std::string &text) {
  if (text.empty())
    return nullptr;
  const json number = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : json(text);
}

} // namespace

json placeOf(const std::string &file, std::uint32_t line,
             std::uint32_t column) {
  if (file.empty())
    return nullptr;
  json place{{"file", file}};
  if (line != 0)
    place["line"] = line;
  if (column != 0)
    place["column"] = column;
  return place;
}

std::vector<std::string> takeMessageForm(std::span<const std::string> words) {
  constexpr std::string_view option = "--diagnostics";
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") { // The words after it are not options.
      rest.insert(rest.end(), words.begin() + static_cast<long>(i),
                  words.end());
      break;
    }
    const std::string_view word = words[i];
    if (word.substr(0, word.find('=')) != option) {
      rest.push_back(words[i]);
      continue;
    }
    std::string_view form;
    if (word.size() > option.size())
      form = word.substr(option.size() + 1);
    else if (i + 1 < words.size())
      form = words[++i];
    if (form != "json" && form != "text")
      throw Failure("KILN-T020",
                    "'--diagnostics' takes [|text or json|], found '<|" +
                        std::string(form) + "|>'",
                    usageError);
    isJson = form == "json";
  }
  return rest;
}

bool tellsJson() { return isJson; }

std::string toJsonLine(const isa::Diagnostic &diagnostic) {
  json parties = json::array();
  for (const isa::DiagnosticParty &party : diagnostic.parties)
    parties.push_back(
        {{"role", party.role},
         {"instruction",
          party.instruction.empty() ? json() : json(party.instruction)},
         {"place", placeOf(party.file, party.line, party.column)}});
  const json line{
      {"code", diagnostic.code},
      {"severity", severities[static_cast<std::size_t>(diagnostic.severity)]},
      {"text", diagnostic.text},
      {"place", placeOf(diagnostic.file, diagnostic.line, diagnostic.column)},
      {"found", numberOr(diagnostic.found)},
      {"allowed", numberOr(diagnostic.allowed)},
      {"fix", diagnostic.fix.empty() ? json() : json(diagnostic.fix)},
      {"blame", blames[static_cast<std::size_t>(diagnostic.blame)]},
      {"parties", std::move(parties)}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void tell(std::span<const isa::Diagnostic> diagnostics, std::string_view text) {
  if (!isJson) {
    std::cerr << text;
    return;
  }
  for (const isa::Diagnostic &diagnostic : diagnostics)
    std::cerr << toJsonLine(diagnostic);
}

void tellProgress(std::string_view text) {
  if (!isJson)
    std::cerr << text;
}

} // namespace kiln::tool
