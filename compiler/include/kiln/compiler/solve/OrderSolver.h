//===- OrderSolver.h - A solver that remembers ------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_SOLVE_ORDERSOLVER_H
#define KILN_COMPILER_SOLVE_ORDERSOLVER_H

#include "kiln/compiler/problem/OrderProblem.h"

#include <deque>

namespace kiln::problems {

/// Solves equal problems once: a loop that is unrolled so that buffers come
/// round has the same block for each of its turns. They are close to each
/// other, so only the last few problems are kept.
class OrderSolver {
public:
  /// As solveOrder().
  OrderSolution solve(const OrderProblem &problem);

  /// Searches that were made, for tests.
  unsigned searches() const { return made; }

private:
  struct Answer {
    OrderProblem problem;
    OrderSolution found;
  };
  std::deque<Answer> answers; ///< The latest first.
  unsigned made = 0;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_SOLVE_ORDERSOLVER_H
