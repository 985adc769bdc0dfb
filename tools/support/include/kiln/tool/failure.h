//===- failure.h - The one way a command ends early ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_FAILURE_H
#define KILN_TOOL_FAILURE_H

#include "kiln/isa/diagnostic.h"

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace kiln::tool {

/// Exit codes of every command; docs/tool.md lists them for users.
enum ExitCode : int {
  success = 0,
  userError = 1,     ///< The user's program or input is wrong.
  usageError = 2,    ///< The command line is wrong.
  internalError = 70 ///< Our own fault; a reproducer is written.
};

/// Thrown to end a command with one error. Caught in main() and nowhere else,
/// so that each mistake is reported once.
class Failure : public std::exception {
public:
  /// An error that the tool found; its text may be marked (marked_text.h).
  Failure(std::string_view code, std::string marked,
          ExitCode exitCode = userError)
      : Failure(isa::makeError(code, std::move(marked)), exitCode) {}
  /// An error that a library found, without a place in a text.
  explicit Failure(isa::Diagnostic diagnostic, ExitCode exitCode = userError)
      : text("kiln: error: " + diagnostic.text + " [" + diagnostic.code + "]"),
        exitCode(exitCode), diagnostics{std::move(diagnostic)} {}
  /// Errors that a library found, and their printed form.
  Failure(std::vector<isa::Diagnostic> diagnostics, std::string text)
      : text(std::move(text)), exitCode(userError),
        diagnostics(std::move(diagnostics)) {}

  const char *what() const noexcept override { return text.c_str(); }

  std::string text; ///< As it is printed.
  ExitCode exitCode;
  std::vector<isa::Diagnostic> diagnostics; ///< At least one.
};

} // namespace kiln::tool

#endif // KILN_TOOL_FAILURE_H
