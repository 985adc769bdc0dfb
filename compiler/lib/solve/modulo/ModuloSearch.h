//===- ModuloSearch.h - The search, and what it depends on -*- C++ -*------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_MODULO_MODULOSEARCH_H
#define KILN_COMPILER_LIB_SOLVE_MODULO_MODULOSEARCH_H

#include "kiln/compiler/problem/ModuloProblem.h"

#include <limits>

namespace kiln::problems {

/// The bytes of SBUF that a search may use, and for which other numbers of
/// bytes all its questions have the same answer.
class RoomRange {
public:
  explicit RoomRange(std::int64_t room) : room(room) {}

  bool fits(std::int64_t bytes) {
    const bool does = bytes <= room;
    if (does)
      least = std::max(least, bytes);
    else
      end = std::min(end, bytes);
    return does;
  }
  bool contains(std::int64_t other) const {
    return other >= least && other < end;
  }

private:
  std::int64_t room;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

std::optional<ModuloSolution> searchModulo(const ModuloProblem &problem,
                                           const ModuloOptions &options,
                                           RoomRange &rooms);

/// A schedule for each margin that has one.
std::vector<ModuloSolution> searchWithMargins(const ModuloProblem &problem,
                                              ModuloOptions options,
                                              RoomRange &rooms);
/// The one of them that is fastest in a replay with longer latencies.
std::optional<ModuloSolution>
mostRobust(const ModuloProblem &problem, const ModuloOptions &options,
           const std::vector<ModuloSolution> &found);

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_MODULO_MODULOSEARCH_H
