//===- ParsedProgram.h - A Program from its text --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNIT_DSL_PARSEDPROGRAM_H
#define KILN_TEST_UNIT_DSL_PARSEDPROGRAM_H

#include "catch.h"
#include "kiln/program_text.h"

#include <string>
#include <utility>

namespace kiln::test {

inline program::Program parsed(const std::string &text) {
  program::ParseResult result = program::parseProgram(text);
  INFO(result.error.line << ":" << result.error.column << " "
                         << result.error.text);
  REQUIRE(result);
  return std::move(*result.program);
}

inline const std::string header = "kiln.program 1\nkernel \"k\"\nflops 0\n";

} // namespace kiln::test

#endif // KILN_TEST_UNIT_DSL_PARSEDPROGRAM_H
