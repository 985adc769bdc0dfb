//===- PipelineLayout.cpp - Prologue, steady state, epilogue --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineLayout.h"

#include "kiln/isa/rounding.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>

using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

/// Rounds copies up to divisors of `body`, unless they are fixed; false if they
/// do not fit.
static bool divide(const problems::ModuloProblem &problem, uint32_t body,
                   problems::ModuloSolution &solution, bool isFixed) {
  for (uint32_t &copies : solution.copies)
    while (body % copies != 0)
      if (isFixed || ++copies > body)
        return false;
  return llvm::all_of(
      std::array{isa::Space::sbuf, isa::Space::psum}, [&](isa::Space space) {
        return problem.taken(space, solution.copies) <= problem.room(space);
      });
}

uint32_t kiln::compiler::nc::chooseBody(const problems::ModuloProblem &problem,
                                        problems::ModuloSolution &solution,
                                        uint64_t trips, bool dividesTrips,
                                        bool isFixed) {
  for (uint32_t body = solution.unroll; body <= mostIterations;
       body += solution.unroll) {
    problems::ModuloSolution rounded = solution;
    if ((dividesTrips && trips % body != 0) ||
        !divide(problem, body, rounded, isFixed))
      continue;
    solution = std::move(rounded);
    return body;
  }
  return 0;
}

std::optional<PipelineLayout>
kiln::compiler::nc::layOut(const problems::ModuloProblem &problem,
                           problems::ModuloSolution &solution, uint64_t trips,
                           bool isNested, bool isFixed) {
  PipelineLayout layout;
  if (isNested)
    layout.body =
        chooseBody(problem, solution, trips, /*dividesTrips=*/true, isFixed);
  if (layout.body == 0)
    layout.body =
        chooseBody(problem, solution, trips, /*dividesTrips=*/false, isFixed);
  if (layout.body == 0)
    return std::nullopt;
  const int64_t latest =
      *std::max_element(solution.start.begin(), solution.start.end());
  layout.begin = latest / solution.interval * solution.interval;
  layout.duration = solution.interval * (layout.body / solution.unroll);
  // A trip holds `body` executions of each instruction, from the first that
  // starts at `begin` or later.
  uint64_t last = 0; // Iterations begun in the first trip.
  for (size_t node = 0; node < solution.start.size(); ++node) {
    const int64_t before = layout.begin - solution.start[node];
    const int64_t skipped =
        before <= 0 ? 0 : isa::ceilDiv(before, solution.interval);
    last = std::max<uint64_t>(last, skipped * solution.unroll + layout.body);
  }
  layout.least = static_cast<uint32_t>(last);
  layout.rounds = trips < last
                      ? 0
                      : static_cast<uint32_t>(1 + (trips - last) / layout.body);
  return layout;
}
