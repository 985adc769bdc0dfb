//===- EmitModule.cpp - From nc IR to the module that the machine runs ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/convert/Emit.h"

#include "AlignLoops.h"
#include "ModuleTables.h"
#include "StreamEmitter.h"

#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/prove/OrderRecord.h"
#include "kiln/isa/checks.h"

#include "llvm/ADT/SetVector.h"

#include <set>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
namespace isa = kiln::isa;

namespace {

/// One walk over the program distributes it over the streams, numbers it, and
/// notes what the user asked for.
class Survey {
public:
  Survey(func::FuncOp func, isa::Module &module, EmissionContext &context)
      : locations(module), context(context) {
    std::optional<nc::OrderRecord> record =
        nc::OrderRecord::fromAttribute(func->getAttr(nc::orderRecordAttrName));
    if (!record)
      return; // IR from elsewhere.
    source.emplace();
    source->parents.assign(record->parents.begin(), record->parents.end());
    for (const nc::OrderRecord::Loop &loop : record->loops)
      source->loops[static_cast<std::int32_t>(loop.number)] = {
          loop.begin,
          loop.trips == 1 || loop.trips == nc::OrderRecord::atMostOnce};
    source->numbers.push_back(problems::SourceOrder::none);
    source->isWork.push_back(false);
  }

  /// The mask of engines that got some of the block.
  FailureOr<std::uint32_t> visit(Block &block) {
    EmissionContext::Members members;
    std::uint32_t all = 0;
    Operation *held = nullptr;
    for (Operation &op : block) {
      if (!llvm::isa<nc::NcInstruction, scf::ForOp>(op))
        continue;
      bool mayMove =
          !held && op.getNumRegions() == 0 && op.getNumResults() == 0;
      if (mayMove && isMutated(Mutation::emitOrder)) {
        held = &op;
        continue;
      }
      if (failed(visit(&op, members, all)) ||
          (held && failed(visit(held, members, all))))
        return failure();
      held = nullptr;
    }
    if (held && failed(visit(held, members, all)))
      return failure();
    context.members[&block] = std::move(members);
    return all;
  }

  /// By positions in the module; all of the program was visited before.
  FailureOr<problems::OrderPromises> takePromises(func::FuncOp func) {
    for (const nc::OrderEdge &edge : nc::orderEdges(func)) {
      promises.edges.push_back({edge.later, edge.earlier});
      Operation *later = labelled.lookup(edge.later);
      Operation *earlier = labelled.lookup(edge.earlier);
      if (later && earlier)
        continue;
      Operation *known = later     ? later
                         : earlier ? earlier
                                   : func.getOperation();
      return known->emitError()
             << Code{"KILN-C124"}
             << "the order that after() asks for cannot be kept: one of the "
                "two operations was merged into a third; use after() with "
                "loads, stores and instructions";
    }
    promises.source = std::move(source);
    return std::move(promises);
  }

  std::uint32_t positions() const { return position; }

private:
  LogicalResult visit(Operation *op, EmissionContext::Members &members,
                      std::uint32_t &all) {
    const Member member{op, ++position, locations.numberOf(op->getLoc())};
    if (source)
      noteSource(op);
    auto loop = dyn_cast<scf::ForOp>(op);
    FailureOr<std::uint32_t> engines =
        loop ? visit(*loop.getBody()) : noted(cast<nc::NcInstruction>(op));
    if (failed(engines))
      return failure();
    all |= *engines;
    if (op->getNumResults() == 0 && isMutated(Mutation::emitAll))
      return success();
    for (size_t i = 0; i < isa::numEngines; ++i)
      if (*engines & isa::maskOf(static_cast<isa::Engine>(i)))
        members[i].push_back(member);
    return success();
  }

  void noteSource(Operation *op) {
    SmallVector<int64_t, 1> numbers = nc::numbersOf(op);
    source->isWork.push_back(llvm::isa<nc::NcInstruction>(op));
    auto &number = source->numbers.emplace_back(problems::SourceOrder::none);
    if (numbers.size() == 1)
      number = static_cast<std::int32_t>(numbers.front());
    DenseI64ArrayAttr turns = nc::turnsOf(op);
    for (int64_t i = 0; turns && i + 3 < turns.size(); i += 4) {
      if (turns[i + 2] != turns[i + 3])
        number = problems::SourceOrder::none; // Of several iterations.
      source->turns[position].push_back({static_cast<std::int32_t>(turns[i]),
                                         turns[i + 1] != 0, turns[i + 2]});
    }
  }

  FailureOr<std::uint32_t> noted(nc::NcInstruction op) {
    const FailureOr<isa::Engine> engine = nc::engineBefore("emission", op);
    if (failed(engine))
      return failure();
    if (std::optional<nc::OrderedPlace> place = nc::orderedPlace(op))
      promises.places.push_back({position, place->scope, place->place});
    if (std::optional<int64_t> label = nc::labelOf(op)) {
      promises.labels.push_back({position, *label});
      labelled[*label] = op;
    }
    if (auto chosen = dyn_cast_if_present<nc::EngineAttr>(
            op->getDiscardableAttr(nc::userEngineAttrName)))
      promises.streams.push_back({position, chosen.getValue()});
    return isa::maskOf(*engine);
  }

  LocationTable locations;
  EmissionContext &context;
  problems::OrderPromises promises;
  std::optional<problems::SourceOrder> source;
  DenseMap<int64_t, Operation *> labelled;
  std::uint32_t position = 0;
};

} // namespace

/// Of tcmalloc, where the tool is linked with it.
extern "C" [[gnu::weak]] void MallocExtension_ReleaseFreeMemory();

/// Small pieces of memory are no use for a long stream.
static void giveBack(size_t pieces) {
  constexpr size_t many = 10'000;
  if (pieces <= many)
    return;
  if (MallocExtension_ReleaseFreeMemory)
    return MallocExtension_ReleaseFreeMemory();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/// Removes what `engine` runs from the IR: a million instructions, once as IR
/// and once as a module, would take too much memory.
static void discard(const EmissionContext &context, size_t engine) {
  size_t discarded = 0;
  for (const auto &[block, members] : context.members)
    for (const Member &member : members[engine]) {
      // Results are for all engines, and so are loops.
      if (!llvm::isa<nc::NcInstruction>(member.op) ||
          member.op->getNumResults() != 0)
        continue;
      // One view may be several operands.
      llvm::SmallSetVector<Operation *, 4> views;
      for (Value operand : member.op->getOperands())
        if (auto view = operand.getDefiningOp<nc::ViewOp>())
          views.insert(view);
      member.op->erase();
      ++discarded;
      for (Operation *view : views)
        if (view->use_empty())
          view->erase();
    }
  giveBack(discarded);
}

static FailureOr<func::FuncOp> onlyKernel(ModuleOp module) {
  SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
  if (funcs.size() != 1 || funcs.front().getBody().empty() ||
      !funcs.front().getBody().hasOneBlock())
    return module.emitError()
           << Code{"KILN-C109"} << Culprit::kiln << "emission needs "
           << compiler::allowed("one") << " kernel, found "
           << compiler::found(Twine(funcs.size())) << " functions";
  return funcs.front();
}

/// Neither checker shares code with what made the module.
std::optional<isa::Diagnostic>
compiler::prove(const Emitted &emitted, const problems::CheckOptions &options) {
  if (std::optional<isa::Diagnostic> wrong =
          isa::checkModule(emitted.module, emitted.target)) {
    std::string text =
        "internal: the emitted module is refused: " + wrong->text + " [" +
        wrong->code + "]";
    if (wrong->line)
      text += " at " + wrong->file + ":" + std::to_string(wrong->line);
    return isa::Diagnostic{"KILN-C900", std::move(text)};
  }
  std::optional<problems::SyncReport> report =
      problems::checkSynchronisation(emitted.module, options, emitted.promises);
  if (!report)
    return std::nullopt;
  if (report->kind == problems::SyncReport::Kind::limit)
    return isa::Diagnostic{
        "KILN-C175", report->text + "; use loop() instead of a C++ loop that "
                                    "unrolls, or split the kernel in two"};
  return isa::Diagnostic{
      "KILN-C900",
      "internal: the emitted streams are not synchronised: " + report->text};
}

/// True if it views floats as another type, or other types as floats.
static bool seesBits(nc::NcInstruction op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto view = operand.getDefiningOp<nc::ViewOp>();
    if (!view)
      return false;
    Type seen = view.getView().getType().getElementType(),
         held = cast<MemRefType>(view.getBase().getType()).getElementType();
    return seen != held && (!seen.isInteger() || !held.isInteger());
  });
}

/// The places in the source that reinterpret bits: the executor does not warn
/// there that types differ (KILN-X060).
static void addBits(const EmissionContext &context, isa::Module &module) {
  std::set<std::uint32_t> places;
  for (const auto &[block, members] : context.members)
    for (const std::vector<Member> &own : members)
      for (const Member &member : own)
        if (auto op = dyn_cast<nc::NcInstruction>(member.op);
            op && member.location != 0 && seesBits(op))
          places.insert(member.location);
  std::string text;
  for (const std::uint32_t place : places) {
    if (!text.empty())
      text += ' ';
    text += std::to_string(place);
  }
  if (!text.empty())
    module.facts["bits"] = text;
}

FailureOr<Emitted> compiler::emitStreams(ModuleOp op) {
  FailureOr<func::FuncOp> kernel = onlyKernel(op);
  if (failed(kernel))
    return failure();
  func::FuncOp func = *kernel;
  Emitted emitted;
  emitted.target = nc::targetOf(func);
  isa::Module &module = emitted.module;
  module.kernel = func.getName().str();
  module.generation = emitted.target.generation;

  EmissionContext context(func);
  Survey survey(func, module, context);
  if (failed(survey.visit(func.getBody().front())))
    return failure();
  context.buffers = numberBuffers(func, module);
  if (failed(addTensors(func, context.tensors, module)))
    return failure();
  addFacts(func, module);
  addBits(context, module);
  FailureOr<problems::OrderPromises> promises = survey.takePromises(func);
  if (failed(promises))
    return failure();
  emitted.promises = std::move(*promises);
  giveBack(survey.positions()); // What passes have left.
  for (size_t i = 0; i < isa::numEngines; ++i) {
    auto engine = static_cast<isa::Engine>(i);
    FailureOr<std::vector<isa::Instruction>> stream =
        StreamEmitter(engine, context).emit(func);
    if (failed(stream))
      return failure();
    module.streams[i] = alignLoops(std::move(*stream), emitted.target);
    discard(context, i);
  }
  return emitted;
}

FailureOr<isa::Module>
compiler::emitModule(ModuleOp op, const problems::CheckOptions &proof) {
  FailureOr<Emitted> emitted = emitStreams(op);
  if (failed(emitted))
    return failure();
  if (std::optional<isa::Diagnostic> wrong = prove(*emitted, proof))
    return onlyKernel(op)->emitError() << Code{wrong->code} << wrong->text;
  return std::move(emitted->module);
}
