//===- ModuloRecurrences.h - The cycles that bound a loop -----*- C++ -*---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_SOLVE_MODULORECURRENCES_H
#define KILN_COMPILER_SOLVE_MODULORECURRENCES_H

#include "kiln/compiler/problem/ModuloProblem.h"

namespace kiln::problems {

/// A cycle of dependences, and of buffers with a number of copies, that forbids
/// every interval below `interval`.
struct ModuloRecurrence {
  struct Link {
    std::uint32_t from = 0;
    std::int64_t latency = 0;
    std::uint32_t distance = 0;
    std::optional<std::uint32_t> buffer; ///< `from` frees a copy of it.
  };
  std::int64_t interval = 0;
  std::vector<Link> links; ///< In order; the last one leads to the first.
};

/// The worst cycle, then the worst of those that share no edge between
/// iterations with it, and so on: `most` at most. Buffers to which `copies`
/// gives 0 add no constraint.
std::vector<ModuloRecurrence>
moduloRecurrences(const ModuloProblem &problem,
                  const std::vector<std::uint32_t> &copies, std::size_t most);

} // namespace kiln::problems

#endif // KILN_COMPILER_SOLVE_MODULORECURRENCES_H
