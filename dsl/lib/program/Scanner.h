//===- Scanner.h - Words and numbers of a Program's text -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_PROGRAM_SCANNER_H
#define KILN_DSL_LIB_PROGRAM_SCANNER_H

#include "kiln/isa/enums.h"
#include "kiln/program_names.h"
#include "kiln/program_text.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::program {
namespace detail {

/// Reads a text piece by piece; throws an isa::Diagnostic at what it cannot
/// read.
class Scanner {
protected:
  explicit Scanner(std::string_view text) : text(text) {}

  static constexpr std::int64_t maxId = 1 << 24;

  [[noreturn]] void fail(std::string code, std::string message) {
    std::uint32_t line = 1, column = 1;
    for (std::size_t i = 0; i < at && i < text.size(); ++i) {
      ++column;
      if (text[i] == '\n') {
        ++line;
        column = 1;
      }
    }
    isa::Diagnostic error = isa::makeError(code, std::move(message));
    error.line = line;
    error.column = column;
    throw error;
  }

  [[noreturn]] void failExpected(std::string_view what) {
    std::string found = "the end of the text";
    if (at < text.size()) {
      const std::size_t end = text.find_first_of(" \t\r\n", at);
      found = "'" +
              std::string(text.substr(
                  at, std::min<std::size_t>(
                          end == std::string_view::npos ? 20 : end - at, 20))) +
              "'";
    }
    fail("KILN-P001",
         "expected [|" + std::string(what) + "|], found <|" + found + "|>");
  }

  void skip() {
    while (at < text.size()) {
      const char c = text[at];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at;
      } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
        while (at < text.size() && text[at] != '\n')
          ++at;
      } else {
        return;
      }
    }
  }

  bool accept(char c) {
    skip();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      failExpected(std::string("'") + c + "'");
  }

  static bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.';
  }
  std::string_view peekWord() {
    skip();
    std::size_t end = at;
    while (end < text.size() && isWord(text[end]))
      ++end;
    return text.substr(at, end - at);
  }
  std::string_view word(std::string_view what) {
    const std::string_view result = peekWord();
    if (result.empty())
      failExpected(what);
    at += result.size();
    return result;
  }
  bool acceptWord(std::string_view wanted) {
    if (peekWord() != wanted)
      return false;
    at += wanted.size();
    return true;
  }
  void expectWord(std::string_view wanted) {
    if (!acceptWord(wanted))
      failExpected("'" + std::string(wanted) + "'");
  }

  std::int64_t integer() {
    skip();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
      fail("KILN-P003", "the number does not fit 64 bits");
    if (error != std::errc())
      failExpected("an integer");
    at = static_cast<std::size_t>(end - text.data());
    return value;
  }
  double number() {
    skip();
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc())
      failExpected("a number");
    at = static_cast<std::size_t>(end - text.data());
    return value;
  }
  Id id() {
    const std::int64_t value = integer();
    if (value < 0 || value >= maxId)
      fail("KILN-P003", "number <|" + std::to_string(value) +
                            "|> is outside [|0 to " +
                            std::to_string(maxId - 1) + "|]");
    return static_cast<Id>(value);
  }

  unsigned hexDigit() {
    if (at < text.size()) {
      const char c = text[at++];
      if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a' + 10);
      --at;
    }
    failExpected("a hexadecimal digit");
  }

  std::string string() {
    skip();
    if (at >= text.size() || text[at] != '"')
      failExpected("a quoted text");
    ++at;
    std::string result;
    while (at < text.size() && text[at] != '"' && text[at] != '\n') {
      char c = text[at++];
      if (c == '\\' && at < text.size()) {
        c = text[at++];
        if (c == 'x') {
          const unsigned high = hexDigit();
          c = static_cast<char>(high * 16 + hexDigit());
        } else if (c != '"' && c != '\\') {
          fail("KILN-P001", "unknown escape in a quoted text");
        }
      }
      result += c;
    }
    if (at >= text.size() || text[at] != '"')
      fail("KILN-P001", "a quoted text does not end on its line");
    ++at;
    return result;
  }

  std::vector<std::int64_t> list() {
    std::vector<std::int64_t> result;
    expect('[');
    if (accept(']'))
      return result;
    do
      result.push_back(integer());
    while (accept(','));
    expect(']');
    return result;
  }

  template <class Enum, std::size_t N>
  Enum enumerator(const std::array<std::string_view, N> &names,
                  std::string_view what) {
    return namedBy(what, [&](std::string_view text) {
      return parseName<Enum>(names, text);
    });
  }
  /// A case of an enumeration of isa.
  template <class Enum> Enum enumerator(std::string_view what) {
    return namedBy(what, isa::parse<Enum>);
  }
  /// What `parse` finds for a word.
  auto namedBy(std::string_view what, const auto &parse) {
    skip();
    const std::size_t start = at;
    const auto result = parse(word(what));
    if (!result) {
      at = start;
      failExpected(what);
    }
    return *result;
  }
  DType dtype() { return namedBy("an element type", isa::parseDType); }

  std::string_view text;
  std::size_t at = 0;
};

} // namespace detail
} // namespace kiln::program

#endif // KILN_DSL_LIB_PROGRAM_SCANNER_H
