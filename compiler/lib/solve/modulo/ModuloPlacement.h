//===- ModuloPlacement.h - Start times at one interval --*- C++ -*- -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_MODULO_MODULOPLACEMENT_H
#define KILN_COMPILER_LIB_SOLVE_MODULO_MODULOPLACEMENT_H

#include "ModuloGraph.h"

namespace kiln::problems {

/// What a transfer finds on the DMA engines.
enum class Transfers : std::uint8_t {
  placed, ///< A place of its own, at the time at which it issues.
  /// A queue: only all transfers together have to fit in an interval. While a
  /// stream issues a transfer of many descriptors, the engines work off those
  /// before it. With places, they would idle.
  queued,
};

/// Start times of all nodes, or nothing if a cycle needs a longer interval, or
/// if `placements` per node were not enough in any of so many `attempts`. The
/// first one follows the heights, the others vary them.
std::optional<std::vector<std::int64_t>>
placeModulo(const ModuloGraph &graph, std::int64_t interval,
            unsigned placements, unsigned attempts, Transfers transfers);

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_MODULO_MODULOPLACEMENT_H
