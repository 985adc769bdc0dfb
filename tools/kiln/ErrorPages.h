//===- ErrorPages.h - What a code means -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_ERRORPAGES_H
#define KILN_TOOLS_KILN_ERRORPAGES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// A page of docs/errors, as it was when the tool was built.
struct ErrorPage {
  std::string_view code;  ///< "KILN-X005".
  std::string_view title; ///< "a race".
  std::string_view text;  ///< All of it, as Markdown.

  /// The text under "**NAME.**"; empty if there is none.
  std::string_view part(std::string_view name) const;
};

/// "KILN-X005" of "x005" and of "KILN-X005"; nothing if it cannot be a code.
std::optional<std::string> codeOf(std::string_view word);

std::optional<ErrorPage> findErrorPage(std::string_view code);

/// Pages of the same letter, the next numbers first; of an unknown letter none.
std::vector<ErrorPage> nearPages(std::string_view code, std::size_t most);

/// The letters that codes have: "A, C, I, ...".
std::string codeLetters();

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_ERRORPAGES_H
