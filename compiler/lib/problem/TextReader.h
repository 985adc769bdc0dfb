//===- TextReader.h - Words of a line, for the text forms -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROBLEM_TEXTREADER_H
#define KILN_COMPILER_LIB_PROBLEM_TEXTREADER_H

#include "kiln/compiler/problem/Common.h"
#include "kiln/isa/dtype.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kiln::problems {

/// Reads a text line by line, word by word. '#' starts a comment.
class TextReader {
public:
  explicit TextReader(std::string_view text) : text(text) {}

  /// Goes to the next line that has a word; false at the end.
  bool nextLine() {
    while (!text.empty()) {
      std::size_t end = text.find('\n');
      rest = text.substr(0, end);
      rest = rest.substr(0, rest.find('#'));
      text = end == std::string_view::npos ? std::string_view()
                                           : text.substr(end + 1);
      ++lineNumber;
      skipSpace();
      if (!rest.empty())
        return true;
    }
    return false;
  }
  bool atEnd() const { return rest.empty(); }

  /// The next word; empty at the end of the line.
  std::string_view word() {
    std::size_t end = rest.find_first_of(" \t\r");
    std::string_view result = rest.substr(0, end);
    rest =
        end == std::string_view::npos ? std::string_view() : rest.substr(end);
    skipSpace();
    return result;
  }
  std::string_view peek() const {
    return rest.substr(0, rest.find_first_of(" \t\r"));
  }
  bool accept(std::string_view expected) {
    if (peek() != expected)
      return false;
    word();
    return true;
  }
  /// The rest of the line, without the space around it.
  std::string_view remainder() {
    std::string_view result = std::exchange(rest, std::string_view());
    while (!result.empty() && std::string_view(" \t\r").find(result.back()) !=
                                  std::string_view::npos)
      result.remove_suffix(1);
    return result;
  }
  /// The name of a memory on chip; sets the error if there is none.
  isa::Space onChipSpace() {
    for (const isa::Space space : {isa::Space::psum, isa::Space::sbuf})
      if (accept(isa::name(space)))
        return space;
    fail("expected sbuf or psum");
    return isa::Space::sbuf;
  }
  /// A decimal number; sets the error if there is none.
  template <class T> T number() {
    std::string_view token = word();
    T value{};
    auto [end, code] =
        std::from_chars(token.data(), token.data() + token.size(), value);
    if (code != std::errc() || end != token.data() + token.size())
      fail("expected a number, found '" + std::string(token) + "'");
    return value;
  }

  void fail(std::string_view what) {
    if (error.empty())
      error = "line " + std::to_string(lineNumber) + ": " + std::string(what);
  }
  /// After the last word of a line.
  void expectEnd() {
    if (!failed() && !atEnd())
      fail("trailing words");
  }
  bool failed() const { return !error.empty(); }
  const std::string &message() const { return error; }

private:
  void skipSpace() {
    std::size_t first = rest.find_first_not_of(" \t\r");
    rest = first == std::string_view::npos ? std::string_view()
                                           : rest.substr(first);
  }

  std::string_view text;
  std::string_view rest;
  std::string error;
  unsigned lineNumber = 0;
};

/// Reads "ENGINE" or "ENGINE QUEUE".
inline void readWhereItRuns(TextReader &reader, isa::Engine &engine,
                            std::int32_t &queue) {
  if (std::optional<isa::Engine> read = isa::parseEngine(reader.word()))
    engine = *read;
  else
    reader.fail("expected an engine");
  auto stream = parseExecutionStream(reader.peek());
  if (stream && isQueue(*stream)) {
    queue = *stream - static_cast<int>(isa::numEngines);
    reader.word();
  }
}

/// What was read, unless the text or the problem itself is wrong.
template <class T> Parsed<T> checked(const TextReader &reader, T problem) {
  if (reader.failed())
    return {std::nullopt, reader.message()};
  if (Problem wrong = problem.check())
    return {std::nullopt, *wrong};
  return {std::move(problem), ""};
}

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_PROBLEM_TEXTREADER_H
