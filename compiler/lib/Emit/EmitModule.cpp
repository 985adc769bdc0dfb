//===- EmitModule.cpp - From nc IR to the module that the machine runs ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Emit/Emit.h"

#include "StreamEmitter.h"

#include "kiln/compiler/Nc/Promises.h"
#include "kiln/compiler/Problems/SynchronisationChecker.h"
#include "kiln/isa/checks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
namespace isa = kiln::isa;

/// Deals out what the block holds. Returns the mask of engines that got some.
static std::uint32_t distribute(Block &block, EmissionContext &context) {
  EmissionContext::Members members;
  std::uint32_t all = 0;
  for (Operation &op : block) {
    std::uint32_t engines = 0;
    if (auto instruction = dyn_cast<nc::NcInstruction>(op))
      engines = isa::maskOf(*instruction.getAssignedEngine());
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      engines = distribute(*loop.getBody(), context);
    for (size_t i = 0; i < isa::numEngines; ++i)
      if (engines & isa::maskOf(static_cast<isa::Engine>(i)))
        members[i].push_back(&op);
    all |= engines;
  }
  context.members[&block] = std::move(members);
  return all;
}

static FailureOr<func::FuncOp> onlyKernel(ModuleOp module) {
  SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
  if (funcs.size() != 1 || funcs.front().getBody().empty() ||
      !funcs.front().getBody().hasOneBlock())
    return module.emitError("[KILN-C109] emission needs one kernel, found ")
           << funcs.size() << " functions";
  return funcs.front();
}

static LogicalResult checkEngines(func::FuncOp func) {
  WalkResult result = func.walk([&](nc::NcInstruction op) -> WalkResult {
    if (op.getAssignedEngine())
      return WalkResult::advance();
    return op->emitOpError("[KILN-C112] has no engine; nc-choose-engines "
                           "comes before emission");
  });
  return failure(result.wasInterrupted());
}

/// What the user asked for, by positions in the module.
static FailureOr<problems::OrderPromises>
collectPromises(func::FuncOp func, const EmissionContext &context) {
  problems::OrderPromises promises;
  DenseMap<int64_t, Operation *> labelled;
  func.walk([&](nc::NcInstruction op) {
    std::uint32_t position = context.places.lookup(op).position;
    if (std::optional<nc::OrderedPlace> place = nc::orderedPlace(op))
      promises.places.push_back({position, place->scope, place->place});
    if (std::optional<int64_t> label = nc::labelOf(op)) {
      promises.labels.push_back({position, *label});
      labelled[*label] = op;
    }
    if (auto chosen = op->getAttrOfType<StringAttr>(nc::userEngineAttrName))
      if (auto engine = isa::parseEngine(
              {chosen.getValue().data(), chosen.getValue().size()}))
        promises.streams.push_back({position, *engine});
  });
  for (const nc::OrderEdge &edge : nc::orderEdges(func)) {
    promises.edges.push_back({edge.later, edge.earlier});
    Operation *later = labelled.lookup(edge.later);
    Operation *earlier = labelled.lookup(edge.earlier);
    if (later && earlier)
      continue;
    Operation *known = later ? later : earlier ? earlier : func.getOperation();
    return known->emitError("[KILN-C124] its place after another operation, or "
                            "of another after it, cannot be kept: the other "
                            "has become part of a third one; use after() with "
                            "loads, stores and instructions");
  }
  return promises;
}

/// Both checkers share no code with what made the module.
static LogicalResult prove(func::FuncOp func, const isa::Module &module,
                           const isa::Target &target,
                           const problems::OrderPromises &promises) {
  if (std::optional<isa::Diagnostic> wrong = isa::checkModule(module, target)) {
    InFlightDiagnostic diagnostic =
        func.emitError("[KILN-C900] internal: the "
                       "emitted module is refused: ");
    diagnostic << wrong->text << " [" << wrong->code << "]";
    if (wrong->line)
      diagnostic << " at " << wrong->file << ":" << wrong->line;
    return diagnostic;
  }
  if (std::optional<problems::SyncReport> report =
          problems::checkSynchronisation(module, {}, promises))
    return func.emitError("[KILN-C900] internal: the emitted streams are not "
                          "synchronised: ")
           << report->text;
  return success();
}

FailureOr<isa::Module> compiler::emitModule(ModuleOp op) {
  FailureOr<func::FuncOp> kernel = onlyKernel(op);
  if (failed(kernel))
    return failure();
  func::FuncOp func = *kernel;
  if (failed(checkEngines(func)))
    return failure();
  isa::Target target = nc::targetOf(func);
  isa::Module module;
  module.kernel = func.getName().str();
  module.generation = target.generation;

  EmissionContext context(func);
  context.places = numberPlaces(func, module);
  context.buffers = numberBuffers(func, module);
  distribute(func.getBody().front(), context);
  if (failed(addTensors(func, context.tensors, module)))
    return failure();
  addFacts(func, module);
  for (size_t i = 0; i < isa::numEngines; ++i) {
    auto engine = static_cast<isa::Engine>(i);
    FailureOr<std::vector<isa::Instruction>> stream =
        StreamEmitter(engine, context).emit(func);
    if (failed(stream))
      return failure();
    module.streams[i] = std::move(*stream);
  }
  FailureOr<problems::OrderPromises> promises = collectPromises(func, context);
  if (failed(promises) || failed(prove(func, module, target, *promises)))
    return failure();
  return module;
}
