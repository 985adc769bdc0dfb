//===- TileToNc.cpp - From tiles to instructions --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Blame.h"
#include "kiln/compiler/dialect/nc/Code.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILETONC
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks tileToNcRemarks("tile-to-nc");

LogicalResult Lowering::run() {
  SmallVector<Operation *> worklist;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::isa_and_present<TileDialect>(op->getDialect()))
      worklist.push_back(op);
    else if (llvm::isa<nc::NcInstruction>(op))
      nc::adoptPromises(op); // The user's.
  });
  for (Operation *op : worklist) {
    builder.setInsertionPoint(op);
    location = op->getLoc();
    plain = nc::withNotes(location, DictionaryAttr());
    if (failed(lower(op)))
      return failure();
    eraseUnused(op);
  }
  return success();
}

/// Erases a lowered operation if nothing will use its results, and then the
/// operations of which it was the last user. So the nc level reuses the memory
/// of the tile level, and there are never two whole programs. No new tile
/// operations are created, so nothing looks up an erased one by its address.
void Lowering::eraseUnused(Operation *op) {
  llvm::SmallSetVector<Operation *, 4> unused;
  unused.insert(op);
  while (!unused.empty()) {
    Operation *erased = unused.pop_back_val();
    if (!erased->use_empty())
      continue;
    for (Value result : erased->getResults())
      forget(result);
    for (Value operand : erased->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer &&
          llvm::isa_and_present<TileDialect>(producer->getDialect()))
        unused.insert(producer);
    erased->erase();
  }
}

void Lowering::forget(Value tile) {
  if (auto it = spread.find(tile); it != spread.end()) {
    lastViews.erase(it->second.base);
    spread.erase(it);
  }
  auto it = lowered.find(tile);
  if (it == lowered.end())
    return;
  if (it->second->ownsMemory)
    lastViews.erase(it->second->ref.base);
  for (const auto &[block, copy] : it->second->copies)
    lastViews.erase(copy.base);
  lowered.erase(it);
}

/// The tensor engine completes 128 rows at a time. In a loop, the next
/// iteration runs beside what follows; outside, work on such rows does not wait
/// for the others, if it takes longer than its start.
bool Lowering::comesInSlots(Operation *op) {
  constexpr int64_t leastColumns = 256;
  if (op->getBlock() != &function.getBody().front() || op->getNumResults() != 1)
    return false;
  const Value result = op->getResult(0);
  if (mlir::isa<MatmulOp>(op)) {
    slotted.insert(result);
    return false;
  }
  if (!mlir::isa<ActivateOp, ChainOp, ScalarTensorOp, BinaryOp, CastOp>(op) ||
      llvm::none_of(op->getOperands(),
                    [&](Value operand) { return slotted.contains(operand); }))
    return false;
  slotted.insert(result);
  return freeElements(tensorOf(result)) >= leastColumns;
}

LogicalResult Lowering::lower(Operation *op) {
  const llvm::SaveAndRestore slots(inSlots, comesInSlots(op));
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<DeclareOp>([&](auto op) { return lowerDeclare(op); })
      .Case<ReadOp>([&](auto op) { return lowerRead(op); })
      .Case<AssignOp>([&](auto op) { return lowerAssign(op); })
      .Case<LoadOp>([&](auto op) { return lowerLoad(op); })
      .Case<LoadTransposedOp>([&](auto op) { return lowerLoadTransposed(op); })
      .Case<StoreOp>([&](auto op) { return lowerStore(op); })
      .Case<SliceOp>([&](auto op) { return lowerSlice(op); })
      // A constant gets memory where it is used.
      .Case<FillOp>([&](auto) { return success(); })
      .Case<MatmulOp>([&](auto op) { return lowerMatmul(op); })
      .Case<QuantizeOp>([&](auto op) { return lowerQuantize(op); })
      .Case<TransposeOp>([&](TransposeOp op) {
        Ref from = refOf(op.getInput());
        transpose(destination(op.getResult()), from);
        return success();
      })
      .Case<ActivateOp>([&](auto op) { return lowerActivate(op); })
      .Case<ChainOp>([&](auto op) { return lowerChain(op); })
      .Case<ScalarTensorOp>([&](auto op) { return lowerScalarTensor(op); })
      .Case<BinaryOp>([&](auto op) { return lowerBinary(op); })
      .Case<ReduceOp>([&](auto op) { return lowerReduce(op); })
      .Case<ApplyOp>([&](auto op) { return lowerApply(op); })
      .Case<KeepOp>([&](auto op) { return lowerKeep(op); })
      .Case<SelectOp>([&](auto op) { return lowerSelect(op); })
      .Case<RepeatOp>([&](RepeatOp op) {
        Ref from = refOf(op.getInput());
        repeatRow(destination(op.getResult()), from);
        return success();
      })
      .Case<AppendOp>([&](AppendOp op) { return lowerAppend(op); })
      .Case<CastOp>([&](CastOp op) {
        Ref from = refOf(op.getInput());
        copy(destination(op.getResult()), from);
        return success();
      })
      .Default([](Operation *op) {
        return op->emitError()
               << Code{"KILN-C013", "", ": "} << Culprit::kiln << "'"
               << op->getName()
               << "' is not an operation of any engine: run tile-legalize "
                  "before tile-to-nc";
      });
}

/// Idempotent: an assigned value may be computed before its buffer's place.
LogicalResult Lowering::lowerDeclare(DeclareOp op) {
  if (lowered.contains(op.getBuffer()))
    return success();
  auto type = cast<MemRefType>(op.getBuffer().getType());
  const Ref &ref = remember(
      op.getBuffer(),
      allocate(type.getShape(), type.getElementType(), *nc::spaceOf(type)),
      /*ownsMemory=*/true);
  auto alloc = ref.base.getDefiningOp<nc::AllocOp>();
  alloc->setLoc(op.getLoc());
  // Not that of the operation which is being lowered.
  alloc->removeDiscardableAttr(nc::withinAttrName);
  nc::setMemoryScope(alloc, nc::memoryScopeAt(op.getLoc()));
  if (op.getRing()) {
    alloc.setRing(*op.getRing());
    alloc->setAttr(nc::userRingAttrName, builder.getUnitAttr());
  }
  alloc.setPinPartitionAttr(op.getPinPartitionAttr());
  alloc.setPinByteAttr(op.getPinByteAttr());
  alloc.setLabelAttr(op.getLabelAttr());
  for (OpOperand &use : llvm::make_early_inc_range(op.getBuffer().getUses()))
    if (mlir::isa<nc::ViewOp>(use.getOwner()))
      use.set(ref.base);
  return success();
}

namespace {

struct TileToNcPass : tile::impl::TileToNcBase<TileToNcPass> {
  using TileToNcBase::TileToNcBase;
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nc::NcDialect, affine::AffineDialect>();
  }
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Lines lines;
    if (Remarks::areWanted(function))
      function.walk([&](Operation *op) {
        Line &line = lines[placeOf(op)];
        line.tiles += isTile(op) ? 1 : 0;
        line.instructions -= isInstruction(op) ? 1 : 0;
      });
    if (failed(Lowering(function, nc::targetOf(function)).run()))
      return signalPassFailure();
    tell(lines);
  }

private:
  static bool isTile(Operation *op) {
    return llvm::isa_and_present<TileDialect>(op->getDialect());
  }
  static bool isInstruction(Operation *op) {
    return llvm::isa<nc::NcInstruction>(op);
  }
  /// A line of the source.
  struct Line {
    int64_t tiles = 0, instructions = 0;
    Operation *first = nullptr; ///< Instruction.
  };
  using Lines = llvm::MapVector<std::pair<Attribute, unsigned>, Line>;
  static std::pair<Attribute, unsigned> placeOf(Operation *op) {
    auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
    return place ? std::pair<Attribute, unsigned>(place.getFilename(),
                                                  place.getLine())
                 : std::pair<Attribute, unsigned>();
  }
  /// For each line that has operations on tiles. If nothing is left of them,
  /// the remark is at the start of the kernel.
  void tell(Lines &lines) {
    if (lines.empty())
      return;
    getOperation().walk([&](Operation *op) {
      if (!isInstruction(op))
        return;
      Line &line = lines[placeOf(op)];
      ++line.instructions;
      line.first = line.first ? line.first : op;
    });
    Line rest;
    for (const auto &[place, line] : lines)
      if (line.tiles > 0 && line.first)
        tell(line);
      else
        rest.tiles += line.tiles;
    rest.first = getOperation();
    if (rest.tiles > 0)
      tell(rest);
  }
  static void tell(const Line &line) {
    tileToNcRemarks.analysis(line.first, "Lowered")
        << count("operations", line.tiles)
        << noun(line.tiles, " tile operation becomes ",
                " tile operations become ")
        << count("instructions", line.instructions)
        << noun(line.instructions, " instruction");
  }
};

} // namespace
