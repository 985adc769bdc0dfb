//===- command_line.h - Options, strictly read --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A command declares its options. An undeclared word that looks like an option
// is a kernel parameter (--seq-q=4096), if the command takes a kernel.
// Otherwise it is a mistake, and the error suggests the nearest name.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_COMMAND_LINE_H
#define KILN_TOOL_COMMAND_LINE_H

#include "kiln/tool/failure.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::tool {

struct Option {
  std::string name;      ///< With dashes: "--target", "-o".
  std::string valueName; ///< "FILE"; empty for a switch.
  std::string help;
  bool repeats = false;
  bool valueIsOptional = false; ///< Then it is joined by '='.
};

struct CommandSpec {
  std::string name;      ///< "compile".
  std::string arguments; ///< "KERNEL", for the usage line.
  std::string summary;   ///< One line, for `kiln --help`.
  std::string details;   ///< Paragraphs, for `kiln compile --help`.
  std::vector<Option> options;
  bool takesParameters = false;
  std::size_t minArguments = 0;
  std::size_t maxArguments = 0;
};

using KeyValue = std::pair<std::string, std::string>;

class CommandLine {
public:
  /// Throws a Failure (exit code 2) for anything the command does not take.
  static CommandLine parse(const CommandSpec &spec,
                           std::span<const std::string> words);

  bool has(const std::string &option) const;
  std::optional<std::string> value(const std::string &option) const;
  std::vector<std::string> values(const std::string &option) const;
  /// NAME=VALUE values of a repeated option such as --in; names are unique.
  std::vector<KeyValue> pairs(const std::string &option) const;
  /// A non-negative integer, or a Failure.
  std::optional<std::uint64_t> number(const std::string &option) const;

  /// This line with what it does not give from `base`.
  CommandLine over(const CommandLine &base) const;
  /// The line again, with the options of `spec` alone.
  std::string textOf(const CommandSpec &spec) const;

  std::vector<std::string> arguments; ///< Words that are no options, in order.
  std::vector<KeyValue> parameters;   ///< {"seq-q", "4096"}, in order.
  bool help = false;
  std::string text; ///< "kiln profile softmax --rows=128", for a shell.

private:
  std::map<std::string, std::vector<std::string>> given;
};

/// The words of a line, as a POSIX shell tells them apart; none if a quote has
/// no end.
std::optional<std::vector<std::string>> splitWords(std::string_view text);

std::string usageText(const CommandSpec &spec);

/// The entry of `known` nearest to `word`, or none if nothing is near.
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> known);

/// "; did you mean '--target'?" with the name marked as what is allowed
/// (marked_text.h), or nothing.
std::string suggestion(std::string_view word,
                       std::span<const std::string> known);

} // namespace kiln::tool

#endif // KILN_TOOL_COMMAND_LINE_H
