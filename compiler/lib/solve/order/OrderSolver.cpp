//===- OrderSolver.cpp - A solver that remembers --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/solve/OrderSolver.h"

#include <algorithm>

namespace kiln::problems {

/// A turn of an unrolled loop is a few blocks.
static constexpr std::size_t mostKept = 16;

OrderSolution OrderSolver::solve(const OrderProblem &problem) {
  const auto known =
      std::find_if(answers.begin(), answers.end(), [&](const Answer &answer) {
        return answer.problem == problem;
      });
  if (known != answers.end())
    return known->found;
  ++made;
  answers.push_front({problem, solveOrder(problem)});
  if (answers.size() > mostKept)
    answers.pop_back();
  return answers.front().found;
}

} // namespace kiln::problems
