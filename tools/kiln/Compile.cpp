//===- Compile.cpp - kiln compile: a kernel to .kbin --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Compiler.h"
#include "CompilerRemarks.h"
#include "Messages.h"
#include "ModuleFile.h"
#include "ModuleInput.h"
#include "ScheduleOutput.h"

#include "kiln/isa/assembly.h"
#include "kiln/program_text.h"
#include "kiln/tool/files.h"

#include <cstdio>
#include <filesystem>
#include <iostream>

namespace kiln::tool {
namespace {

const std::vector<std::string> &emitForms() {
  static const std::vector<std::string> forms{"program",  "tile", "nc",
                                              "schedule", "asm",  "bin"};
  return forms;
}

std::string chosenForm(const CommandLine &line) {
  std::string form = line.value("--emit").value_or("bin");
  for (const std::string &known : emitForms())
    if (form == known)
      return form;
  throw Failure("KILN-T020",
                "option '--emit' takes [|program, tile, nc, schedule, asm or "
                "bin|], found '<|" +
                    form + "|>'" + suggestion(form, emitForms()),
                usageError);
}

/// Text goes to -o, or to the terminal.
void emitText(const CommandLine &line, const std::string &text) {
  if (std::optional<std::string> output = line.value("-o"))
    writeTextFile(*output, text);
  else
    std::cout << text << (text.ends_with('\n') ? "" : "\n");
}

/// The compiler's time, in the order of the passes.
void printStages(const std::vector<compiler::StageTime> &stages) {
  double all = 0;
  for (const compiler::StageTime &stage : stages)
    all += stage.seconds;
  std::string table = "    CPU ms      %  pass\n";
  const auto row = [&](double seconds, const std::string &name) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%10.2f %6.1f  ", 1000 * seconds,
                  all > 0 ? 100 * seconds / all : 0);
    table += numbers + name + "\n";
  };
  for (const compiler::StageTime &stage : stages)
    row(stage.seconds, stage.name);
  row(all, "all");
  tellProgress(table);
}

int runCompile(const CommandLine &line) {
  const std::string form = chosenForm(line);
  CompileSettings settings;
  settings.target = chosenTarget(line);
  settings.dumpDir = line.value("--dump-dir").value_or("");
  settings.without = passesWithout(line);
  settings.stopAfter = line.value("--stop-after").value_or("");
  settings.failIn = line.value("--fail-in").value_or("");
  if (!settings.stopAfter.empty() && line.has("--emit"))
    throw Failure("KILN-T020", "give '--emit' or '--stop-after', not both",
                  usageError);
  if (!settings.dumpDir.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(settings.dumpDir, failed);
    if (failed)
      throw Failure("KILN-T002", "cannot make the folder '" + settings.dumpDir +
                                     "': " + failed.message());
  }
  takeSchedulingOptions(line, settings);
  settings.keepDecisions = form == "schedule";
  settings.keepRemarks = line.has("--statistics");
  settings.tellRemarks = line.value("--remarks");
  const std::optional<std::string> report = line.value("--schedule-report");
  settings.keepSchedule = report.has_value();
  if (report && (form == "program" || !settings.stopAfter.empty()))
    throw Failure(
        "KILN-T020",
        "'--schedule-report' describes the compiled loops: leave out "
        "'" +
            std::string(form == "program" ? "--emit program" : "--stop-after") +
            "'",
        usageError);
  checkPassName("--remarks", settings.tellRemarks.value_or(""), false);
  const KernelEntry &kernel = findKernel(line.arguments[0], buildOptions(line));
  ParameterValues values = parameterValues(kernel, line.parameters);
  const unsigned cores = chosenCores(line, settings.target);
  if (form == "program") {
    std::string text;
    for (unsigned i = 0; i < cores; ++i)
      text += (i > 0 ? "\n" : "") +
              program::printProgram(recordKernel(
                  kernel, values, {i, cores, settings.target.generation}));
    emitText(line, text);
    return success;
  }
  if (form == "tile")
    settings.form = IrForm::tile;
  if (form == "nc")
    settings.form = IrForm::nc;
  const CompiledCores compiled = compileCores(kernel, values, settings, cores);
  if (line.has("--statistics"))
    tellStatistics(compiler::statisticsOf(compiled.remarks));
  if (report)
    tellSchedule({std::string(kernel.name), std::string(settings.target.name),
                  compiled.schedules},
                 *report);
  if (line.has("--timing"))
    printStages(compiled.stages);
  if (settings.form != IrForm::none || !settings.stopAfter.empty()) {
    emitText(line, compiled.ir);
    return success;
  }
  if (form == "schedule") {
    std::string text;
    for (const schedule::Schedule &one : compiled.decisions)
      text += (text.empty() ? "" : "\n") + print(one);
    emitText(line, text);
    return success;
  }
  if (form == "asm") {
    emitText(line, isa::printAssembly(compiled.cores));
    return success;
  }
  std::string output =
      line.value("-o").value_or(std::string(kernel.name) + ".kbin");
  saveKbin(output, compiled.cores);
  tellProgress("wrote " + output + ": " + describe(compiled.cores) + "\n");
  return success;
}

std::vector<Option> compileOptions() {
  std::vector<Option> all = schedulingOptions();
  all.push_back({"-o", "OUT", "the file to write (default: KERNEL.kbin)"});
  all.push_back(
      {"--emit", "FORM",
       "program, tile, nc, schedule, asm or bin (default); text goes to the "
       "terminal"});
  all.push_back({"--dump-dir", "DIR", "write one numbered file per pass"});
  all.push_back({"--stop-after", "PASS", "print the IR after that pass"});
  all.push_back(
      {"--remarks", "PASS",
       "print what the passes did, and what they declined to do and why", false,
       true});
  all.push_back({"--statistics", "", "count the remarks by pass"});
  all.push_back(
      {"--schedule-report", "FILE",
       "how long each loop takes, and what limits it; FILE.json is JSON", false,
       true});
  all.push_back({"--timing", "", "CPU milliseconds of each pass"});
  all.push_back(
      {"--fail-in", "PASS", "for tests: that pass reports an internal error"});
  return all;
}

} // namespace

const Command compileCommand{
    {"compile", "KERNEL", "compiles a kernel into a .kbin",
     "KERNEL is a library kernel, FILE.cpp[:NAME] or LIB.so[:NAME]. Its\n"
     "parameters are options: 'kiln list KERNEL' shows them.",
     compileOptions(), true, 1, 1},
    runCompile};

} // namespace kiln::tool
