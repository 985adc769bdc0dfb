//===- Screen.h - Text as a terminal shows it ----------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_SCREEN_H
#define KILN_TOOLS_KILN_SCREEN_H

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::tool {

/// What standard output is written to. A file and a pipe have no colour, and no
/// width unless COLUMNS gives one.
struct Screen {
  bool hasColour = false;
  std::size_t columns = 0; ///< 0: lines may have any length.
};

/// The terminal of standard output; without colour if NO_COLOR is set, or if
/// TERM says that it has none. A number in COLUMNS is its width.
Screen standardOutput();

/// A report for `screen`. Its first line, headings (behind an empty line) and
/// cards ("  12.3 %  4.56 us  ..") stand out. Lines that are too long are cut;
/// the texts of cards, twelve columns in, go on in the next line.
std::string shownOn(const Screen &screen, std::string_view text);

/// A text for `screen` without cuts: a line that is too long continues in the
/// next one, indented further.
std::string wrappedOn(const Screen &screen, std::string_view text);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_SCREEN_H
