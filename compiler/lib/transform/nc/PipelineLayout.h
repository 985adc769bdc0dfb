//===- PipelineLayout.h - Prologue, steady state, epilogue -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_PIPELINELAYOUT_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_PIPELINELAYOUT_H

#include "kiln/compiler/problem/ModuloProblem.h"

#include <cstdint>
#include <optional>

namespace kiln::compiler::nc {

/// Iterations in the body of the new loop, at most.
inline constexpr std::uint32_t mostIterations = 16;

/// How the executions of a loop of `trips` iterations are laid out.
struct PipelineLayout {
  uint32_t body = 0;    ///< Iterations that the new loop runs at once.
  uint32_t rounds = 0;  ///< Trips of the new loop; 0 = none.
  int64_t begin = 0;    ///< ps at which its first trip begins.
  int64_t duration = 0; ///< ps of a trip.
  /// Iterations begun before the end of the first trip: with fewer, there is
  /// none.
  uint32_t least = 0;
  /// Of the iterations of another engine: see ModuloTurns.
  int64_t shift = 0;

  /// Too few trips for a loop.
  bool isOpen() const { return rounds < 2; }
  /// Iterations after which the order repeats.
  int64_t period(uint64_t trips) const {
    return static_cast<int64_t>(isOpen() ? trips : body);
  }
};

/// Iterations in a body that all numbers of copies divide, which are rounded up
/// to that unless they are fixed; 0 if there are none. If they divide the
/// trips, too, the copies go on round where the loop around it comes here
/// again.
std::uint32_t chooseBody(const problems::ModuloProblem &problem,
                         problems::ModuloSolution &solution,
                         std::uint64_t trips, bool dividesTrips,
                         bool isFixed = false);

/// Of `trips` iterations, with copies that are rounded up for it; nothing if no
/// body has room for them.
std::optional<PipelineLayout> layOut(const problems::ModuloProblem &problem,
                                     problems::ModuloSolution &solution,
                                     std::uint64_t trips, bool isNested,
                                     bool isFixed);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_PIPELINELAYOUT_H
