//===- MergeEqual.cpp - Equal operations are one --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As MLIR's pass, for the IR that occurs here: blocks without branches, and no
// loops with results. MLIR's pass scans everything between two equal reads for
// each of them again, and hashes an operation several times.
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCMERGEEQUAL
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

/// By the name of its steps in the pipeline.
static constexpr Remarks mergeEqualRemarks("cse");

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
    // What is recorded in a memory scope has its memory there.
    return memoryScopeAt(a.op->getLoc()) == memoryScopeAt(b.op->getLoc()) &&
           OperationEquivalence::isEquivalentTo(
               a.op, b.op, OperationEquivalence::IgnoreLocations);
  }

private:
  static bool isMark(Operation *op) {
    return op == getEmptyKey().op || op == getTombstoneKey().op;
  }
};

class Merger {
public:
  void run(Region &body) {
    dropDead(body);
    visit(body, /*isOutermost=*/true);
    for (Operation *op : merged)
      op->erase();
  }

private:
  /// A block that is being visited: what may write, as far as it was needed.
  struct Scope {
    Operation *next = nullptr; ///< The first one that was not examined.
    Operation *lastWrite = nullptr;
    /// What became known, and instead of what.
    SmallVector<std::pair<Computation, Operation *>> fresh;
    bool isOutermost = false;
  };

  static bool isDead(Operation *op) {
    // What has neither results nor regions is there for its effects.
    return (op->getNumResults() != 0 || op->getNumRegions() != 0) &&
           op->use_empty() && wouldOpBeTriviallyDead(op);
  }

  /// From the end: users are dropped before their operands.
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
  void visit(Region &region, bool isOutermost) {
    for (Block &block : region) {
      Scope scope;
      scope.next = block.empty() ? nullptr : &block.front();
      scope.isOutermost = isOutermost;
      for (Operation &op : block) {
        for (Region &inner : op.getRegions())
          visit(inner, false);
        if (op.getNumRegions() != 0 || op.getNumResults() == 0)
          continue;
        if (auto view = dyn_cast<ViewOp>(op)) {
          if (!isAlone(view))
            merge(op, scope, /*reads=*/false);
        } else if (isMemoryEffectFree(&op)) {
          merge(op, scope, /*reads=*/false);
        } else if (hasSingleEffect<MemoryEffects::Read>(&op)) {
          merge(op, scope, /*reads=*/true);
        }
      }
      for (const auto &[computation, before] : llvm::reverse(scope.fresh)) {
        known.erase(computation);
        if (before)
          known.insert({before, computation.hash});
      }
    }
  }

  /// The only view of a buffer. No two buffers are equal.
  static bool isAlone(ViewOp view) {
    return view.getBase().hasOneUse() &&
           view.getBase().getDefiningOp<AllocOp>();
  }

  void merge(Operation &op, Scope &scope, bool reads) {
    const Computation computation = computationOf(&op);
    auto [place, inserted] = known.insert(computation);
    Operation *kept = inserted ? nullptr : place->op;
    if (kept && (!reads || seesTheSame(*kept, op, scope))) {
      if (reads)
        mergeEqualRemarks.passed(&op, "MergedReads")
            << "it repeats an earlier read, and nothing between them may write "
               "what they read";
      noteMerged(kept, &op);
      if (llvm::isa<UnknownLoc>(kept->getLoc()))
        kept->setLoc(op.getLoc());
      op.replaceAllUsesWith(kept);
      merged.push_back(&op);
      return;
    }
    if (kept) {
      if (kept->getBlock() == op.getBlock())
        mergeEqualRemarks.missed(&op, "NotMerged")
            << "it repeats an earlier read: "
            << scope.lastWrite->getName().getStringRef()
            << " between them may write what they read";
      known.erase(place);
      known.insert(computation);
    }
    if (!scope.isOutermost)
      scope.fresh.push_back({computation, kept});
  }

  /// Two reads, the second one in the block of `scope`.
  static bool seesTheSame(Operation &first, Operation &second, Scope &scope) {
    if (first.getBlock() != second.getBlock())
      return false;
    for (; scope.next != &second; scope.next = scope.next->getNextNode())
      if (mayWrite(*scope.next))
        scope.lastWrite = scope.next;
    return !scope.lastWrite || scope.lastWrite->isBeforeInBlock(&first);
  }

  static bool mayWrite(Operation &op) {
    auto effects = getEffectsRecursively(&op);
    return !effects || llvm::any_of(*effects, [](const auto &effect) {
      return llvm::isa<MemoryEffects::Write>(effect.getEffect());
    });
  }

  llvm::DenseSet<Computation, ComputationInfo> known;
  /// Erased at the end: a scope may point at them.
  SmallVector<Operation *> merged;
};

class MergeEqual
    : public kiln::compiler::nc::impl::NcMergeEqualBase<MergeEqual> {
public:
  void runOnOperation() override { Merger().run(getOperation().getBody()); }
};

} // namespace
