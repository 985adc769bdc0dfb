//===- PipelinedLoop.cpp - The code of a modulo schedule ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"
#include "TripSamples.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/prove/Renaming.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

namespace {

class Rewriter {
public:
  Rewriter(scf::ForOp loop, const LoopProblem &body,
           const problems::ModuloSolution &solution,
           const PipelineLayout &layout, uint64_t trips, int64_t number,
           std::optional<PipelineEnd> before)
      : loop(loop), body(body), solution(solution), layout(layout),
        trips(trips), number(number), before(before),
        first(analyseIndex(loop.getLowerBound()).constant), step(stepOf(loop)) {
  }

  /// With bounds [b, e) and so many iterations begun in the first of its trips,
  /// of `body` iterations each:
  ///
  ///   for p in [b, e - b >= least ? b + 1 : b):     prologue
  ///   for j in [b, s) by body:                      steady state
  ///   for p in [s, e - b >= least ? s + 1 : s):     epilogue
  ///   for j in [s + iterations begun, e):           the loop as it was
  void runForAnyTrips() {
    OpBuilder builder(loop);
    makeCopies(builder);
    const Location where = loop.getLoc();
    const auto size = static_cast<uint32_t>(body.operations.size());
    const auto order = problems::moduloOrder(solution, size, 0, layout.least);
    const int64_t end = layout.begin + layout.duration;
    const Value begin = loop.getLowerBound(), upper = loop.getUpperBound();
    const auto apply = [&](AffineExpr expr, ValueRange operands) -> Value {
      return affine::AffineApplyOp::create(
          builder, where,
          AffineMap::get(static_cast<unsigned>(operands.size()), 0, expr),
          operands);
    };
    const AffineExpr d0 = builder.getAffineDimExpr(0),
                     d1 = builder.getAffineDimExpr(1),
                     d2 = builder.getAffineDimExpr(2);
    const auto most = [&](AffineExpr a, AffineExpr b, Value other) -> Value {
      return affine::AffineMaxOp::create(
          builder, where, AffineMap::get(2, 0, {a, b}, builder.getContext()),
          ValueRange{begin, other});
    };
    const int64_t trip = layout.body, least = layout.least;
    const Value one = affine::AffineMinOp::create(
        builder, where,
        AffineMap::get(2, 0, {d0 + 1, d1 + (1 - least)}, builder.getContext()),
        ValueRange{begin, upper});
    const Value once = most(d0, d1, one);
    const Value steady =
        most(d0, d0 + ((d1 - d0 - least).floorDiv(trip) + 1) * trip, upper);
    const auto add = [&](Value from, Value to, int64_t stride, auto wanted,
                         int64_t shift) {
      auto made = scf::ForOp::create(
          builder, where, from, to,
          arith::ConstantIndexOp::create(builder, where, stride));
      if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
        made->setDiscardableAttr(sourceAttrName, source);
      OpBuilder inside(made.getBody()->getTerminator());
      for (const problems::ModuloInstance &instance : order)
        if (wanted(timeOf(instance)))
          copyInside(inside, made, instance,
                     static_cast<int64_t>(instance.iteration) + shift);
      return made;
    };
    const Attribute unit = builder.getUnitAttr();
    add(
        begin, once, 1, [&](int64_t time) { return time < layout.begin; }, 0)
        ->setAttr(onceAttrName, unit);
    add(
        begin, steady, trip,
        [&](int64_t time) { return time >= layout.begin && time < end; }, 0);
    add(
        steady, apply(d0 + d1 - d2, {steady, once, begin}), 1,
        [&](int64_t time) { return time >= end; }, -trip)
        ->setAttr(onceAttrName, unit);
    rest = apply(d0 + (d1 - d2) * (least - trip), {steady, once, begin});
  }
  Value rest; ///< Where the loop continues.

  PipelineEnd run() {
    OpBuilder builder(loop);
    makeCopies(builder);
    const auto size = static_cast<uint32_t>(body.operations.size());
    // The order repeats, so few trips tell where each execution is.
    const uint64_t sample = layout.isOpen() ? trips : sampleTrips();
    // Without a loop, what runs while iterations begin stands in its place.
    const int64_t iterations =
        static_cast<int64_t>(trips / solution.unroll) * solution.interval;
    const int64_t end = layout.isOpen()
                            ? std::max(iterations, layout.begin)
                            : layout.begin + layout.duration * layout.rounds;
    for (BankUse &use : banks)
      use.until -= end;
    if (before) {
      const std::optional<int64_t> late =
          shareBanks(before->held, banks, before->next);
      if (late)
        before->next += *late;
      else
        before.reset();
    }
    // When the loop around it reaches this one again, everything continues as
    // if there were more iterations.
    const int64_t next = iterations - end;
    const auto order =
        problems::moduloOrder(solution, size, 0, static_cast<uint32_t>(sample));
    for (const problems::ModuloInstance &instance : order)
      if (before && (layout.isOpen() || timeOf(instance) < layout.begin))
        copyAt(builder, instance, before->next + timeOf(instance), before);
      else if (timeOf(instance) < layout.begin)
        copyAt(builder, instance, next + timeOf(instance));
      else if (layout.isOpen() && timeOf(instance) < end)
        copyAt(builder, instance, std::nullopt);
      else if (layout.isOpen())
        copyAt(builder, instance, timeOf(instance) - end);
    if (layout.isOpen() && before)
      return {before->number, before->next + iterations, before->held,
              before->isHeldKnown && banks.empty(), before->sbuf + sbuf};
    if (layout.isOpen())
      return {number, next, {}, banks.empty(), sbuf};
    addLoop(builder, order);
    // What is left began in the last trips.
    const auto begun = static_cast<uint32_t>(
        std::max<int64_t>(0, (end - layout.begin) / solution.interval - 1) *
        solution.unroll);
    for (const problems::ModuloInstance &instance : problems::moduloOrder(
             solution, size, begun, static_cast<uint32_t>(trips)))
      if (timeOf(instance) >= end)
        copyAt(builder, instance, timeOf(instance) - end);
    return {number, next, banks, true, sbuf};
  }

private:
  void makeCopies(OpBuilder &builder) {
    sbuf = body.problem.taken(isa::Space::sbuf, solution.copies);
    layBeside(builder);
    for (auto [index, entry] : llvm::enumerate(body.problem.buffers)) {
      AllocOp alloc = body.buffers[index];
      const uint32_t needed = solution.copies[index];
      if (needed > 1 && needed <= entry.shared)
        shareBank(builder, alloc, alloc);
      if (const auto window = windows.find(alloc.getMemory());
          window != windows.end()) {
        addUse(window->second.bank, entry, 1, 0);
        continue;
      }
      buffers[alloc.getMemory()];
      const uint32_t copies =
          needed > 1 && isMutated(Mutation::pipelineCopy) ? needed - 1 : needed;
      for (uint32_t i = 0; i < copies; ++i) {
        auto copy = cast<AllocOp>(builder.clone(*alloc));
        copy->removeDiscardableAttr(writtenFirstAttrName);
        copy->setDiscardableAttr(copyAttrName,
                                 builder.getDenseI64ArrayAttr(
                                     {static_cast<int64_t>(buffers.size()) - 1,
                                      i, static_cast<int64_t>(trips)}));
        buffers[alloc.getMemory()].push_back(copy.getMemory());
        addUse(copy, entry, copies, i);
      }
    }
  }

  /// `alloc` has what iterations `copy`, `copy` + `copies`, .. have in the
  /// buffer.
  void addUse(AllocOp alloc, const problems::ModuloBuffer &buffer,
              uint32_t copies, uint32_t copy) {
    if (buffer.space != isa::Space::psum || trips <= copy)
      return;
    const auto last =
        static_cast<uint32_t>(copy + (trips - 1 - copy) / copies * copies);
    BankUse use{alloc, std::numeric_limits<int64_t>::max(),
                std::numeric_limits<int64_t>::min()};
    // Iterations of one buffer end in any order.
    for (const problems::ModuloBuffer::User &user : buffer.users)
      for (uint32_t i = 0; i < solution.unroll; ++i) {
        const uint32_t early = copy + i * copies;
        if (early < trips)
          use.from = std::min(use.from, timeOf({user.operation, early}));
        if (last >= i * copies)
          use.until =
              std::max(use.until, timeOf({user.operation, last - i * copies}) +
                                      user.release);
      }
    for (BankUse &known : banks)
      if (known.alloc == alloc) {
        known.from = std::min(known.from, use.from);
        known.until = std::max(known.until, use.until);
        return;
      }
    banks.push_back(use);
  }

  /// Two buffers of one copy each, where the problem has them so.
  void layBeside(OpBuilder &builder) {
    const problems::ModuloProblem &problem = body.problem;
    if (!problem.laysBeside(solution.copies))
      return;
    for (auto [index, entry] : llvm::enumerate(problem.buffers))
      if (entry.beside && solution.copies[index] == 1 &&
          solution.copies[*entry.beside] == 1)
        shareBank(builder, body.buffers[*entry.beside], body.buffers[index]);
  }

  /// Both copies, or both buffers, are windows of one buffer.
  void shareBank(OpBuilder &builder, AllocOp alloc, AllocOp other) {
    const auto type = cast<MemRefType>(alloc.getMemory().getType());
    const int64_t elements = std::max(pitchOf(alloc), pitchOf(other)) /
                             (type.getElementTypeBitWidth() / 8);
    auto both = AllocOp::create(
        builder, alloc.getLoc(),
        MemRefType::get({type.getDimSize(0), 2 * elements},
                        type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace()),
        alloc.getLabel().value_or(""));
    setMemoryScope(both, memoryScopeOf(alloc));
    windows[alloc.getMemory()] = {both, elements, alloc == other, 0};
    if (alloc != other)
      windows[other.getMemory()] = {both, elements, false, 1};
  }

  uint64_t sampleTrips() const {
    return std::min<uint64_t>(trips, (layout.begin / solution.interval + 1) *
                                             solution.unroll +
                                         2 * layout.body);
  }

  int64_t timeOf(const problems::ModuloInstance &instance) const {
    return solution.start[instance.iteration % solution.unroll *
                              body.operations.size() +
                          instance.operation] +
           instance.iteration / solution.unroll * solution.interval;
  }

  void addLoop(OpBuilder &builder, ArrayRef<problems::ModuloInstance> order) {
    Location where = loop.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, where, value);
    };
    const int64_t stride = step * layout.body;
    Value from = constant(first), to = constant(first + stride * layout.rounds);
    auto made = scf::ForOp::create(builder, where, from, to, constant(stride));
    if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
      made->setDiscardableAttr(sourceAttrName, source);
    OpBuilder inside(made.getBody()->getTerminator());
    for (const problems::ModuloInstance &instance : order) {
      const int64_t time = timeOf(instance);
      if (time < layout.begin || time >= layout.begin + layout.duration)
        continue;
      copyInside(inside, made, instance,
                 step * static_cast<int64_t>(instance.iteration));
    }
  }

  /// One execution, `ahead` of the counter of the loop in which it stands.
  void copyInside(OpBuilder &inside, scf::ForOp made,
                  const problems::ModuloInstance &instance, int64_t ahead) {
    Value index = made.getInductionVar();
    if (ahead != 0)
      index = affine::AffineApplyOp::create(
          inside, loop.getLoc(),
          AffineMap::get(1, 0, inside.getAffineDimExpr(0) + ahead),
          ValueRange{index});
    copy(inside, instance, index, /*absolute=*/false, ahead)
        ->setDiscardableAttr(scheduledAttrName, inside.getUnitAttr());
  }

  /// One execution in front of the new loop or behind it, at `start`, or in its
  /// place.
  void copyAt(OpBuilder &builder, const problems::ModuloInstance &instance,
              std::optional<int64_t> start,
              std::optional<PipelineEnd> beside = std::nullopt) {
    const int64_t value =
        first + step * static_cast<int64_t>(instance.iteration);
    Operation *made =
        copy(builder, instance,
             arith::ConstantIndexOp::create(builder, loop.getLoc(), value),
             /*absolute=*/true, value);
    if (start && beside)
      made->setDiscardableAttr(
          startAttrName,
          builder.getDenseI64ArrayAttr({beside->number, *start, number}));
    else if (start)
      made->setDiscardableAttr(startAttrName,
                               builder.getDenseI64ArrayAttr({number, *start}));
    else
      made->setDiscardableAttr(scheduledAttrName, builder.getUnitAttr());
  }

  Operation *copy(OpBuilder &builder, const problems::ModuloInstance &instance,
                  Value index, bool absolute, int64_t turn) {
    IRMapping map;
    map.map(loop.getInductionVar(), index);
    for (auto &[buffer, copies] : buffers)
      map.map(buffer, copies[instance.iteration % copies.size()]);
    NcInstruction op = body.operations[instance.operation];
    copySources(builder, op, map, instance.iteration);
    auto made = cast<NcInstruction>(builder.clone(*op, map));
    if (absolute || turn != 0)
      noteTurn(made, loop, absolute, turn);
    takeTurn(made, instance);
    return made;
  }

  /// Of the iterations after which the order repeats, another engine runs some.
  void takeTurn(NcInstruction op,
                const problems::ModuloInstance &instance) const {
    if (!op->removeDiscardableAttr(takesTurnsAttrName))
      return;
    for (const LoopProblem::Turns &turns : body.turns)
      if (turns.operation == instance.operation &&
          turns.in(layout.period(trips), body.problem, layout.shift)
              .isOthers(instance.iteration))
        op.setAssignedEngine(turns.other);
  }

  /// Views and index arithmetic of the body that `op` needs.
  void copySources(OpBuilder &builder, Operation *op, IRMapping &map,
                   uint32_t iteration) const {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || map.contains(operand) ||
          source->getBlock() != scf::ForOp(loop).getBody())
        continue;
      copySources(builder, source, map, iteration);
      Operation *made = builder.clone(*source, map);
      if (auto view = dyn_cast<ViewOp>(made))
        moveToWindow(view, cast<ViewOp>(source).getBase(), iteration);
    }
  }

  void moveToWindow(ViewOp view, Value buffer, uint32_t iteration) const {
    const auto window = windows.find(buffer);
    if (window == windows.end())
      return;
    const AffineMap offset = view.getOffset();
    const Window &place = window->second;
    const int64_t half = isMutated(Mutation::pipelineCopy) ? 0
                         : place.alternates                ? iteration % 2
                                                           : place.half;
    view.getBaseMutable().assign(AllocOp(place.bank).getMemory());
    view.setOffset(AffineMap::get(offset.getNumDims(), 0,
                                  offset.getResult(0) + half * place.elements));
  }

  mutable scf::ForOp loop;
  const LoopProblem &body;
  const problems::ModuloSolution &solution;
  const PipelineLayout &layout;
  uint64_t trips;
  int64_t number; ///< Of the loop in the function.
  std::optional<PipelineEnd> before;
  int64_t first, step;
  llvm::MapVector<Value, SmallVector<Value>> buffers; ///< Copies, by original.
  /// Half of a bank for a copy.
  struct Window {
    AllocOp bank;
    int64_t elements = 0;    ///< Of a half.
    bool alternates = false; ///< Iterations take the halves in turns.
    int64_t half = 0;
  };
  llvm::MapVector<Value, Window> windows;
  SmallVector<BankUse> banks; ///< Of the buffers in PSUM.
  int64_t sbuf = 0;           ///< Bytes per partition of the others.
};

} // namespace

FailureOr<PipelineEnd> kiln::compiler::nc::emitPipelined(
    scf::ForOp loop, const LoopProblem &body,
    const problems::ModuloSolution &solution, const PipelineLayout &layout,
    uint64_t trips, int64_t number, std::optional<PipelineEnd> before) {
  Operation *previous = loop->getPrevNode();
  const PipelineEnd end =
      Rewriter(loop, body, solution, layout, trips, number, before).run();
  if (failed(checkRenaming(loop, previous)))
    return failure();
  loop.erase();
  return end;
}

LogicalResult
kiln::compiler::nc::emitForAnyTrips(scf::ForOp loop, const LoopProblem &body,
                                    const problems::ModuloSolution &solution,
                                    const PipelineLayout &layout,
                                    int64_t number) {
  Operation *previous = loop->getPrevNode();
  Rewriter rewriter(loop, body, solution, layout, layout.least, number,
                    std::nullopt);
  rewriter.runForAnyTrips();
  if (failed(checkRenaming(loop, previous)))
    return failure();
  loop.getLowerBoundMutable().assign(rewriter.rest);
  loop->setDiscardableAttr(remainderAttrName,
                           UnitAttr::get(loop->getContext()));
  return success();
}
