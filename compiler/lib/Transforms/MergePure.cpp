//===- MergePure.cpp - Equal computations are one -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind tile-to-nc only views and index arithmetic can be equal: instructions
// have effects and no results. That is less than what MLIR's pass looks for,
// which takes a tenth of the compilation of straight-line code.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Nc.h"
#include "kiln/compiler/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCMERGEPURE
#include "kiln/compiler/Transforms/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler::nc;

namespace {

struct Computation {
  Operation *op = nullptr;
  unsigned hash = 0;
};

/// Operands in any order: some operations commute.
Computation computationOf(Operation *op) {
  size_t operands = 0;
  for (Value operand : op->getOperands())
    operands += hash_value(operand);
  return {op,
          static_cast<unsigned>(llvm::hash_combine(
              op->getName(), operands,
              op->getDiscardableAttrDictionary().getAsOpaquePointer(),
              static_cast<size_t>(op->hashProperties()), op->getNumResults()))};
}

struct ComputationInfo {
  static Computation getEmptyKey() {
    return {llvm::DenseMapInfo<Operation *>::getEmptyKey(), 0};
  }
  static Computation getTombstoneKey() {
    return {llvm::DenseMapInfo<Operation *>::getTombstoneKey(), 0};
  }
  static unsigned getHashValue(const Computation &key) { return key.hash; }
  static bool isEqual(const Computation &a, const Computation &b) {
    if (a.op == b.op)
      return true;
    if (a.hash != b.hash || isMark(a.op) || isMark(b.op))
      return false;
    return OperationEquivalence::isEquivalentTo(
        a.op, b.op, OperationEquivalence::IgnoreLocations);
  }

private:
  static bool isMark(Operation *op) {
    return op == getEmptyKey().op || op == getTombstoneKey().op;
  }
};

class MergePure : public kiln::compiler::nc::impl::NcMergePureBase<MergePure> {
public:
  void runOnOperation() override {
    known.clear();
    dropDead(getOperation().getBody());
    visit(getOperation().getBody());
  }

private:
  static bool isDead(Operation *op) {
    return op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>() &&
           wouldOpBeTriviallyDead(op);
  }

  /// From the end: who uses something is dropped before it.
  static void dropDead(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        for (Region &inner : op.getRegions())
          dropDead(inner);
        if (isDead(&op))
          op.erase();
      }
  }

  /// What is computed in a block is known in the blocks inside it.
  void visit(Region &region) {
    for (Block &block : region) {
      SmallVector<Computation> fresh;
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          visit(inner);
        if (op.getNumRegions() == 0 && op.getNumResults() != 0 &&
            (llvm::isa<ViewOp>(op) || isMemoryEffectFree(&op)))
          merge(op, fresh);
      }
      for (const Computation &computation : fresh)
        known.erase(computation);
    }
  }

  void merge(Operation &op, SmallVectorImpl<Computation> &fresh) {
    const Computation computation = computationOf(&op);
    auto [place, inserted] = known.insert(computation);
    if (inserted) {
      fresh.push_back(computation);
      return;
    }
    Operation *kept = place->op;
    if (llvm::isa<UnknownLoc>(kept->getLoc()))
      kept->setLoc(op.getLoc());
    op.replaceAllUsesWith(kept);
    op.erase();
  }

  llvm::DenseSet<Computation, ComputationInfo> known;
};

} // namespace
