//===- ProfileTwo.h - kiln profile --compare: two runs --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_PROFILETWO_H
#define KILN_TOOLS_KILN_PROFILETWO_H

#include "kiln/tool/command_line.h"

namespace kiln::tool {

/// What changed from `base` to the run of `line`. `base` is a name, which takes
/// parameters and options from `line`; options, which replace those of `line`;
/// or a name with options, which takes nothing.
int compareRuns(const CommandLine &line, const std::string &base);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_PROFILETWO_H
