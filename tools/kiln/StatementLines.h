//===- StatementLines.h - Lines on which compilers agree -------*- C++ -*--===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In an expression of several lines, compilers give an operation different
// lines: g++ the one where its last operand ends, or that of the operator,
// clang the one where its first operand begins. All of them are in one
// statement, so a Program names its first line: equal sources give equal
// Programs.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_STATEMENTLINES_H
#define KILN_TOOLS_KILN_STATEMENTLINES_H

#include "kiln/program.h"

#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// The statements of a C++ text.
class StatementLines {
public:
  explicit StatementLines(std::string_view text);

  /// Where the statement on `line` begins. Statements that share a line count
  /// as one.
  std::uint32_t firstLine(std::uint32_t line) const;

private:
  struct Range {
    std::uint32_t first = 0, last = 0;
  };
  void add(Range range);

  std::vector<Range> ranges; ///< Ascending, apart.
};

/// Files that kernels were compiled from, with the text that they have.
void knowSources(const std::vector<std::string> &files);

/// Gives operations that were recorded from known files the first lines of
/// their statements.
void useStatementLines(program::Program &program);
/// The same for calls that lead to a line of `file`.
std::vector<program::CallSite>
statementsOf(std::vector<program::CallSite> calls, const std::string &file);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_STATEMENTLINES_H
