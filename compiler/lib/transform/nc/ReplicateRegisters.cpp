//===- ReplicateRegisters.cpp - A register in every stream that uses it ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/transform/nc/Passes.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCREPLICATEREGISTERS
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks replicateRegistersRemarks("nc-replicate-registers");

namespace {

class ReplicateRegisters
    : public kiln::compiler::nc::impl::NcReplicateRegistersBase<
          ReplicateRegisters> {
public:
  void runOnOperation() override {
    SmallVector<RegisterLoadOp> loads;
    WalkResult result = getOperation().walk([&](NcInstruction op) {
      if (auto load = dyn_cast<RegisterLoadOp>(op.getOperation()))
        loads.push_back(load);
      else if (failed(engineBefore("nc-replicate-registers", op)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // Backwards: a register that addresses another load is needed where that
    // one is.
    SmallVector<Operation *> unused;
    for (RegisterLoadOp load : llvm::reverse(loads))
      if (!replicate(load))
        unused.push_back(load);
    for (Operation *load : unused)
      eraseWithUsers(load);
  }

private:
  /// False if no stream needs it.
  bool replicate(RegisterLoadOp load) {
    std::uint32_t mask = usersOf(load.getDst());
    if (load.getAssignedEngine())
      mask |= isa::maskOf(*load.getAssignedEngine());
    if (mask == 0)
      return false;
    OpBuilder builder(load);
    builder.setInsertionPointAfter(load);
    load.setGroup(groups++);
    if (llvm::popcount(mask) > 1)
      replicateRegistersRemarks.passed(load, "Replicated")
          << count("streams", llvm::popcount(mask))
          << " streams each load their own copy of the register";
    else
      replicateRegistersRemarks.missed(load, "NotReplicated")
          << "only one stream loads the register: no other stream computes "
             "with it";
    bool first = true;
    for (unsigned i = 0; i < isa::numEngines; ++i) {
      auto engine = static_cast<isa::Engine>(i);
      if (!(mask & isa::maskOf(engine)))
        continue;
      Operation *copy = first ? load : builder.clone(*load);
      cast<NcInstruction>(copy).setAssignedEngine(engine);
      first = false;
    }
    return true;
  }

  /// And everything computed from it: addresses without users, loops without
  /// contents.
  void eraseWithUsers(Operation *op) {
    // The loop that its condition keeps running may be the one around it.
    while (!erased.contains(op) && !op->use_empty()) {
      Operation *user = *op->user_begin();
      eraseWithUsers(llvm::isa<WhileOp>(user) ? user->getParentOp() : user);
    }
    if (erased.contains(op))
      return;
    op->walk([&](Operation *nested) { erased.insert(nested); });
    op->erase();
  }

  /// The streams that compute with `value`.
  static std::uint32_t usersOf(Value value) {
    std::uint32_t mask = 0;
    DenseSet<Operation *> seen;
    SmallVector<Operation *> work(value.getUsers());
    auto note = [&](Operation *op) {
      auto instruction = dyn_cast<NcInstruction>(op);
      if (!instruction)
        return false;
      if (std::optional<isa::Engine> engine = instruction.getAssignedEngine())
        mask |= isa::maskOf(*engine);
      // Copies of a load stand behind it, with its operands.
      return true;
    };
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (!seen.insert(op).second || note(op))
        continue;
      // A bound or the condition of a loop: every stream that takes part counts
      // for itself.
      auto loop = dyn_cast<scf::ForOp>(op);
      if (llvm::isa<WhileOp>(op))
        loop = cast<scf::ForOp>(op->getParentOp());
      if (loop)
        loop.walk([&](NcInstruction nested) { note(nested); });
      for (Value result : op->getResults())
        llvm::append_range(work, result.getUsers());
    }
    return mask;
  }

  int64_t groups = 0;
  DenseSet<Operation *> erased; ///< Asked only.
};

} // namespace
