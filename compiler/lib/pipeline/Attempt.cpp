//===- Attempt.cpp - One run of the pipeline over a program ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attempt.h"

#include "kiln/compiler/convert/Emit.h"
#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/nc/DescribeLoops.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;

/// Operations of a module that is kept, at most: a copy of more would cost more
/// than it saves most kernels.
static constexpr size_t mostKept = 50'000;

/// The first step whose settings attempts may change, and the one that shows
/// whether they have to.
static constexpr StringLiteral orderStep = "nc-order",
                               allocateStep = "nc-allocate";

std::optional<size_t>
compiler::stepsUntil(const std::vector<PipelineStep> &steps,
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

std::string compiler::scheduleText(const program::Program &program,
                                   const CompileOptions &options) {
  if (!options.schedule.empty() || program.schedule.empty())
    return options.schedule;
  const auto own = schedule::parseSchedules(program.schedule);
  const bool isElsewhere =
      own && own->front().target != options.target.name.view();
  return isElsewhere ? std::string() : program.schedule;
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
void Attempt::readLoops(const std::string &pass) {
  session.module().walk([&](func::FuncOp func) {
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

/// Nobody sees these steps.
static CompileOptions quiet(CompileOptions options) {
  options.dumpDir.clear();
  options.keepRemarks = options.keepSchedule = options.keepPasses = false;
  return options;
}

/// Runs steps without the verifier and without what a caller wants to see.
static bool runQuietly(Session &session, ArrayRef<PipelineStep> steps) {
  for (const PipelineStep &step : steps) {
    PassManager manager(session.context(), ModuleOp::getOperationName());
    step.add(manager);
    manager.enableVerifier(false);
    if (!session.run(manager, step.name))
      return false;
  }
  return true;
}

/// Repeats the first steps on a program: keeping their results while compiling
/// would cost every kernel one copy per step.
static std::string irBehind(const program::Program &program,
                            const CompileOptions &given,
                            ArrayRef<PipelineStep> steps) {
  const CompileOptions options = quiet(given);
  CompileResult ignored;
  Session session(options, ignored);
  try {
    if (!session.import(program))
      return "";
    attachSchedule(session.module(), program, options);
    return runQuietly(session, steps) ? session.print(/*withPlaces=*/true) : "";
  } catch (const std::exception &) {
    return "";
  }
}

Attempt::Attempt(const program::Program &program, const CompileOptions &options)
    : program(program), options(options), session(options, result) {}

/// All buffers together are the most that nc-allocate can need.
bool Attempt::mayLackSbuf() {
  int64_t bytes = 0;
  size_t size = 0;
  session.module().walk([&](Operation *op) {
    ++size;
    if (auto alloc = dyn_cast<nc::AllocOp>(op);
        alloc && alloc.getSpace() == nc::Space::sbuf)
      bytes +=
          alloc.getBytesPerPartition() * static_cast<int64_t>(alloc.getRing());
  });
  return bytes > options.target.sbufBytes() && size <= mostKept;
}

void Attempt::runFrom(size_t first, const std::vector<PipelineStep> &steps) {
  size_t count = *stepsUntil(steps, options.stopAfter);
  for (size_t i = first; i < count; ++i) {
    if (steps[i].name == orderStep && !session.hasKept() && mayLackSbuf())
      session.keep();
    PassManager manager(session.context(), ModuleOp::getOperationName());
    steps[i].add(manager);
    manager.enableVerifier(isVerified(steps[i], options));
    if (steps[i].name == options.failIn)
      manager.addPass(createFailingPass());
    if (!session.run(manager, steps[i].name))
      return;
    if (steps[i].name == allocateStep)
      session.forget();
    readLoops(steps[i].name);
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

CompileResult Attempt::run(const std::vector<PipelineStep> &steps) {
  try {
    if (session.import(program)) {
      attachSchedule(session.module(), program, options);
      runFrom(0, steps);
    }
  } catch (const std::exception &error) {
    session.crash(error.what());
  }
  return finish(steps);
}

CompileResult Attempt::runAgain(const std::vector<PipelineStep> &steps) {
  try {
    session.goBack();
    runFrom(session.finished(), steps);
  } catch (const std::exception &error) {
    session.crash(error.what());
  }
  return finish(steps);
}

CompileResult Attempt::finish(const std::vector<PipelineStep> &steps) {
  session.dumpRemarks();
  session.endStage();
  if (result.fault == Fault::internal && !options.reproducerDir.empty())
    session.writeReproducer(
        program, irBehind(program, options,
                          ArrayRef(steps).take_front(session.finished())));
  result.decisions.kernel = program.kernel;
  result.decisions.target = options.target.name;
  if (!result.ok()) {
    result.module.reset();
    result.schedule = {};
  }
  return std::move(result);
}

BlockChoices::BlockChoices(const program::Program &program,
                           const CompileOptions &given,
                           ArrayRef<PipelineStep> steps)
    : options(quiet(given)), session(options, result) {
  try {
    if (!session.import(program))
      return;
    attachSchedule(session.module(), program, options);
    if (runQuietly(session, steps.drop_back()))
      session.keep();
  } catch (const std::exception &) {
    session.forget();
  }
}

bool BlockChoices::changeWith(const PipelineStep &last) {
  OwningOpRef<ModuleOp> before = std::move(latest);
  if (session.hasKept()) {
    session.goBack();
    if (runQuietly(session, last))
      latest = session.module().clone();
  }
  if (!before || !latest)
    return static_cast<bool>(before) != static_cast<bool>(latest);
  return !OperationEquivalence::isEquivalentTo(*before, *latest,
                                               OperationEquivalence::None);
}
