//===- Compile.cpp - From a Program to a module, in one call -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/compile.h"

#include "Session.h"

#include "kiln/compiler/convert/Emit.h"
#include "kiln/compiler/convert/Import.h"
#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/pipeline/Pipeline.h"
#include "kiln/compiler/transform/nc/DescribeLoops.h"
#include "kiln/compiler/transform/nc/Schedules.h"
#include "kiln/program_text.h"

#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"

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

/// The number of steps to run, or nothing if there is no such pass.
static std::optional<size_t> stepsUntil(const std::vector<PipelineStep> &steps,
                                        const std::string &stop) {
  if (stop.empty())
    return steps.size();
  size_t colon = stop.find(':');
  std::string name = stop.substr(0, colon);
  unsigned run = 1;
  if (colon != std::string::npos &&
      (StringRef(stop).substr(colon + 1).getAsInteger(10, run) || run == 0))
    return std::nullopt;
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i].name == name && --run == 0)
      return i + 1;
  return std::nullopt;
}

static void refuse(CompileResult &result, std::string code, std::string text) {
  result.fault = Fault::user;
  result.diagnostics.push_back({std::move(code), std::move(text)});
}

/// The attached schedule, if there is one. The kernel's own is for one target;
/// on others, the compiler decides.
static std::string scheduleText(const program::Program &program,
                                const CompileOptions &options) {
  if (!options.schedule.empty() || program.schedule.empty())
    return options.schedule;
  const auto own = schedule::parseSchedules(program.schedule);
  const bool isElsewhere =
      own && own->front().target != options.target.name.view();
  return isElsewhere ? std::string() : program.schedule;
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

/// Verifying the IR costs as much as a pass. So it is done after the passes
/// that create instructions, and after every pass only if the user wants to see
/// the steps. The result of the last step is proved as a module.
static bool isVerified(const PipelineStep &step,
                       const CompileOptions &options) {
  return step.lastOfTile || step.makesNc || !options.dumpDir.empty() ||
         !options.stopAfter.empty();
}

/// For readers: the notes are for emission.
static std::string withoutNotes(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  copy->walk([](func::FuncOp func) { nc::removeSourceNotes(func); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream);
  return text;
}

/// What the caller wants to see of the loops between the passes.
static void readLoops(ModuleOp module, const std::string &pass,
                      const CompileOptions &options, CompileResult &result,
                      nc::ScheduleWriter &writer) {
  module.walk([&](func::FuncOp func) {
    if (options.keepProblems && pass == "nc-pipeline-loops")
      nc::takeLoopProblems(func, result.loopProblems);
    if (options.keepDecisions && pass == "nc-choose-engines")
      writer.readEngines(func);
    if (options.keepDecisions && pass == "nc-pipeline-loops")
      writer.readPipelines(func);
    if (pass != "nc-allocate")
      return;
    if (options.keepDecisions)
      writer.readOrders(func);
    // The loops are final, and semaphores do not change what they take.
    if (options.keepSchedule)
      nc::describeLoops(func, result.schedule);
  });
}

static void runPipeline(Session &session, const CompileOptions &options,
                        const std::vector<PipelineStep> &steps,
                        CompileResult &result) {
  size_t count = *stepsUntil(steps, options.stopAfter);
  nc::ScheduleWriter writer;
  for (size_t i = 0; i < count; ++i) {
    PassManager manager(session.context(), ModuleOp::getOperationName());
    steps[i].add(manager);
    manager.enableVerifier(isVerified(steps[i], options));
    if (steps[i].name == options.failIn)
      manager.addPass(createFailingPass());
    if (!session.run(manager, steps[i].name))
      return;
    readLoops(session.module(), steps[i].name, options, result, writer);
    if (steps[i].lastOfTile && options.keepTileIr)
      result.tileIr = session.print();
  }
  if (!options.stopAfter.empty()) {
    result.stoppedIr = session.print();
    return;
  }
  if (options.keepNcLines)
    result.ncLines = session.lines();
  if (options.keepNcIr)
    result.ncIr = withoutNotes(session.module());
  session.stage("emission", "builtin.module(emit-assembly)");
  problems::CheckOptions proof;
  proof.needsSource = true;
  if (options.proofLimit)
    proof.limit = options.proofLimit;
  FailureOr<Emitted> emitted = emitStreams(session.module());
  if (failed(emitted))
    return session.fail();
  // The proof reads the streams alone.
  session.releaseIr();
  if (std::optional<isa::Diagnostic> wrong = prove(*emitted, proof))
    return session.fail(std::move(*wrong));
  result.module = std::move(emitted->module);
  addDecisions(result.schedule, result.remarks);
  result.decisions.loops = writer.take();
}

/// Where the passes look for it. An empty one only gives names.
static void attachSchedule(ModuleOp module, const program::Program &program,
                           const CompileOptions &options) {
  const std::string text = scheduleText(program, options);
  if (text.empty() && !options.keepDecisions)
    return;
  Builder builder(module.getContext());
  module.walk([&](func::FuncOp func) {
    func->setAttr(nc::scheduleAttrName, builder.getStringAttr(text));
    if (!options.schedule.empty())
      func->setAttr(nc::scheduleFileAttrName,
                    builder.getStringAttr(options.scheduleFile));
  });
}

/// Repeats the first steps on a program: keeping their results while compiling
/// would cost every kernel one copy per step.
static std::string irBehind(const program::Program &program,
                            CompileOptions options,
                            const std::vector<PipelineStep> &steps,
                            size_t count) {
  options.dumpDir.clear();
  CompileResult ignored;
  Session session(options, ignored);
  try {
    if (!session.import(program))
      return "";
    attachSchedule(session.module(), program, options);
    for (size_t i = 0; i < count; ++i) {
      PassManager manager(session.context(), ModuleOp::getOperationName());
      steps[i].add(manager);
      manager.enableVerifier(false);
      if (!session.run(manager, steps[i].name))
        return "";
    }
    return session.print(/*withPlaces=*/true);
  } catch (const std::exception &) {
    return "";
  }
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

static CompileResult compileOnce(const program::Program &program,
                                 const CompileOptions &options,
                                 const std::vector<PipelineStep> &steps) {
  CompileResult result;
  Session session(options, result);
  try {
    if (session.import(program)) {
      attachSchedule(session.module(), program, options);
      runPipeline(session, options, steps, result);
    }
  } catch (const std::exception &error) {
    session.crash(error.what());
  }
  session.dumpRemarks();
  session.endStage();
  if (result.fault == Fault::internal && !options.reproducerDir.empty())
    session.writeReproducer(
        program, irBehind(program, options, steps, session.finished()));
  result.decisions.kernel = program.kernel;
  result.decisions.target = options.target.name;
  if (!result.ok()) {
    result.module.reset();
    result.schedule = {};
  }
  return result;
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

/// Whether it would need smaller blocks without an attached schedule. The
/// attached one names what is in those blocks.
static bool lacksSbufAlone(program::Program program, CompileOptions options,
                           const std::vector<PipelineStep> &steps) {
  program.schedule.clear();
  options.schedule.clear();
  options.dumpDir.clear();
  options.reproducerDir.clear();
  return hasCode(compileOnce(program, options, steps), "KILN-C101");
}

/// The result, unless SBUF is still too small. A schedule that does not fit may
/// have been written for other steps.
static std::optional<CompileResult>
compileIfItFits(const program::Program &program, const CompileOptions &options,
                const std::vector<PipelineStep> &steps) {
  CompileResult result = compileOnce(program, options, steps);
  if (result.ok() ||
      (isRefused(result) && !lacksSbufAlone(program, options, steps)))
    return result;
  return std::nullopt;
}

/// nc-order lets loads run ahead. It does not know everything that is in use
/// beside the instructions that it orders, so they may be too many: then fewer
/// run ahead, or none.
static std::optional<CompileResult>
compileWithLessAhead(const program::Program &program,
                     const CompileOptions &options, PipelineChoices choices) {
  for (const unsigned percent : {25u, 0u}) {
    choices.aheadPercent = percent;
    if (std::optional<CompileResult> result =
            compileIfItFits(program, options, stepsFor(options, choices)))
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
  std::string blocks = irBehind(program, options, usual, count);
  for (int64_t part = parts - 1; part > 0; --part) {
    choices.streamBudget = options.target.sbufBytes() / parts * part;
    const std::vector<PipelineStep> steps = stepsFor(options, choices);
    std::string smaller = irBehind(program, options, steps, count);
    if (smaller == blocks)
      continue;
    blocks = std::move(smaller);
    if (std::optional<CompileResult> result =
            compileIfItFits(program, options, steps))
      return result;
  }
  return std::nullopt;
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
  result = compileOnce(program, options, steps);
  const bool lacksSbuf =
      hasCode(result, "KILN-C101") ||
      (isRefused(result) && lacksSbufAlone(program, options, steps));
  if (lacksSbuf)
    for (const auto again : {compileInSmallerBlocks, compileWithLessAhead})
      if (std::optional<CompileResult> found = again(program, options, choices))
        return std::move(*found);
  return result;
}
