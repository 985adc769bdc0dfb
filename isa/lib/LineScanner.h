//===- LineScanner.h - Reads one line of assembly -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_LIB_LINESCANNER_H
#define KILN_ISA_LIB_LINESCANNER_H

#include "kiln/isa/diagnostic.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace kiln::isa {

constexpr std::int64_t uint32Max = std::numeric_limits<std::uint32_t>::max();

/// A cursor over one line. Every read skips blanks first; what does not read
/// records an error with the column and returns false. Only the first error
/// counts.
class LineScanner {
public:
  LineScanner(std::string_view line, std::string_view fileName,
              std::uint32_t number)
      : line(line), fileName(fileName), number(number) {}

  /// Nothing but blanks or a comment is left.
  bool atEnd();
  /// Moves past blanks; true if `text` stands there, which is then consumed.
  /// A word is only consumed whole.
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  /// True if `text` stands next; consumes nothing.
  bool peek(std::string_view text);

  /// The line begins with a '.'.
  bool isDirective() const {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && line[first] == '.';
  }
  /// The next character behind blanks, or 0.
  char peekChar();
  /// Exactly here, without skipping blanks.
  bool acceptChar(char c);
  /// True before `+ r5` and `- r5`.
  bool peekTerm();

  bool word(std::string_view &out, std::string_view what);
  /// A word, or any bytes in quotes.
  bool name(std::string &out, std::string_view what);
  bool string(std::string &out);
  /// Decimal or 0x..., with a sign if `low` is negative.
  bool integer(std::int64_t &out, std::int64_t low, std::int64_t high,
               std::string_view what);
  /// Decimal only: the x of `512x1` is not a hexadecimal prefix.
  bool decimal(std::int64_t &out, std::int64_t low, std::int64_t high,
               std::string_view what);
  bool floating(float &out, std::string_view what);
  /// `<prefix><number>` as in r5, s12, p0.
  bool numbered(char prefix, std::int64_t &out, std::int64_t high,
                std::string_view what);
  /// All hexadecimal digits from here.
  std::string_view hexDigits();
  /// Behind the ';', if there is a comment.
  std::string_view comment();

  bool fail(std::string_view code, std::string text);
  /// Points the next error at where the last read began.
  bool failAtLast(std::string_view code, std::string text);
  const std::optional<Diagnostic> &error() const { return diagnostic; }

private:
  void skipBlanks();
  std::string_view rest() const { return line.substr(at); }
  bool number64(std::int64_t &out, bool hex, std::int64_t low,
                std::int64_t high, std::string_view what);

  std::string_view line;
  std::string_view fileName;
  std::uint32_t number;
  std::size_t at = 0;
  std::size_t last = 0; ///< Where the last read began.
  std::optional<Diagnostic> diagnostic;
};

} // namespace kiln::isa

#endif // KILN_ISA_LIB_LINESCANNER_H
