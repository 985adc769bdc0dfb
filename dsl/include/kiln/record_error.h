//===- record_error.h - What recording throws -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RECORD_ERROR_H
#define KILN_RECORD_ERROR_H

#include "kiln/isa/marked_text.h"

#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <utility>

namespace kiln {

/// A mistake in a kernel, found while it was recorded. `code` has a page in
/// docs/errors. The message names what was found and what is allowed, and may
/// mark both (marked_text.h).
class RecordError : public std::exception {
public:
  RecordError(std::string code, std::string message, std::string fix,
              std::source_location where)
      : RecordError(std::move(code), std::move(message), std::move(fix),
                    where.file_name(), where.line()) {}
  RecordError(std::string code, std::string marked, std::string fix,
              std::string file = {}, std::uint32_t line = 0)
      : code(std::move(code)), fix(std::move(fix)), file(std::move(file)),
        line(line) {
    isa::MarkedText parts(std::move(marked));
    message = std::move(parts.text);
    found = std::move(parts.found);
    allowed = std::move(parts.allowed);
    if (!this->file.empty())
      text.append(this->file)
          .append(":")
          .append(std::to_string(line))
          .append(": ");
    text.append("error: ").append(this->message);
    text.append(" [").append(this->code).append("]");
    if (!this->fix.empty())
      text.append("\n  fix: ").append(this->fix);
  }

  const char *what() const noexcept override { return text.c_str(); }

  std::string code; ///< KILN-Annn
  std::string message;
  std::string found, allowed; ///< Parts of the message; may be empty.
  std::string fix;
  std::string file; ///< The user's file; empty if no line is at fault.
  std::uint32_t line = 0;

private:
  std::string text;
};

} // namespace kiln

#endif // KILN_RECORD_ERROR_H
