//===- Messages.h - What goes to the standard error stream ---- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_MESSAGES_H
#define KILN_TOOLS_KILN_MESSAGES_H

#include "kiln/isa/diagnostic.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// Takes --diagnostics=text|json out of the words of a command, wherever it
/// stands. Throws a Failure for another form.
std::vector<std::string> takeMessageForm(std::span<const std::string> words);

/// True with --diagnostics=json: then every line of the standard error stream
/// is one JSON object. docs/diagnostics.md describes it.
bool tellsJson();

/// Prints `text`, or the diagnostics as JSON.
void tell(std::span<const isa::Diagnostic> diagnostics, std::string_view text);

/// What a command has done; nothing with --diagnostics=json.
void tellProgress(std::string_view text);

/// {"file": .., "line": .., "column": ..}; null where nothing is known.
nlohmann::ordered_json placeOf(const std::string &file, std::uint32_t line,
                               std::uint32_t column);

/// One line of JSON, with its line break.
std::string toJsonLine(const isa::Diagnostic &diagnostic);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_MESSAGES_H
