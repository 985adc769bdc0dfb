//===- marked_text.h - A message that says what it compares -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is written once, with marks around <|what was found|> and [|what is
// allowed|]. The marks are removed: readers get the text, and programs get the
// two parts separately.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_MARKED_TEXT_H
#define KILN_ISA_MARKED_TEXT_H

#include <string>
#include <string_view>
#include <utility>

namespace kiln::isa {

struct MarkedText {
  std::string text;           ///< Without marks.
  std::string found, allowed; ///< The first of each; may be empty.

  explicit MarkedText(std::string marked) : text(std::move(marked)) {
    found = take("<|", "|>");
    allowed = take("[|", "|]");
  }

private:
  /// A mark that is not closed is text.
  std::string take(std::string_view open, std::string_view close) {
    std::string first;
    for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
      const std::size_t end = text.find(close, at + open.size());
      if (end == std::string::npos)
        break;
      text.erase(end, close.size()).erase(at, open.size());
      if (first.empty())
        first = text.substr(at, end - open.size() - at);
      at = end - open.size();
    }
    return first;
  }
};

} // namespace kiln::isa

#endif // KILN_ISA_MARKED_TEXT_H
