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

struct Case {
  std::string kernel;
  std::string text; ///< For messages: the case with one value per word.
  bool isReal = false;
  ParameterValues parameters;
  std::string target = "trn2";
  Distribution distribution = Distribution::normal;
  unsigned ranks = 1, cores = 1;
  double tolerance = 1;
};

/// All cases of one file. Throws std::runtime_error with the line of a mistake.
std::vector<Case> readCases(const std::string &kernel, const std::string &path);

} // namespace kiln::test

#endif // KILN_TEST_KERNELS_CASES_H
