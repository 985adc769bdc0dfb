//===- Diagnostic.cpp - What went wrong, as text -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/diagnostic.h"

#include <fmt/format.h>

namespace kiln::isa {

std::string Diagnostic::str() const {
  std::string out;
  if (!file.empty())
    out += file + ":";
  if (line != 0)
    out += fmt::format("{}:", line);
  if (line != 0 && column != 0)
    out += fmt::format("{}:", column);
  if (!out.empty())
    out += ' ';
  out += fmt::format("{}: {} [{}]",
                     severity == Severity::error ? "error" : "warning", text,
                     code);
  if (!excerpt.empty() && column != 0)
    out += fmt::format("\n  {}\n  {:>{}}", excerpt, '^', column);
  return out;
}

} // namespace kiln::isa
