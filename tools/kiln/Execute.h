//===- Execute.h - Runs a launch for a command ---------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_EXECUTE_H
#define KILN_TOOLS_KILN_EXECUTE_H

#include "Tensors.h"

#include "kiln/sim/launch.h"

namespace kiln::tool {

/// --ranks, 1 without; throws a Failure unless it is from 1 to 64.
unsigned chosenRanks(const CommandLine &line);

/// --max-turns, of commands that compute values.
Option maxTurnsOption();
/// Its value, or the executor's own; a Failure for 0, which no loop gets by
/// with.
std::uint64_t chosenMaxTurns(const CommandLine &line);

/// "kiln: error: TEXT [CODE]", then a line for each instruction.
std::string faultText(const sim::Fault &fault, const char *severity = "error");

/// Runs all ranks; a fault stays in the result.
sim::LaunchResult attempt(const ModuleInput &input, const RankTensors &tensors,
                          const sim::Options &options);
/// As a Failure, if there is one.
void throwFault(const sim::LaunchResult &result);

/// Runs all ranks. A fault becomes a Failure that names every party and the
/// line of the kernel it comes from.
sim::LaunchResult execute(const ModuleInput &input, const RankTensors &tensors,
                          const sim::Options &options);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_EXECUTE_H
