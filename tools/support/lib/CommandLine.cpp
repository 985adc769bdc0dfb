//===- CommandLine.cpp - Options, strictly read -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/tool/command_line.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace kiln::tool {
namespace {

[[noreturn]] void usage(const CommandSpec &spec, const std::string &text) {
  throw Failure("KILN-T020", text + " (see 'kiln " + spec.name + " --help')",
                usageError);
}

const Option *find(const CommandSpec &spec, std::string_view name) {
  for (const Option &option : spec.options)
    if (option.name == name)
      return &option;
  return nullptr;
}

std::vector<std::string> optionNames(const CommandSpec &spec) {
  std::vector<std::string> names;
  for (const Option &option : spec.options)
    names.push_back(option.name);
  return names;
}

/// Number of single-letter edits from `a` to `b`.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string> known) {
  const std::string *best = nullptr;
  std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : known) {
    std::size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      best = &candidate;
      bestDistance = distance;
    }
  }
  return best ? std::optional<std::string>(*best) : std::nullopt;
}

std::string suggestion(std::string_view word,
                       std::span<const std::string> known) {
  std::optional<std::string> near = nearest(word, known);
  return near ? "; did you mean '[|" + *near + "|]'?" : std::string();
}

namespace {

/// As a POSIX shell reads it.
std::string quoted(const std::string &word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-_=./,:@+%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  return "'" + absl::StrReplaceAll(word, {{"'", "'\\''"}}) + "'";
}

} // namespace

CommandLine CommandLine::parse(const CommandSpec &spec,
                               std::span<const std::string> words) {
  CommandLine line;
  line.text = "kiln " + spec.name;
  for (const std::string &word : words)
    line.text += " " + quoted(word);
  bool onlyArguments = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (onlyArguments || word.size() < 2 || word[0] != '-') {
      line.arguments.push_back(word);
      continue;
    }
    if (word == "--") {
      onlyArguments = true;
      continue;
    }
    if (word == "--help" || word == "-h") {
      line.help = true;
      return line;
    }
    std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option *option = find(spec, name);
    if (!option) {
      if (!spec.takesParameters || word.rfind("--", 0) != 0)
        usage(spec, "unknown option '<|" + name + "|>'" +
                        suggestion(name, optionNames(spec)));
      // Whether the kernel has such a parameter is known once it is loaded.
      line.parameters.emplace_back(
          name.substr(2),
          equals == std::string::npos ? "true" : word.substr(equals + 1));
      continue;
    }
    std::string value;
    if (option->valueName.empty()) {
      if (equals != std::string::npos)
        usage(spec, "option '" + name + "' takes no value");
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (option->valueIsOptional) {
      // The next word is not a value.
    } else if (i + 1 < words.size()) {
      value = words[++i];
      if (option->valueName == "FILE" && value.starts_with("--") &&
          find(spec, value.substr(0, value.find('='))))
        usage(spec,
              absl::StrCat("option '", name, "' needs a value, FILE, before '",
                           value, "'; a file of that name is '", name, "=",
                           value, "'"));
    } else {
      usage(spec, "option '" + name + "' needs a value, [|" +
                      option->valueName + "|]");
    }
    std::vector<std::string> &slot = line.given[name];
    if (!slot.empty() && !option->repeats)
      usage(spec, "option '" + name + "' is given twice");
    slot.push_back(value);
  }
  if (line.arguments.size() < spec.minArguments)
    usage(spec, "missing [|" + spec.arguments + "|]");
  if (line.arguments.size() > spec.maxArguments)
    usage(spec, "unexpected argument '<|" + line.arguments[spec.maxArguments] +
                    "|>'" +
                    (spec.takesParameters
                         ? "; values of parameters are joined by '=', as in "
                           "--seq-q=4096"
                         : ""));
  return line;
}

CommandLine CommandLine::over(const CommandLine &base) const {
  CommandLine all = *this;
  if (all.arguments.empty())
    all.arguments = base.arguments;
  all.given.insert(base.given.begin(), base.given.end());
  for (const KeyValue &parameter : base.parameters)
    if (std::none_of(
            parameters.begin(), parameters.end(),
            [&](const KeyValue &own) { return own.first == parameter.first; }))
      all.parameters.push_back(parameter);
  return all;
}

std::string CommandLine::textOf(const CommandSpec &spec) const {
  std::string text = "kiln " + spec.name;
  for (const std::string &argument : arguments)
    text += " " + quoted(argument);
  for (const auto &[name, value] : parameters)
    text += " " + quoted(absl::StrCat("--", name, "=", value));
  for (const Option &option : spec.options)
    for (const std::string &value : values(option.name))
      text += " " +
              (value.empty() ? option.name : quoted(option.name + "=" + value));
  return text;
}

std::optional<std::vector<std::string>> splitWords(std::string_view text) {
  std::vector<std::string> words;
  bool isWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    const bool escapes = letter == '\\' && quote != '\'' && i + 1 < text.size();
    if (!escapes && quote == 0 && (letter == ' ' || letter == '\t')) {
      isWord = false;
      continue;
    }
    if (!isWord)
      words.emplace_back();
    isWord = true;
    if (escapes)
      words.back() += text[++i];
    else if (quote == 0 && (letter == '\'' || letter == '"'))
      quote = letter;
    else if (letter == quote)
      quote = 0;
    else
      words.back() += letter;
  }
  if (quote != 0)
    return std::nullopt;
  return words;
}

bool CommandLine::has(const std::string &option) const {
  return given.count(option) != 0;
}

std::optional<std::string> CommandLine::value(const std::string &option) const {
  auto found = given.find(option);
  if (found == given.end())
    return std::nullopt;
  return found->second.front();
}

std::vector<std::string> CommandLine::values(const std::string &option) const {
  auto found = given.find(option);
  return found == given.end() ? std::vector<std::string>() : found->second;
}

std::vector<KeyValue> CommandLine::pairs(const std::string &option) const {
  std::vector<KeyValue> result;
  for (const std::string &value : values(option)) {
    std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos ||
        equals + 1 == value.size())
      throw Failure("KILN-T020",
                    absl::StrCat("option '", option,
                                 "' takes [|NAME=FILE|], found '<|", value,
                                 "|>'"),
                    usageError);
    std::string name = value.substr(0, equals);
    for (const KeyValue &other : result)
      if (other.first == name)
        throw Failure(
            "KILN-T020",
            absl::StrCat("option '", option, "' names '", name, "' twice"),
            usageError);
    result.emplace_back(name, value.substr(equals + 1));
  }
  return result;
}

std::optional<std::uint64_t>
CommandLine::number(const std::string &option) const {
  std::optional<std::string> text = value(option);
  if (!text)
    return std::nullopt;
  std::uint64_t result = 0;
  const char *end = text->data() + text->size();
  auto [stop, error] = std::from_chars(text->data(), end, result);
  if (error != std::errc() || stop != end || text->empty())
    throw Failure("KILN-T020",
                  "option '" + option +
                      "' takes [|a whole number|], found '<|" + *text + "|>'",
                  usageError);
  return result;
}

std::string usageText(const CommandSpec &spec) {
  std::string text = "kiln " + spec.name;
  if (!spec.arguments.empty())
    text += " " + spec.arguments;
  if (spec.takesParameters)
    text += " [--PARAMETER=VALUE...]";
  if (!spec.options.empty())
    text += " [options]";
  text += "\n\n" + spec.summary + "\n";
  if (!spec.details.empty())
    text += "\n" + spec.details + "\n";
  if (spec.options.empty())
    return text;
  text += "\nOptions:\n";
  std::size_t width = 0;
  auto left = [](const Option &option) {
    if (option.valueIsOptional)
      return option.name + "[=" + option.valueName + "]";
    return option.name +
           (option.valueName.empty() ? "" : " " + option.valueName);
  };
  for (const Option &option : spec.options)
    width = std::max(width, left(option).size());
  for (const Option &option : spec.options) {
    std::string entry = left(option);
    text += "  " + entry + std::string(width - entry.size() + 2, ' ') +
            option.help + "\n";
  }
  return text;
}

} // namespace kiln::tool
