//===- Compile.cpp - From a Program to a module, in one call -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"

#include "Attempt.h"

#include "kiln/compiler/pipeline/Pipeline.h"

#include "llvm/ADT/StringExtras.h"

#include <ctime>
#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;

std::vector<std::string> compiler::passNames() {
  std::vector<std::string> names;
  for (const PipelineStep &step : pipelineSteps())
    names.push_back(step.name);
  return names;
}

std::vector<std::string> compiler::optionalPassNames() {
  std::vector<std::string> names;
  for (const PipelineStep &step : pipelineSteps())
    if (step.isOptional && !llvm::is_contained(names, step.name))
      names.push_back(step.name);
  return names;
}

static void refuse(CompileResult &result, std::string code, std::string text) {
  result.fault = Fault::user;
  result.diagnostics.push_back({std::move(code), std::move(text)});
}

static bool checkSchedule(const program::Program &program,
                          const CompileOptions &options,
                          CompileResult &result) {
  const std::string text = scheduleText(program, options);
  if (text.empty())
    return true;
  // A kernel is recorded for each core, with what it says about that core.
  const std::size_t cores = options.schedule.empty() ? 1 : program.cores;
  const auto parsed = schedule::parseSchedules(text);
  isa::Diagnostic wrong;
  if (!parsed)
    wrong = parsed.error();
  else if (parsed->size() != cores)
    wrong = isa::makeError("KILN-C190", "the schedule is for <|" +
                                            std::to_string(parsed->size()) +
                                            "|> cores, but a rank has [|" +
                                            std::to_string(cores) + "|]");
  else
    return true;
  wrong.file = options.scheduleFile;
  if (options.schedule.empty()) {
    const std::string line =
        wrong.line > 0 ? "line " + std::to_string(wrong.line) + " of " : "";
    wrong.text = "in " + line + "the schedule that kernel '" + program.kernel +
                 "' gives itself: " + wrong.text;
    wrong.line = 0;
  }
  result.fault = Fault::user;
  result.diagnostics.push_back(std::move(wrong));
  return false;
}

static bool checkOptions(const CompileOptions &options,
                         const std::vector<PipelineStep> &steps,
                         CompileResult &result) {
  if (!stepsUntil(steps, options.stopAfter)) {
    std::string text =
        "no pass '" + options.stopAfter + "' runs; the passes are";
    for (const PipelineStep &step : steps)
      text += " " + step.name;
    refuse(result, "KILN-C002", text);
    return false;
  }
  const std::vector<std::string> optional = optionalPassNames();
  for (const std::string &name : options.without)
    if (!llvm::is_contained(optional, name)) {
      refuse(result, "KILN-C002",
             "pass '" + name + "' cannot be left out; only " +
                 llvm::join(optional, ", ") + " can");
      return false;
    }
  return true;
}

/// All steps that `options` do not leave out.
static std::vector<PipelineStep> stepsFor(const CompileOptions &options,
                                          PipelineChoices choices) {
  choices.exactSteps = options.exactSteps;
  choices.keepProblems = options.keepProblems;
  std::vector<PipelineStep> steps = pipelineSteps(choices);
  llvm::erase_if(steps, [&](const PipelineStep &step) {
    return step.isOptional && llvm::is_contained(options.without, step.name);
  });
  return steps;
}

static bool hasCode(const CompileResult &result, std::string_view code) {
  return llvm::any_of(result.diagnostics, [&](const isa::Diagnostic &told) {
    return told.code == code;
  });
}

/// By an attached schedule that does not fit.
static bool isRefused(const CompileResult &result) {
  return hasCode(result, "KILN-C190") || hasCode(result, "KILN-C191");
}

/// Whether it fails with this code without an attached schedule. The attached
/// one names what is there after other steps, such as smaller blocks.
static bool failsAlone(program::Program program, CompileOptions options,
                       const std::vector<PipelineStep> &steps,
                       std::string_view code) {
  program.schedule.clear();
  options.schedule.clear();
  options.dumpDir.clear();
  options.reproducerDir.clear();
  return hasCode(Attempt(program, options).run(steps), code);
}

/// Whether SBUF is no longer too small. A schedule that does not fit may have
/// been written for other steps.
static bool fits(const CompileResult &result, const program::Program &program,
                 const CompileOptions &options,
                 const std::vector<PipelineStep> &steps) {
  return result.ok() || (isRefused(result) &&
                         !failsAlone(program, options, steps, "KILN-C101"));
}

/// nc-order lets loads run ahead. It does not know everything that is in use
/// beside the instructions that it orders, so they may be too many: then fewer
/// run ahead, or none.
static std::optional<CompileResult>
compileWithLessAhead(Attempt &first, const program::Program &program,
                     const CompileOptions &options, PipelineChoices choices) {
  for (const unsigned percent : {25u, 0u}) {
    choices.aheadPercent = percent;
    const std::vector<PipelineStep> steps = stepsFor(options, choices);
    CompileResult result = first.mayRunAgain()
                               ? first.runAgain(steps)
                               : Attempt(program, options).run(steps);
    if (fits(result, program, options, steps))
      return result;
  }
  return std::nullopt;
}

/// tile-stream chooses blocks before it is known what else SBUF has to hold. If
/// they do not fit, it chooses again, for less of it.
static std::optional<CompileResult>
compileInSmallerBlocks(const program::Program &program,
                       const CompileOptions &options, PipelineChoices choices) {
  constexpr int64_t parts = 4;
  const std::vector<PipelineStep> usual = stepsFor(options, choices);
  const auto stream = llvm::find_if(usual, [](const PipelineStep &step) {
    return step.name == "tile-stream";
  });
  if (stream == usual.end())
    return std::nullopt;
  const auto count = static_cast<size_t>(stream - usual.begin()) + 1;
  BlockChoices other(program, options, ArrayRef(usual).take_front(count));
  other.changeWith(*stream);
  for (int64_t part = parts - 1; part > 0; --part) {
    choices.streamBudget = options.target.sbufBytes() / parts * part;
    const std::vector<PipelineStep> steps = stepsFor(options, choices);
    if (!other.changeWith(steps[count - 1]))
      continue;
    CompileResult result = Attempt(program, options).run(steps);
    if (fits(result, program, options, steps))
      return result;
  }
  return std::nullopt;
}

/// A memory scope may have no room for iterations that overlap and loads that
/// run ahead, or for those of several iterations that became one. What is still
/// missing then is what the error says.
static CompileResult compileInTightScopes(const program::Program &program,
                                          CompileOptions options,
                                          PipelineChoices choices) {
  choices.aheadPercent = 0;
  choices.overlapsInScopes = false;
  CompileResult result =
      Attempt(program, options).run(stepsFor(options, choices));
  if (!hasCode(result, "KILN-C116"))
    return result;
  for (const char *pass : {"tile-jam", "tile-unroll", "tile-peel",
                           "nc-keep-loads", "nc-rotate", "nc-advance"})
    options.without.emplace_back(pass);
  return Attempt(program, options).run(stepsFor(options, choices));
}

/// A last stage for the time of other attempts than the one that succeeded.
static void noteOtherAttempts(CompileResult &result, std::clock_t begin) {
  const double all = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double own = std::accumulate(
      result.stages.begin(), result.stages.end(), 0.0,
      [](double sum, const StageTime &stage) { return sum + stage.seconds; });
  result.stages.push_back({"other attempts", std::max(0.0, all - own)});
}

CompileResult compiler::compile(const program::Program &program,
                                const CompileOptions &options) {
  CompileResult result;
  // What does not fit is compiled again, mostly with the same loops.
  const PipelineChoices choices{.solver =
                                    std::make_shared<problems::ModuloSolver>()};
  const std::vector<PipelineStep> steps = stepsFor(options, choices);
  if (!checkOptions(options, steps, result) ||
      !checkSchedule(program, options, result))
    return result;
  const std::clock_t begin = std::clock();
  Attempt first(program, options);
  result = first.run(steps);
  const auto lacks = [&](std::string_view code) {
    return hasCode(result, code) ||
           (isRefused(result) && failsAlone(program, options, steps, code));
  };
  if (lacks("KILN-C116")) {
    CompileResult other = compileInTightScopes(program, options, choices);
    // What a schedule asks for is missing in any case.
    if (!other.ok() && !scheduleText(program, options).empty())
      return result;
    noteOtherAttempts(other, begin);
    return other;
  }
  const bool lacksSbuf = lacks("KILN-C101");
  if (!lacksSbuf)
    return result;
  std::optional<CompileResult> found =
      compileInSmallerBlocks(program, options, choices);
  if (!found)
    found = compileWithLessAhead(first, program, options, choices);
  if (!found)
    return result;
  noteOtherAttempts(*found, begin);
  return std::move(*found);
}
