//===- ModuloExact.h - The shortest interval there is ---------*- C++ -*---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimal modulo scheduling (Eichenberger and Davidson, "Efficient Formulation
// for Optimal Modulo Schedulers", PLDI 1997), here as questions to an SMT
// solver (de Moura and Bjorner, "Z3: An Efficient SMT Solver", TACAS 2008). It
// is the oracle for the iterative solver, and `kiln compile --optimal` uses it.
// A schedule with one interval also gives one with every longer interval,
// because stages and the times within them stay, so bisection finds the
// shortest.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROBLEM_MODULOEXACT_H
#define KILN_COMPILER_PROBLEM_MODULOEXACT_H

#include "kiln/compiler/problem/ModuloProblem.h"

namespace kiln::problems {

struct ExactOptions {
  /// Steps of Z3 for one question (its `rlimit`), never time: the answer is the
  /// same on every host.
  std::uint32_t steps = 2'000'000;
  std::int64_t margin = 0; ///< ps; see ModuloOptions.
  /// Deepest schedule asked for, in intervals; 0 = any.
  std::int64_t mostStages = 0;
};

enum class Feasibility : std::uint8_t { possible, impossible, unknown };

struct ExactAnswer {
  Feasibility feasibility = Feasibility::unknown;
  std::optional<ModuloSolution> solution; ///< Where it is possible.
};

/// Whether one iteration can start every `interval` ps.
ExactAnswer solveAtInterval(const ModuloProblem &problem, std::int64_t interval,
                            const ExactOptions &options = {});

struct ExactOptimum {
  /// The best one found; nothing if none below `mostInterval` was.
  std::optional<ModuloSolution> solution;
  std::int64_t impossible = 0; ///< The longest interval proved impossible.
  bool isProved = false; ///< No interval is shorter by more than `precision`.
};

/// Halves what is between the bound and `mostInterval` until `precision` ps are
/// left, or Z3 runs out of steps.
ExactOptimum solveExactly(const ModuloProblem &problem,
                          std::int64_t mostInterval, std::int64_t precision,
                          const ExactOptions &options = {});

/// `known`, or a better schedule: the shortest interval, and at that interval
/// the largest margin that Z3 finds. Its interval is never longer than that of
/// `known`, which is returned unchanged if it starts several iterations
/// together.
ModuloSolution improveExactly(const ModuloProblem &problem,
                              const ModuloSolution &known,
                              const ExactOptions &options = {});

} // namespace kiln::problems

#endif // KILN_COMPILER_PROBLEM_MODULOEXACT_H
