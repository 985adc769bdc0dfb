//===- Timed.h - A launch that was timed ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TIMED_H
#define KILN_TOOLS_KILN_TIMED_H

#include "Execute.h"
#include "ModuleInput.h"
#include "Tensors.h"

#include "kiln/sim/launch.h"
#include "kiln/tool/command_line.h"

#include <vector>

namespace kiln::tool {

/// The result of timing a kernel.
struct Timed {
  ModuleInput input;
  RankTensors tensors;
  sim::LaunchResult result; ///< It has a timing.
};

/// Times the kernel that `line` names. `trace`: with each executed instruction.
Timed timed(const CommandLine &line, bool trace);

/// The timing of a run, with a trace unless that would be very long: a trace
/// tells which waits cost something, and the run is repeated for it.
sim::LaunchTiming tracedForTable(const ModuleInput &input,
                                 const sim::Launch &launched,
                                 const sim::LaunchResult &result);

/// The options that it reads, beside those of the kernel.
std::vector<Option> timingOptions();

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_TIMED_H
