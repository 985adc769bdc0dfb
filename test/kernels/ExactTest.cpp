//===- ExactTest.cpp - The library's loops against an exact solver --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler writes down the problem of each loop that it may pipeline, of
// kernels at the sizes that they declare for this (`exact` cases). No
// schedule is known for it that is more than 3 % shorter than that of the
// iterative solver, and for three quarters of the loops, the bound or Z3 proves
// that there is none. The compiler may lengthen the interval a little after
// that, for slack (solveModuloRobustly).
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "catch.h"

#include "kiln/compiler/compile.h"
#include "kiln/compiler/problem/ModuloExact.h"
#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/record.h"

#include <set>

namespace kiln::test::exact_test {

using namespace kiln::problems;

namespace {

std::vector<std::string> loopProblemsOf(const test::Case &wanted) {
  compiler::CompileOptions options;
  options.target = *isa::findTarget(wanted.target);
  options.keepProblems = true;
  const auto compiled = compiler::compile(
      kernels::find(wanted.kernel)
          ->record(wanted.parameters,
                   {0, wanted.cores, options.target.generation}),
      options);
  for (const auto &diagnostic : compiled.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(compiled.module);
  return compiled.loopProblems;
}

} // namespace

TEST_CASE("Z3 finds nothing 3 % below the iterative solver", "[exact]") {
  unsigned byBound = 0, byZ3 = 0, unsolved = 0, unscheduled = 0;
  std::set<std::string> seen;
  for (const test::Case &wanted : test::casesOf(test::CaseKind::exact))
    for (const std::string &text : loopProblemsOf(wanted)) {
      if (!seen.insert(text).second)
        continue;
      INFO(wanted.text << "\n" << text);
      const Parsed<ModuloProblem> parsed = parseModuloProblem(text);
      REQUIRE(parsed.value);
      const ModuloProblem &problem = *parsed.value;
      const std::optional<ModuloSolution> found = solveModulo(problem, {});
      if (!found) { // No interval within reach: the loop stays as it is.
        ++unscheduled;
        continue;
      }
      CHECK(verify(problem, *found) == std::nullopt);
      // Longer than 3 % above this.
      const std::int64_t shorter = found->interval * 100 / 103;
      if (shorter <= moduloBounds(problem).bound()) {
        ++byBound;
        continue;
      }
      const ExactAnswer answer = solveAtInterval(problem, shorter - 1);
      CHECK(answer.feasibility != Feasibility::possible);
      (answer.feasibility == Feasibility::impossible ? byZ3 : unsolved) += 1;
    }
  INFO("within 3 % by the bound: " << byBound << ", by Z3: " << byZ3
                                   << ", open: " << unsolved
                                   << ", not scheduled: " << unscheduled);
  CHECK(byBound + byZ3 > 3 * (unsolved + unscheduled));
}

} // namespace kiln::test::exact_test
