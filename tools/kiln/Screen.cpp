//===- Screen.cpp - Text as a terminal shows it ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Screen.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace kiln::tool {
namespace {

constexpr std::size_t textIndent = 12;
constexpr std::string_view bold = "\033[1m", red = "\033[1;31m",
                           cyan = "\033[36m", plain = "\033[0m";

bool hasText(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

std::vector<std::string> split(std::string_view text, char at) {
  return absl::StrSplit(std::string(text), at);
}

std::size_t indentOf(std::string_view line) {
  return std::min(line.size(), line.find_first_not_of(' '));
}

/// The end of the percentage of a card's first line; 0 of another line.
std::size_t savingOf(std::string_view line) {
  const std::size_t end = line.find(" %  ");
  if (end == std::string_view::npos || line.find(" us  ", end) == line.npos ||
      indentOf(line) < 2)
    return 0;
  for (const char c : line.substr(indentOf(line), end - indentOf(line)))
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c)) && c != '.')
      return 0;
  return end + 2;
}

bool isHeading(std::string_view line, std::string_view before) {
  return before.empty() && indentOf(line) == 2 &&
         std::none_of(line.begin(), line.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

/// The line in parts of at most `columns`.
std::vector<std::string> fitted(std::string_view line, std::size_t columns) {
  if (columns == 0 || line.size() <= columns)
    return {std::string(line)};
  const std::string indent(textIndent, ' ');
  if (indentOf(line) != textIndent || columns < 2 * textIndent)
    return {columns < 3 ? std::string(line.substr(0, columns))
                        : std::string(line.substr(0, columns - 2)) + ".."};
  std::vector<std::string> parts{indent};
  for (const std::string &word : split(line.substr(textIndent), ' ')) {
    const bool isFirst = parts.back().size() == textIndent;
    if (!isFirst && parts.back().size() + 1 + word.size() > columns)
      parts.push_back(indent + word);
    else
      parts.back() += (isFirst ? "" : " ") + word;
  }
  return parts;
}

std::string painted(const std::string &line, std::string_view before,
                    bool isFirst) {
  const auto in = [](std::string_view colour, std::string_view text) {
    return text.empty()
               ? std::string()
               : std::string(colour) + std::string(text) + std::string(plain);
  };
  if (isFirst)
    return in(bold, line);
  if (const std::size_t end = savingOf(line))
    return in(red, std::string_view(line).substr(0, end)) +
           in(bold, std::string_view(line).substr(end));
  return isHeading(line, before) ? in(cyan, line) : line;
}

/// The number in COLUMNS, if it is one.
std::optional<std::size_t> wantedColumns() {
  const char *value = std::getenv("COLUMNS");
  std::size_t columns = 0;
  if (value && absl::SimpleAtoi(value, &columns) && columns > 0)
    return columns;
  return std::nullopt;
}

/// Of UTF-8: without the bytes that continue a character.
std::size_t lengthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}

/// The line, in parts that fit where words allow it.
std::vector<std::string> wrapped(std::string_view line, std::size_t columns) {
  std::vector<std::string> parts;
  const std::size_t begin = indentOf(line),
                    further = std::min(begin + 4, columns / 2);
  std::string rest(line);
  while (lengthOf(rest) > columns) {
    // The last space up to there, else the first one behind it.
    const std::size_t first =
        std::min(rest.size(), rest.find_first_not_of(' '));
    std::size_t cut = rest.rfind(' ', columns);
    if (cut == std::string::npos || cut <= first)
      cut = rest.find(' ', std::max(first, columns));
    if (cut == std::string::npos)
      break;
    parts.push_back(rest.substr(0, rest.find_last_not_of(' ', cut) + 1));
    const std::size_t next = rest.find_first_not_of(' ', cut);
    rest = next == std::string::npos
               ? std::string()
               : std::string(further, ' ') + rest.substr(next);
  }
  if (!rest.empty() || parts.empty())
    parts.push_back(std::move(rest));
  return parts;
}

} // namespace

Screen standardOutput() {
  Screen screen;
  screen.columns = wantedColumns().value_or(0);
  if (!::isatty(STDOUT_FILENO))
    return screen;
  const char *terminal = std::getenv("TERM");
  screen.hasColour = !hasText("NO_COLOR") && terminal && *terminal &&
                     std::string_view(terminal) != "dumb";
  winsize size{};
  if (screen.columns == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    screen.columns = size.ws_col;
  return screen;
}

std::string shownOn(const Screen &screen, std::string_view text) {
  std::string out;
  std::string before = "-";
  bool isFirst = true;
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  for (const std::string &line : split(text, '\n')) {
    for (const std::string &part : fitted(line, screen.columns))
      out += (screen.hasColour ? painted(part, before, isFirst) : part) + "\n";
    before = line;
    isFirst = false;
  }
  return out;
}

std::string wrappedOn(const Screen &screen, std::string_view text) {
  if (screen.columns == 0)
    return std::string(text);
  std::string out;
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  for (const std::string &line : split(text, '\n'))
    for (const std::string &part : wrapped(line, screen.columns))
      out += part + "\n";
  return out;
}

} // namespace kiln::tool
