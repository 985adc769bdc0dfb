//===- StatementLines.cpp - Lines on which compilers agree ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementLines.h"

#include "kiln/tool/files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace kiln::tool {
namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Scans a text for the ends of statements. If it errs, two statements count as
/// one or a line keeps its number, which is harmless.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  enum class Token { end, code, boundary };

  /// The next significant character; `line` is where it stands.
  Token next() {
    while (at < text.size()) {
      const char c = text[at];
      if (c == '\n') {
        ++line;
        ++at;
        lineBegins = true;
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        ++at;
      } else if (c == '#' && lineBegins) {
        skipLine();
      } else if (startsWith("//")) {
        skipLine();
      } else if (startsWith("/*")) {
        skipTo("*/");
      } else {
        lineBegins = false;
        return significant(c);
      }
    }
    return Token::end;
  }

  std::uint32_t line = 1;

private:
  bool startsWith(std::string_view prefix) const {
    return text.substr(at).starts_with(prefix);
  }
  void move(std::size_t to) {
    to = std::min(to, text.size());
    line += static_cast<std::uint32_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                   text.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at = to;
  }
  void skipTo(std::string_view mark) {
    const std::size_t found = text.find(mark, at);
    move(found == std::string_view::npos ? text.size() : found + mark.size());
  }
  /// A backslash continues it.
  void skipLine() {
    std::size_t end = text.find('\n', at);
    while (end != std::string_view::npos && end > at && text[end - 1] == '\\')
      end = text.find('\n', end + 1);
    move(end == std::string_view::npos ? text.size() : end);
  }
  void skipQuoted(char quote) {
    std::size_t to = at + 1;
    while (to < text.size() && text[to] != quote && text[to] != '\n')
      to += text[to] == '\\' ? 2 : 1;
    move(to + 1);
  }

  Token significant(char c) {
    if (c == '"' && before == 'R') {
      const std::size_t open = text.find('(', at);
      skipTo(")" + std::string(text.substr(at + 1, open - at - 1)) + "\"");
    } else if (c == '"' || (c == '\'' && !isWord(before))) {
      skipQuoted(c);
    } else {
      ++at;
    }
    const char previous = std::exchange(before, c);
    if (c == ';')
      return Token::boundary;
    if (c == '{') {
      // Behind these it begins a list of values.
      initialisers.push_back(previous == ',' || previous == '(' ||
                             previous == '=');
      return initialisers.back() ? Token::code : Token::boundary;
    }
    if (c == '}' && !initialisers.empty()) {
      const bool isList = initialisers.back();
      initialisers.pop_back();
      return isList ? Token::code : Token::boundary;
    }
    return Token::code;
  }

  std::string_view text;
  std::size_t at = 0;
  bool lineBegins = true;
  char before = ';';
  std::vector<bool> initialisers; ///< Of the open braces.
};

std::set<std::filesystem::path> &knownFiles() {
  static std::set<std::filesystem::path> files;
  return files;
}

std::string normal(const std::string &file) {
  return std::filesystem::path(file).lexically_normal().string();
}

/// Numbers the locations in the order in which operations use them.
class Renumber {
public:
  explicit Renumber(program::Program &program)
      : former(std::exchange(program.locations, {})), program(program) {
    visit(program.body);
  }

private:
  void visit(std::vector<program::Op> &body) {
    for (program::Op &op : body) {
      if (op.location < former.size())
        op.location = numberOf(former[op.location]);
      visit(op.body);
    }
  }
  program::Id numberOf(const program::Location &place) {
    const auto [entry, isNew] = numbers.emplace(
        std::tuple(place.file, place.line, place.scopes, place.callers),
        static_cast<program::Id>(program.locations.size()));
    if (isNew)
      program.locations.push_back(place);
    return entry->second;
  }

  std::vector<program::Location> former;
  program::Program &program;
  std::map<std::tuple<std::string, std::uint32_t, std::string,
                      std::vector<program::CallSite>>,
           program::Id>
      numbers;
};

} // namespace

StatementLines::StatementLines(std::string_view text) {
  Scanner scanner(text);
  Range open;
  for (;;) {
    const Scanner::Token token = scanner.next();
    if (token == Scanner::Token::end)
      break;
    if (open.first == 0)
      open.first = scanner.line;
    open.last = scanner.line;
    if (token == Scanner::Token::boundary)
      add(std::exchange(open, {}));
  }
  if (open.first != 0)
    add(open);
}

void StatementLines::add(Range range) {
  if (!ranges.empty() && range.first <= ranges.back().last)
    ranges.back().last = std::max(ranges.back().last, range.last);
  else
    ranges.push_back(range);
}

std::uint32_t StatementLines::firstLine(std::uint32_t line) const {
  const auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), line,
                       [](std::uint32_t wanted, const Range &range) {
                         return wanted < range.first;
                       });
  if (behind == ranges.begin() || std::prev(behind)->last < line)
    return line;
  return std::prev(behind)->first;
}

void knowSources(const std::vector<std::string> &files) {
  for (const std::string &file : files)
    knownFiles().insert(std::filesystem::path(file).lexically_normal());
}

static void useLines(program::Program &program) {
  std::map<std::string, std::optional<StatementLines>> texts;
  const auto firstLine = [&](const std::string &file, std::uint32_t line) {
    const auto [text, isNew] = texts.try_emplace(file);
    if (isNew && knownFiles().contains(normal(file)))
      text->second.emplace(readTextFile(file));
    return text->second ? text->second->firstLine(line) : line;
  };
  // Tables of lines name a file in their own way.
  std::map<std::string, std::string> names;
  const auto whole = [](const std::string &file) {
    return normal(std::filesystem::absolute(file).string());
  };
  for (program::Location &place : program.locations) {
    // clang's name for a header beside the file.
    if (place.file.starts_with("./"))
      place.file.erase(0, 2);
    names.emplace(whole(place.file), place.file);
  }
  bool knowsAll = false;
  const auto nameOf = [&](const std::string &file) {
    auto name = names.find(whole(file));
    if (name == names.end() && !std::exchange(knowsAll, true)) {
      for (const std::filesystem::path &known : knownFiles())
        names.emplace(whole(known.string()), known.string());
      name = names.find(whole(file));
    }
    return name == names.end() ? file : name->second;
  };
  for (program::Location &place : program.locations) {
    place.line = firstLine(place.file, place.line);
    for (program::CallSite &caller : place.callers) {
      caller.file = nameOf(caller.file);
      caller.line = firstLine(caller.file, caller.line);
    }
  }
}

void useStatementLines(program::Program &program) {
  useLines(program);
  (void)Renumber(program);
}

std::vector<program::CallSite>
statementsOf(std::vector<program::CallSite> calls, const std::string &file) {
  program::Program program;
  program.locations.push_back({file, 0, {}, std::move(calls)});
  useLines(program);
  return std::move(program.locations.front().callers);
}

} // namespace kiln::tool
