//===- ModuloSolver.h - A solver that remembers ---------*- C++ -*---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_SOLVE_MODULOSOLVER_H
#define KILN_COMPILER_SOLVE_MODULOSOLVER_H

#include "kiln/compiler/problem/ModuloProblem.h"
#include "kiln/compiler/solve/OrderSolver.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::problems {

/// Solves equal problems once: a kernel may have a loop for each section of its
/// keys, and what does not fit on chip is compiled again. Problems are equal if
/// they differ only in room that the search would not have used otherwise.
class ModuloSolver {
public:
  ModuloSolver();
  ~ModuloSolver();
  ModuloSolver(const ModuloSolver &) = delete;
  ModuloSolver &operator=(const ModuloSolver &) = delete;

  /// As solveModulo().
  std::optional<ModuloSolution> solve(const ModuloProblem &problem,
                                      const ModuloOptions &options);
  /// As solveModuloRobustly().
  std::optional<ModuloSolution> solveRobustly(const ModuloProblem &problem,
                                              const ModuloOptions &options);

  /// As listModulo().
  ModuloSolution list(const ModuloProblem &problem, std::uint32_t copies);

  /// Searches that were made, for tests.
  unsigned searches() const { return made + orders.searches(); }

private:
  struct Answer;
  template <class Search>
  const std::vector<ModuloSolution> &answerTo(const ModuloProblem &problem,
                                              const std::string &options,
                                              Search search);

  /// By the problem without its room, and the options that matter.
  std::map<std::string, std::vector<Answer>> answers;
  unsigned made = 0;
  OrderSolver orders;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_SOLVE_MODULOSOLVER_H
