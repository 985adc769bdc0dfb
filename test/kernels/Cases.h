//===- Cases.h - What kernels declare for their tests ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kernels/FAMILY/KERNEL/cases.txt; kernels/README.md describes the format.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_KERNELS_CASES_H
#define KILN_TEST_KERNELS_CASES_H

#include "inputs.h"

#include "kiln/record_parameters.h"

#include <string>
#include <vector>

namespace kiln::test {

enum class CaseKind {
  small, ///< Compared with the reference.
  real,  ///< The same, at the size of a real model.
  exact, ///< Its loops are compared with those of an exact solver.
};

struct Case {
  std::string kernel;
  std::string text; ///< For messages: the case with one value per word.
  CaseKind kind = CaseKind::small;
  ParameterValues parameters;
  std::string target = "trn2";
  Distribution distribution = Distribution::normal;
  unsigned ranks = 1, cores = 1;
  double tolerance = 1;
};

/// The cases of one file, but for those that scripts read (cases.py). Throws
/// std::runtime_error with the line of a mistake.
std::vector<Case> readCases(const std::string &kernel, const std::string &path);

/// Those of this kind of all kernels of the library.
std::vector<Case> casesOf(CaseKind kind);

} // namespace kiln::test

#endif // KILN_TEST_KERNELS_CASES_H
