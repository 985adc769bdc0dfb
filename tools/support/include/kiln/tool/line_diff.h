//===- line_diff.h - What differs between two texts -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOL_LINE_DIFF_H
#define KILN_TOOL_LINE_DIFF_H

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::tool {

struct LineDiff {
  std::size_t added = 0, removed = 0; ///< Lines.
  /// Stretches that differ, each after "@@ LINE @@", its first line in the
  /// new text; with up to two lines that are alike around them. Lines begin
  /// with '+', '-' or ' '.
  std::string text;
};

/// Lines of IR are alike if they differ only in names of values and in their
/// indentation: a pass that adds a value renames all values after it. The
/// result shows lines that are alike as `after` has them.
LineDiff diffOfIr(std::string_view before, std::string_view after);

} // namespace kiln::tool

#endif // KILN_TOOL_LINE_DIFF_H
