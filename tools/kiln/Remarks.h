//===- Remarks.h - What a run noticed besides errors ---------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_REMARKS_H
#define KILN_TOOLS_KILN_REMARKS_H

#include "kiln/sim/launch.h"
#include "kiln/tool/command_line.h"

namespace kiln::tool {

/// --allow CODE[@PLACE]: remarks that are not wanted.
std::vector<sim::Permission> parsePermissions(const CommandLine &line);

/// As warnings; of many, the first ones.
void printRemarks(const std::vector<sim::Fault> &remarks);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_REMARKS_H
