//===- NoteOrder.cpp - Numbers in the order of the program ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderPlay.h"
#include "PlayedIndices.h"

#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/prove/OrderRecord.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCNOTEORDER
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks noteOrderRemarks("nc-note-order");

namespace {

class NoteOrder : public kiln::compiler::nc::impl::NcNoteOrderBase<NoteOrder> {
public:
  using Base::Base;

  void runOnOperation() override {
    OrderRecord record;
    indices = {};
    record.allMemory = allMemory;
    written.clear();
    reads.clear();
    visit(getOperation().getBody().front(), OrderRecord::none, record);
    for (const Read &read : reads)
      if (written.contains(read.tensor))
        setNumberOfTile(*read.op, read.number);
    getOperation()->setAttr(orderRecordAttrName,
                            record.toAttribute(&getContext()));
    const size_t loops = record.loops.size(),
                 operations = record.parents.size() - loops;
    noteOrderRemarks.analysis(getOperation(), "Numbered")
        << "numbered " << count("operations", operations)
        << noun(operations, " operation") << " and " << count("loops", loops)
        << noun(loops, " loop") << " in source order, as they access "
        << (allMemory ? "memory" : "HBM and declared buffers");
  }

private:
  void visit(Block &block, int64_t loop, OrderRecord &record) {
    for (Operation &op : block) {
      if (auto nested = dyn_cast<scf::ForOp>(op)) {
        int64_t number = record.add(loop, 0);
        setNumber(nested, number);
        record.loops.push_back(measured(nested, number));
        visit(*nested.getBody(), number, record);
      } else if (auto instruction = dyn_cast<NcInstruction>(op)) {
        // An unused register is not loaded.
        int64_t runs = llvm::isa<RegisterLoadOp>(op) ? 0 : OrderRecord::once;
        note(instruction, record.add(loop, runs));
        if (!allMemory)
          for (Value operand : op.getOperands())
            if (auto view = operand.getDefiningOp<ViewOp>())
              written.insert(view.getBase());
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        if (!allMemory)
          setNumber(alloc, record.add(loop, 0));
        else if (loop != OrderRecord::none && isWrittenFirst(alloc))
          op.setDiscardableAttr(writtenFirstAttrName,
                                UnitAttr::get(&getContext()));
      } else if (!allMemory) {
        noteTileOperation(op, loop, record);
      }
    }
  }

  /// The first of its users stands beside it and only writes it.
  static bool isWrittenFirst(AllocOp alloc) {
    Operation *first = nullptr;
    for (Operation *view : alloc.getMemory().getUsers())
      for (Operation *user : view->getUsers()) {
        Operation *here = alloc->getBlock()->findAncestorOpInBlock(*user);
        if (here && (!first || here->isBeforeInBlock(first)))
          first = here;
      }
    auto instruction = dyn_cast_or_null<NcInstruction>(first);
    if (!instruction)
      return false;
    bool writes = false;
    for (const PlayedOperand &operand : operandsOf(instruction)) {
      if (operand.view.getBase() != alloc.getMemory())
        continue;
      if (operand.effect != isa::Effect::write)
        return false;
      writes = true;
    }
    return writes;
  }

  /// True if it accesses memory by its declared effects; allocations count.
  void noteTileOperation(Operation &op, int64_t loop, OrderRecord &record) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || op.getName().getDialectNamespace() != "tile")
      return;
    SmallVector<SideEffects::EffectInstance<MemoryEffects::Effect>> list;
    effects.getEffects(list);
    Value touched;
    bool writes = false;
    for (const auto &effect : list)
      if (effect.getValue() &&
          llvm::isa<MemRefType>(effect.getValue().getType())) {
        touched = effect.getValue();
        if (!llvm::isa<MemoryEffects::Read>(effect.getEffect()))
          written.insert(touched);
        writes |= llvm::isa<MemoryEffects::Write>(effect.getEffect());
      }
    if (!touched)
      return;
    int64_t elements = 0;
    auto sizes = op.getAttrOfType<DenseI64ArrayAttr>("sizes");
    if (writes && sizes) {
      elements = 1;
      for (int64_t size : sizes.asArrayRef())
        elements *= size;
    }
    const int64_t number = record.add(loop, elements);
    if (!written.contains(touched) &&
        spaceOf(cast<MemRefType>(touched.getType())) == Space::hbm)
      reads.push_back({&op, touched, number});
    else
      setNumberOfTile(op, number);
  }

  void setNumberOfTile(Operation &op, int64_t value) {
    Attribute number = Builder(&getContext()).getI64IntegerAttr(value);
    DictionaryAttr known = promisesOf(op.getLoc());
    if (!known)
      return op.setLoc(withNotes(op.getLoc(), number));
    NamedAttrList promises(known);
    promises.set(sourceAttrName, number);
    op.setLoc(withPromises(placeOf(op.getLoc()),
                           promises.getDictionary(&getContext()).getValue()));
  }

  /// A new number instead of the old notes.
  static void note(NcInstruction op, int64_t number) {
    setNumber(op, number);
    if (!op->getDiscardableAttrDictionary().empty())
      op->removeDiscardableAttr(turnsAttrName);
  }

  /// A counter that has one value is that: what it bounds may have, too.
  OrderRecord::Loop measured(scf::ForOp loop, int64_t number) {
    const PlayedIndices::Bounds bounds = indices.boundsOf(loop);
    OrderRecord::Loop noted;
    noted.number = number;
    noted.begin = bounds.begin.isKnown() ? bounds.begin.constant
                                         : std::numeric_limits<int64_t>::min();
    noted.trips = bounds.trips            ? *bounds.trips
                  : bounds.mostTrips <= 1 ? OrderRecord::atMostOnce
                                          : OrderRecord::none;
    if (bounds.mostTrips <= 1)
      indices.set(loop.getInductionVar(), bounds.begin);
    else
      indices.narrow(loop.getInductionVar(), bounds.begin.low,
                     bounds.end.high - 1);
    return noted;
  }

  /// Of a tensor. If nothing ever writes it, reads have no order, and a note at
  /// a location is not cheap.
  struct Read {
    Operation *op;
    Value tensor;
    int64_t number;
  };
  std::vector<Read> reads;
  llvm::DenseSet<Value> written; ///< Or maybe: what instructions have views of.
  PlayedIndices indices;
};

} // namespace
