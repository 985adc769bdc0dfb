//===- Compiler.h - From a kernel to a module ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_COMPILER_H
#define KILN_TOOLS_KILN_COMPILER_H

#include "KernelLoader.h"

#include "kiln/compiler/compile.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::tool {

/// Which text of the IR to keep beside the module.
enum class IrForm { none, tile, nc };

struct CompileSettings {
  isa::Target target;
  std::string dumpDir;   ///< Empty: no dumps.
  std::string stopAfter; ///< Pass to stop after; empty: none.
  std::string failIn;    ///< Pass that reports an internal error, for tests.
  std::vector<std::string> without; ///< Optional passes to leave out.
  std::string schedule;     ///< Text of an attached schedule; empty: none.
  std::string scheduleFile; ///< Where it is from.
  bool isOptimal = false;   ///< Improve loops with the exact solver.
  bool isQuiet = false;     ///< Print no warnings: they were printed already.
  IrForm form = IrForm::none;
  bool keepDecisions = false; ///< Fill CompiledKernel::decisions.
  bool keepRemarks = false;   ///< Fill CompiledKernel::remarks.
  bool keepSchedule = false;  ///< Fill CompiledKernel::schedule.
  bool keepNcLines = false;   ///< Fill CompiledKernel::ncLines.
  bool keepPasses = false;    ///< Fill CompiledKernel::passes.
  /// Prints the remarks of this pass, or of all if it is empty, even if the
  /// kernel is rejected.
  std::optional<std::string> tellRemarks;
};

/// Failure (exit code 2) unless `value` is empty, the name of a pass, or, if
/// it may name one of its runs, that with ":" and the number of the run.
/// The values of '--without'; a Failure for a pass that must run.
std::vector<std::string> passesWithout(const CommandLine &line);

void checkPassName(const std::string &option, const std::string &value,
                   bool mayNameRun);

/// Runs the kernel's C++ code once. Errors in it are the user's.
program::Program recordKernel(const KernelEntry &kernel,
                              const ParameterValues &values,
                              const Core &core = {});

struct CompiledKernel {
  std::optional<isa::Module> module; ///< Absent after stopAfter.
  std::string ir;          ///< The form asked for, or the IR after stopAfter.
  double milliseconds = 0; ///< From the Program to the module.
  std::vector<compiler::StageTime> stages; ///< In the order they ran.
  std::vector<compiler::CompileRemark> remarks;
  std::vector<compiler::PassIr> passes; ///< In the order they ran.
  std::vector<compiler::IrLine> ncLines;
  compiler::ScheduleReport schedule;
  schedule::Schedule decisions;
};

/// Failure with the compiler's own messages if it rejects the kernel.
CompiledKernel compileProgram(const program::Program &program,
                              const CompileSettings &settings);

/// What the passes did for one core.
struct KeptPasses {
  std::vector<compiler::PassIr> passes;    ///< In the order they ran.
  std::vector<compiler::StageTime> stages; ///< The same, and the emission.
  std::vector<compiler::CompileRemark> remarks;
};

struct CompiledCores {
  std::vector<isa::Module> cores; ///< Empty after stopAfter.
  std::string ir;                 ///< Of all cores, one after the other.
  double milliseconds = 0;
  std::vector<compiler::StageTime> stages;      ///< Of all cores, core by core.
  std::vector<compiler::CompileRemark> remarks; ///< Of all cores, too.
  std::vector<KeptPasses> passes;               ///< By core, if kept.
  std::vector<std::vector<compiler::IrLine>> ncLines; ///< By core, if kept.
  std::vector<compiler::ScheduleReport> schedules;    ///< By core, if kept.
  std::vector<schedule::Schedule> decisions;          ///< By core, if kept.
};

/// Records and compiles the kernel for each core of a rank, and compares what
/// they share and where they meet.
CompiledCores compileCores(const KernelEntry &kernel,
                           const ParameterValues &values,
                           const CompileSettings &settings, unsigned cores);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_COMPILER_H
