//===- modulo_text.h - Modulo problems as tests write them -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNIT_COMPILER_PROBLEMS_MODULOTEXT_H
#define KILN_TEST_UNIT_COMPILER_PROBLEMS_MODULOTEXT_H

#include "catch.h"

#include "kiln/compiler/problem/ModuloProblem.h"

#include <string>

namespace kiln::problems {

/// Fails the test if the text is no problem.
inline ModuloProblem parsed(const std::string &text) {
  Parsed<ModuloProblem> result = parseModuloProblem(text);
  INFO(result.error);
  REQUIRE(result.value);
  return *result.value;
}

} // namespace kiln::problems

#endif // KILN_TEST_UNIT_COMPILER_PROBLEMS_MODULOTEXT_H
