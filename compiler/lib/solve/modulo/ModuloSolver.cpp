//===- ModuloSolver.cpp - A solver that remembers -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/solve/ModuloSolver.h"

#include "ModuloSearch.h"

#include <fmt/format.h>

namespace kiln::problems {

struct ModuloSolver::Answer {
  RoomRange rooms;
  std::vector<ModuloSolution> found;
};

ModuloSolver::ModuloSolver() = default;
ModuloSolver::~ModuloSolver() = default;

template <class Search>
const std::vector<ModuloSolution> &
ModuloSolver::answerTo(const ModuloProblem &problem, const std::string &options,
                       Search search) {
  ModuloProblem anyRoom = problem;
  anyRoom.sbufRoom = 0;
  std::vector<Answer> &known = answers[print(anyRoom) + options];
  for (const Answer &answer : known)
    if (answer.rooms.contains(problem.sbufRoom))
      return answer.found;
  ++made;
  RoomRange rooms(problem.sbufRoom);
  std::vector<ModuloSolution> found = search(rooms);
  return known.emplace_back(Answer{rooms, std::move(found)}).found;
}

/// What bounds every search.
static std::string limits(const ModuloOptions &options) {
  return fmt::format("{} {} {} {} {} {} {}", options.unroll,
                     options.leastInterval, options.mostInterval,
                     options.isTimed, options.raises, options.attempts,
                     options.placements);
}

std::optional<ModuloSolution>
ModuloSolver::solve(const ModuloProblem &problem,
                    const ModuloOptions &options) {
  const std::vector<ModuloSolution> &found = answerTo(
      problem, fmt::format("margin {} {}", options.margin, limits(options)),
      [&](RoomRange &rooms) {
        std::vector<ModuloSolution> one;
        if (auto solution = searchModulo(problem, options, rooms))
          one.push_back(std::move(*solution));
        return one;
      });
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::optional<ModuloSolution>
ModuloSolver::solveRobustly(const ModuloProblem &problem,
                            const ModuloOptions &options) {
  const std::vector<ModuloSolution> &found = answerTo(
      problem, fmt::format("depth {} {}", options.mostDepth, limits(options)),
      [&](RoomRange &rooms) {
        return searchWithMargins(problem, options, rooms);
      });
  return mostRobust(problem, options, found);
}

std::optional<ModuloSolution> solveModulo(const ModuloProblem &problem,
                                          const ModuloOptions &options) {
  return ModuloSolver().solve(problem, options);
}

std::optional<ModuloSolution> solveModuloRobustly(const ModuloProblem &problem,
                                                  ModuloOptions options) {
  return ModuloSolver().solveRobustly(problem, options);
}

} // namespace kiln::problems
