//===- ModuleInput.h - X.kbin|KERNEL of run and profile -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_MODULEINPUT_H
#define KILN_TOOLS_KILN_MODULEINPUT_H

#include "Compiler.h"
#include "KernelLoader.h"

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <optional>
#include <vector>

namespace kiln::tool {

/// The options that every command with a KERNEL understands.
std::vector<Option> kernelOptions();

/// These, and those of commands that take a schedule: --schedule, --optimal.
std::vector<Option> schedulingOptions();

/// What `run` and `profile` work on, wherever it came from.
struct ModuleInput {
  std::vector<isa::Module> cores; ///< Of a rank: one or two.
  isa::Target target;             ///< What they were compiled for.
  /// The kernel and parameters it was made from, where they are known.
  const KernelEntry *kernel = nullptr;
  ParameterValues values;
  std::optional<double> compileMs; ///< Only if it was compiled just now.
  /// The same, and only with --html or --json.
  std::vector<compiler::CompileRemark> remarks;
  std::vector<compiler::ScheduleReport> schedules;    ///< By core.
  std::vector<std::vector<compiler::IrLine>> ncLines; ///< By core.
  std::vector<KeptPasses> passes; ///< Only with --passes, by core.

  const isa::Module &module() const { return cores.front(); }
};

/// Loads a .kbin, or compiles a kernel.
ModuleInput loadModule(const CommandLine &line);

/// The target of --target, or trn2.
isa::Target chosenTarget(const CommandLine &line);

/// What --schedule and --optimal say.
void takeSchedulingOptions(const CommandLine &line, CompileSettings &settings);

/// The cores that --cores names, or one.
unsigned chosenCores(const CommandLine &line, const isa::Target &target);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_MODULEINPUT_H
