//===- ExactTest.cpp - The library's loops against an exact solver --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler writes down the problem of each loop that it may pipeline. No
// schedule is known for it that is more than 3 % shorter than that of the
// iterative solver, and for three quarters of the loops, the bound or Z3 proves
// that there is none. The compiler may lengthen the interval a little after
// that, for slack (solveModuloRobustly).
//
//===----------------------------------------------------------------------===//

#include "catch.h"

#include "kiln/compiler/compile.h"
#include "kiln/compiler/problem/ModuloExact.h"
#include "kiln/isa/target.h"
#include "kiln/kernels/library.h"
#include "kiln/record.h"

#include <set>

using namespace kiln;
using namespace kiln::problems;

namespace {

struct Sized {
  const char *kernel;
  ParameterValues parameters;
};

/// The library at the sizes of models; loops do not depend on them otherwise.
const std::vector<Sized> &sized() {
  static const std::vector<Sized> all{
      {"flash_attention", {{"seq-q", "8192"}, {"seq-k", "8192"}}},
      {"flash_attention",
       {{"seq-q", "8192"}, {"seq-k", "8192"}, {"head-dim", "64"}}},
      {"flash_attention",
       {{"seq-q", "8192"}, {"seq-k", "8192"}, {"causal", "true"}}},
      {"layernorm", {{"rows", "4096"}, {"cols", "4096"}, {"dtype", "bf16"}}},
      {"matmul", {{"m", "2048"}, {"k", "2048"}, {"n", "2048"}}},
      {"matmul", {{"m", "4096"}, {"k", "8192"}, {"n", "8192"}}},
      {"qkv", {{"tokens", "2048"}, {"hidden", "4096"}, {"heads", "32"}}},
      {"rmsnorm", {{"rows", "4096"}, {"cols", "4096"}, {"dtype", "bf16"}}},
      {"softmax", {{"rows", "4096"}, {"cols", "4096"}, {"dtype", "bf16"}}},
      {"softmax", {{"rows", "1000"}, {"cols", "512"}, {"dtype", "f32"}}},
      {"ring_all_gather", {{"group", "8"}}},
      {"ring_reduce_scatter", {{"group", "8"}}},
      {"sbuf_all_reduce", {{"group", "8"}}},
  };
  return all;
}

std::vector<std::string> loopProblemsOf(const Sized &wanted,
                                        const std::string &target) {
  compiler::CompileOptions options;
  options.target = *isa::findTarget(target);
  options.keepProblems = true;
  const auto compiled = compiler::compile(
      kernels::find(wanted.kernel)->record(wanted.parameters), options);
  for (const auto &diagnostic : compiled.diagnostics)
    UNSCOPED_INFO(diagnostic.str());
  REQUIRE(compiled.module);
  return compiled.loopProblems;
}

} // namespace

TEST_CASE("Z3 finds nothing 3 % below the iterative solver", "[exact]") {
  unsigned byBound = 0, byZ3 = 0, unsolved = 0, unscheduled = 0;
  std::set<std::string> seen;
  for (const Sized &wanted : sized())
    for (const char *const target : {"trn1", "trn2", "trn3"})
      for (const std::string &text : loopProblemsOf(wanted, target)) {
        if (!seen.insert(text).second)
          continue;
        INFO(wanted.kernel << " for " << target << "\n" << text);
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
