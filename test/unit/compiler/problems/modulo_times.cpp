//===- modulo_times.cpp - The order of executions ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catch.h"
#include "kiln/compiler/problem/ModuloProblem.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

using namespace kiln::problems;

TEST_CASE("executions are in the order of their times", "[modulo]") {
  // One iteration or two in an interval, a stage that is far away, equal times.
  const std::vector<ModuloSolution> solutions = {
      {1, 10, {0, 25, 5, 25}, {}},
      {2, 10, {0, 31, 7, 31, 4, 3, 31, 40}, {}},
      {1, 10, {0, 1'000'000'000'007, 3, 10}, {}},
      {3, 7, {6, 5, 4, 3, 2, 1, 0, 14, 7, 21, 21, 21}, {}}};
  for (const ModuloSolution &solution : solutions)
    for (const auto &[first, end] : {std::pair{0u, 9u}, {4u, 5u}, {5u, 12u}}) {
      std::vector<std::array<std::int64_t, 3>> expected, found;
      const auto timed = [&](std::uint32_t operation, std::uint32_t iteration) {
        return std::array<std::int64_t, 3>{
            solution.start[iteration % solution.unroll * 4 + operation] +
                iteration / solution.unroll * solution.interval,
            iteration, operation};
      };
      for (std::uint32_t i = first; i < end; ++i)
        for (std::uint32_t operation = 0; operation < 4; ++operation)
          expected.push_back(timed(operation, i));
      std::sort(expected.begin(), expected.end());
      for (const ModuloInstance &one : moduloOrder(solution, 4, first, end))
        found.push_back(timed(one.operation, one.iteration));
      CHECK(found == expected);
    }
  CHECK(moduloOrder(solutions[0], 4, 3, 3).empty());
}
