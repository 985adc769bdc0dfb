//===- ModuleInput.cpp - X.kbin|KERNEL of run and profile ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleInput.h"

#include "ModuleFile.h"

#include "kiln/isa/target_file.h"
#include "kiln/tool/files.h"

namespace kiln::tool {
namespace {

/// A .kbin of a library kernel tells what it was made from.
void applyMachine(const CommandLine &line, isa::Target &target) {
  if (std::optional<std::string> file = line.value("--machine"))
    if (std::optional<isa::Diagnostic> wrong =
            isa::applyOverrides(target, readTextFile(*file), *file))
      throw failureOf(*wrong, *file);
}

void findOrigin(ModuleInput &input) {
  input.kernel = findLibraryKernel(input.module().kernel);
  if (!input.kernel)
    return;
  static constexpr std::string_view prefix = "param.";
  for (const auto &[fact, value] : input.module().facts)
    if (fact.starts_with(prefix))
      input.values[fact.substr(prefix.size())] = value;
}

ModuleInput fromKbin(const CommandLine &line) {
  const std::string &path = line.arguments[0];
  ModuleInput input;
  input.cores = loadKbinCores(path);
  input.target = targetOfBinary(input.module(), path);
  if (!line.parameters.empty())
    throw Failure("KILN-T023",
                  "'" + path + "' is compiled: '--" +
                      line.parameters.front().first +
                      "' can no longer be changed",
                  usageError);
  if (line.has("--without"))
    throw Failure("KILN-T023",
                  "'" + path + "' is compiled: '--without' comes too late",
                  usageError);
  for (const char *const option : {"--schedule", "--optimal"})
    if (line.has(option))
      throw Failure("KILN-T023",
                    "'" + path + "' is compiled: '" + option +
                        "' comes too late",
                    usageError);
  if (line.has("--target")) {
    const isa::Target wanted = targetNamed(*line.value("--target"));
    if (wanted.generation != input.module().generation)
      throw Failure("KILN-T021",
                    "'" + path + "' is compiled for [|" +
                        std::string(input.target.name) + "|], not for <|" +
                        *line.value("--target") + "|>",
                    usageError);
    input.target = wanted;
  }
  applyMachine(line, input.target);
  findOrigin(input);
  return input;
}

ModuleInput fromKernel(const CommandLine &line) {
  CompileSettings settings;
  settings.target = chosenTarget(line);
  settings.without = passesWithout(line);
  settings.keepRemarks = settings.keepSchedule = settings.keepNcLines =
      line.has("--html") || line.has("--json");
  settings.keepPasses = line.has("--passes");
  takeSchedulingOptions(line, settings);
  const KernelEntry &kernel = findKernel(line.arguments[0], buildOptions(line));
  ModuleInput input;
  input.kernel = &kernel;
  input.values = parameterValues(kernel, line.parameters);
  input.target = settings.target;
  CompiledCores compiled = compileCores(kernel, input.values, settings,
                                        chosenCores(line, settings.target));
  input.cores = std::move(compiled.cores);
  input.compileMs = compiled.milliseconds;
  input.remarks = std::move(compiled.remarks);
  input.schedules = std::move(compiled.schedules);
  input.passes = std::move(compiled.passes);
  input.ncLines = std::move(compiled.ncLines);
  return input;
}

} // namespace

std::vector<Option> kernelOptions() {
  return {
      {"--target", "NAME|FILE", "trn1, trn2 (default), trn3, or a file"},
      {"--machine", "FILE", "machine parameters to replace"},
      {"--cores", "N", "cores of a rank: 1 (default) or 2"},
      {"--without", "PASS", "leave out an optimisation pass", true},
      {"--no-cache", "", "compile a .cpp file again, even if it is cached"}};
}

std::vector<Option> schedulingOptions() {
  std::vector<Option> all = kernelOptions();
  all.push_back({"--schedule", "FILE",
                 "engines, stages, order and rings to use; 'compile --emit "
                 "schedule' writes the compiler's own"});
  all.push_back(
      {"--optimal", "", "let an exact solver improve the schedules of loops"});
  return all;
}

void takeSchedulingOptions(const CommandLine &line, CompileSettings &settings) {
  settings.isOptimal = line.has("--optimal");
  if (const std::optional<std::string> file = line.value("--schedule")) {
    settings.schedule = readTextFile(*file);
    settings.scheduleFile = *file;
    // An empty text would be taken for none.
    if (settings.schedule.empty())
      settings.schedule = "\n";
  }
}

unsigned chosenCores(const CommandLine &line, const isa::Target &target) {
  const std::string text = line.value("--cores").value_or("1");
  if (text != "1" && text != "2")
    throw Failure("KILN-T020",
                  "option '--cores' takes [|1 or 2|], found '<|" + text + "|>'",
                  usageError);
  if (text == "2" && !isa::hasTwoCores(target.generation))
    throw Failure("KILN-T061",
                  "'--cores=<|2|>': a rank of " + std::string(target.name) +
                      " has [|one|] core, and one of trn2 or trn3 has one or "
                      "two; leave it out, or choose another '--target'");
  return text == "1" ? 1 : 2;
}

isa::Target chosenTarget(const CommandLine &line) {
  isa::Target target = targetNamed(line.value("--target").value_or("trn2"));
  applyMachine(line, target);
  return target;
}

ModuleInput loadModule(const CommandLine &line) {
  return isKbinName(line.arguments[0]) ? fromKbin(line) : fromKernel(line);
}

} // namespace kiln::tool
