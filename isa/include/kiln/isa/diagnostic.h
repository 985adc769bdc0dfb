//===- diagnostic.h - Errors as values ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_DIAGNOSTIC_H
#define KILN_ISA_DIAGNOSTIC_H

#include "kiln/isa/marked_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln::isa {

enum class Severity : std::uint8_t { error, warning };

/// The side that is at fault.
enum class Blame : std::uint8_t { user, kiln };

/// Something involved in a mistake, such as an instruction or a declaration.
struct DiagnosticParty {
  std::string role; ///< "vector #12", "rank 1 sync #3", or what a note says.
  std::string instruction = {};       ///< Disassembled; may be empty.
  std::string file = {};              ///< The user's source; may be empty.
  std::uint32_t line = 0, column = 0; ///< 1-based; 0 = unknown.
};

/// An error or warning: a code with a page in docs/errors, one sentence with
/// the numbers found and allowed, and the place in the text, if there is one.
struct Diagnostic {
  std::string code; ///< "KILN-I012".
  std::string text;
  std::string file = {};    ///< The assembly file or the user's source.
  std::uint32_t line = 0;   ///< 1-based; 0 = no place.
  std::uint32_t column = 0; ///< 1-based.
  std::string excerpt = {}; ///< The offending line, for the caret.
  Severity severity = Severity::error;
  Blame blame = Blame::user;
  std::string fix = {}; ///< What to do, if the text does not say it.
  /// The parts of the text that say what was found and what is allowed, for
  /// programs. Both are empty if the text compares nothing.
  std::string found = {}, allowed = {};
  std::vector<DiagnosticParty> parties = {};

  /// "file:line:column: error: text [code]", the caret line if known, and a
  /// line "file:line: note: role" for each party.
  std::string str() const;

  void setText(MarkedText marked) {
    text = std::move(marked.text);
    found = std::move(marked.found);
    allowed = std::move(marked.allowed);
  }
};

/// An error; parts of the text may be marked.
inline Diagnostic makeError(std::string_view code, std::string marked) {
  Diagnostic error;
  error.code = code;
  error.setText(MarkedText(std::move(marked)));
  return error;
}

/// A value or the reason why there is none.
template <class T> class Expected {
public:
  Expected(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Expected(Diagnostic error)
      : storage(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return storage.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T &operator*() { return std::get<0>(storage); }
  const T &operator*() const { return std::get<0>(storage); }
  T *operator->() { return &std::get<0>(storage); }
  const T *operator->() const { return &std::get<0>(storage); }

  const Diagnostic &error() const { return std::get<1>(storage); }

private:
  std::variant<T, Diagnostic> storage;
};

} // namespace kiln::isa

#endif // KILN_ISA_DIAGNOSTIC_H
