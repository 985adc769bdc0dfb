//===- Compiler.cpp - From a kernel to a module -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "CompilerRemarks.h"
#include "Crash.h"
#include "Messages.h"
#include "ModuleFile.h"
#include "Optimal.h"
#include "Progress.h"
#include "StatementLines.h"

#include "kiln/isa/checks.h"
#include "kiln/program_text.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace kiln::tool {
namespace {

/// Of Z3, for each question that --optimal asks: some seconds.
constexpr std::uint32_t exactSteps = 2'000'000;

/// The compiler's messages, an error first; notes follow it.
std::string messages(const compiler::CompileResult &result) {
  std::string text;
  for (const isa::Diagnostic &diagnostic : result.diagnostics)
    text += diagnostic.str() + "\n";
  return text;
}

} // namespace

void checkPassName(const std::string &option, const std::string &value,
                   bool mayNameRun) {
  if (value.empty())
    return;
  std::vector<std::string> names; // Some passes run twice.
  for (const std::string &name : compiler::passNames())
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  const std::string wanted =
      mayNameRun ? value.substr(0, value.find(':')) : value;
  if (std::find(names.begin(), names.end(), wanted) != names.end())
    return;
  throw Failure("KILN-T020",
                "option '" + option + "' names no pass '<|" + wanted + "|>'" +
                    suggestion(wanted, names) + " (there are [|" +
                    absl::StrJoin(names, ", ") + "|])",
                usageError);
}

std::vector<std::string> passesWithout(const CommandLine &line) {
  const std::vector<std::string> known = compiler::optionalPassNames();
  std::vector<std::string> names = line.values("--without");
  for (const std::string &name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Failure("KILN-T020",
                    "option '--without' takes [|" + absl::StrJoin(known, ", ") +
                        "|], found '<|" + name + "|>'" +
                        suggestion(name, known),
                    usageError);
  return names;
}

program::Program recordKernel(const KernelEntry &kernel,
                              const ParameterValues &values, const Core &core) {
  enterPhase("recording '" + std::string(kernel.name) + "'", true);
  program::Program program;
  try {
    program = kernel.record(values, core);
  } catch (const RecordError &error) {
    throw failureOf(error);
  } catch (const std::exception &error) {
    throw Failure("KILN-T005",
                  "the kernel '" + std::string(kernel.name) +
                      "' threw while it was recorded: " + error.what());
  }
  enterPhase("compiling '" + std::string(kernel.name) + "'");
  useStatementLines(program);
  return program;
}

CompiledKernel compileProgram(const program::Program &program,
                              const CompileSettings &settings) {
  checkPassName("--stop-after", settings.stopAfter, true);
  checkPassName("--fail-in", settings.failIn, true);
  addToReproducer("program", program::printProgram(program));

  compiler::CompileOptions options;
  options.target = settings.target;
  options.dumpDir = settings.dumpDir;
  options.stopAfter = settings.stopAfter;
  options.without = settings.without;
  options.failIn = settings.failIn;
  options.reproducerDir = ".";
  options.keepRemarks = settings.keepRemarks || settings.tellRemarks;
  options.keepSchedule = settings.keepSchedule;
  options.keepNcLines = settings.keepNcLines;
  options.keepPasses = settings.keepPasses;
  options.schedule = settings.schedule;
  options.scheduleFile = settings.scheduleFile;
  options.exactSteps = settings.isOptimal ? exactSteps : 0;
  options.keepDecisions = settings.keepDecisions;
  options.keepTileIr = settings.form == IrForm::tile;
  options.keepNcIr = settings.form == IrForm::nc;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  compiler::CompileResult result = [&] {
    Progress progress("compiling " + program.kernel);
    return compiler::compile(program, options);
  }();
  CompiledKernel compiled;
  compiled.milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();

  if (settings.tellRemarks)
    tellRemarks(result.remarks, *settings.tellRemarks);
  if (result.fault == compiler::Fault::internal) {
    tell(result.diagnostics, messages(result));
    if (!result.reproducer.empty())
      tellProgress("kiln: 'kiln-opt --run-reproducer " + result.reproducer +
                   "' replays it\n");
    throw Failure("KILN-T070", "compiling '" + program.kernel + "' failed",
                  internalError);
  }
  if (result.fault == compiler::Fault::user)
    throw Failure(result.diagnostics, messages(result));
  if (!settings.isQuiet)
    tell(result.diagnostics, messages(result)); // Warnings and remarks.
  compiled.module = std::move(result.module);
  compiled.stages = std::move(result.stages);
  compiled.remarks = std::move(result.remarks);
  compiled.passes = std::move(result.passes);
  compiled.ncLines = std::move(result.ncLines);
  compiled.schedule = std::move(result.schedule);
  compiled.decisions = std::move(result.decisions);
  compiled.ir = settings.form == IrForm::tile ? std::move(result.tileIr)
                : settings.form == IrForm::nc ? std::move(result.ncIr)
                                              : std::move(result.stoppedIr);
  return compiled;
}

static CompiledCores compileOnce(const KernelEntry &kernel,
                                 const ParameterValues &values,
                                 const CompileSettings &settings,
                                 unsigned cores) {
  CompiledCores result;
  for (unsigned i = 0; i < cores; ++i) {
    CompileSettings own = settings;
    if (!own.dumpDir.empty() && i > 0)
      own.dumpDir += "/core-" + std::to_string(i);
    CompiledKernel compiled = compileProgram(
        recordKernel(kernel, values, {i, cores, settings.target.generation}),
        own);
    result.ir += (i > 0 ? "\n" : "") + compiled.ir;
    result.milliseconds += compiled.milliseconds;
    if (!compiled.passes.empty())
      result.passes.push_back(
          {std::move(compiled.passes), compiled.stages, compiled.remarks});
    if (settings.keepNcLines)
      result.ncLines.push_back(std::move(compiled.ncLines));
    std::move(compiled.stages.begin(), compiled.stages.end(),
              std::back_inserter(result.stages));
    std::move(compiled.remarks.begin(), compiled.remarks.end(),
              std::back_inserter(result.remarks));
    if (settings.keepSchedule)
      result.schedules.push_back(std::move(compiled.schedule));
    if (settings.keepDecisions)
      result.decisions.push_back(std::move(compiled.decisions));
    if (compiled.module)
      result.cores.push_back(std::move(*compiled.module));
  }
  if (result.cores.empty())
    return result;
  const std::string name(kernel.name);
  if (std::optional<isa::Diagnostic> wrong = isa::checkCores(result.cores))
    throw failureOf(*wrong, name);
  if (std::optional<isa::Diagnostic> wrong = isa::checkMeetings(result.cores))
    throw failureOf(*wrong, name);
  return result;
}

CompiledCores compileCores(const KernelEntry &kernel,
                           const ParameterValues &values,
                           const CompileSettings &settings, unsigned cores) {
  const auto compile = [&](const CompileSettings &own) {
    return compileOnce(kernel, values, own, cores);
  };
  if (settings.isOptimal && settings.stopAfter.empty())
    return compileOptimal(settings, compile);
  return compile(settings);
}

} // namespace kiln::tool
