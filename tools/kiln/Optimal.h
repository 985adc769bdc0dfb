//===- Optimal.h - Whether the exact solver's schedules are faster --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_OPTIMAL_H
#define KILN_TOOLS_KILN_OPTIMAL_H

#include "Compiler.h"

#include <functional>

namespace kiln::tool {

using CompileOnce = std::function<CompiledCores(const CompileSettings &)>;

/// What --optimal gives: the exact solver improves each loop, but passes behind
/// it overlap loops and assign memory, so the whole may be slower. Both are
/// timed, one rank, and the faster one is kept.
CompiledCores compileOptimal(const CompileSettings &settings,
                             const CompileOnce &compile);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_OPTIMAL_H
