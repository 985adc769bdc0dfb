//===- ScheduleOutput.h - The report of the loops as JSON -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_SCHEDULEOUTPUT_H
#define KILN_TOOLS_KILN_SCHEDULEOUTPUT_H

#include "kiln/compiler/schedule_report.h"

#include <string>
#include <vector>

namespace kiln::tool {

/// The loops of a kernel on one target, core by core.
struct KernelSchedule {
  std::string kernel, target;
  std::vector<compiler::ScheduleReport> cores;
};

/// On one line.
std::string scheduleAsJson(const KernelSchedule &schedule);

/// To `file`, as JSON if its name ends in .json, else as text. Without a name
/// to the standard error stream, in the form in which messages are told.
void tellSchedule(const KernelSchedule &schedule, const std::string &file);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_SCHEDULEOUTPUT_H
