//===- Inspect.h - --break and --dump of kiln run ---------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_INSPECT_H
#define KILN_TOOLS_KILN_INSPECT_H

#include "ModuleInput.h"

#include "kiln/sim/launch.h"
#include "kiln/tool/command_line.h"

#include <vector>

namespace kiln::tool {

/// What to show of the memory, and as what.
struct Inspect {
  sim::Inspection inspection;
  struct Shown {
    std::string text; ///< As the user wrote it.
    isa::DType dtype = isa::DType::u8;
  };
  std::vector<Shown> shown; ///< One for each dump.
  std::string stop;         ///< --break, as the user wrote it; may be empty.
};

/// Reads --break and --dump; a Failure says what is wrong with them.
Inspect parseInspection(const CommandLine &line, const ModuleInput &input,
                        unsigned ranks);

/// Prints where a run stopped, if it did, and the dumps.
void printInspection(const Inspect &inspect, const sim::LaunchResult &result);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_INSPECT_H
