//===- ChooseEngines.cpp - Streams and queues ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Analysis.h"
#include "kiln/compiler/Nc/Cost.h"
#include "kiln/compiler/Nc/Registers.h"
#include "kiln/compiler/Nc/Verify.h"
#include "kiln/compiler/StableSort.h"
#include "kiln/compiler/Transforms/Passes.h"

#include <algorithm>
#include <array>
#include <vector>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCCHOOSEENGINES
#include "kiln/compiler/Transforms/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

namespace {

struct QueueRange {
  unsigned first, count;
};
/// By engine: the queues that its stream feeds. Disjoint, and most for sync,
/// which issues the loads.
constexpr std::array<QueueRange, isa::numEngines> queuesOf{
    {{15, 1}, {14, 1}, {12, 2}, {8, 4}, {0, 8}}};

/// Picoseconds of each engine.
using Load = std::array<double, isa::numEngines>;

struct Choice {
  NcInstruction op;
  SmallVector<Value, 4> buffers; ///< Its operands on chip.
  SmallVector<isa::Engine, 4> engines;
  std::vector<double> loads;
  double heaviest = 0;
};

class ChooseEngines
    : public kiln::compiler::nc::impl::NcChooseEnginesBase<ChooseEngines> {
public:
  void runOnOperation() override {
    // One pass object serves several kernels.
    users.clear();
    choices.clear();
    transfers.clear();
    loads.clear();
    nextQueue = {};
    target = targetOf(getOperation());
    WalkResult result = getOperation().walk([&](NcInstruction op) {
      return failed(visit(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    settleChoices();
    for (NcInstruction transfer : transfers)
      assignQueue(transfer);
  }

private:
  LogicalResult visit(NcInstruction op) {
    // Goes to every stream that uses it: nc-replicate-registers.
    if (llvm::isa<RegisterLoadOp>(op.getOperation()))
      return success();
    SmallVector<MemoryAccess, 4> accesses = accessesOf(op);
    SmallVector<Value, 4> buffers;
    for (const MemoryAccess &access : accesses)
      if (access.shape.space != isa::Space::hbm) {
        buffers.push_back(access.base);
        users[access.base].push_back(op);
      }
    isa::Body body = bodyWithoutAddresses(op);
    const isa::InstructionInfo &info = infoOf(op);
    if (info.isDma)
      transfers.push_back(op);
    auto cost = [&](isa::Engine engine) {
      Cost estimate = estimateCost(body, engine, target);
      return static_cast<double>(info.isDma ? estimate.issue
                                            : estimate.occupancy);
    };
    std::optional<isa::Engine> engine = op.getAssignedEngine();
    // One stream keeps the order of what meets other cores and ranks.
    if (!engine && meetsPeers(op))
      engine = info.defaultEngine;
    if (!engine && info.isDma)
      engine = streamOfTransfer(accesses);
    SmallVector<isa::Engine, 4> legal;
    if (!engine) {
      legal = legalEngines(op);
      if (legal.empty())
        return verifyInstruction(op); // Fails, and says why.
      // A generator belongs to its engine: not a matter of load.
      if (legal.size() == 1)
        engine = legal.front();
      else if (info.state == isa::HiddenState::random &&
               llvm::is_contained(legal, info.defaultEngine))
        engine = info.defaultEngine;
    }
    if (engine) {
      op.setAssignedEngine(*engine);
      loads[op->getBlock()][static_cast<size_t>(*engine)] += cost(*engine);
      return success();
    }
    Choice choice{op, std::move(buffers), legal, {}, 0};
    for (isa::Engine candidate : legal)
      choice.loads.push_back(cost(candidate));
    choice.heaviest = *llvm::max_element(choice.loads);
    choices.push_back(std::move(choice));
    return success();
  }

  /// Loads and copies on sync, stores where waiting hurts least.
  static isa::Engine streamOfTransfer(ArrayRef<MemoryAccess> accesses) {
    for (const MemoryAccess &access : accesses)
      if (access.writes() && access.shape.space == isa::Space::hbm)
        return isa::Engine::gpsimd;
    return isa::Engine::sync;
  }

  /// Engines that share on-chip buffers with it in its own block. Buffers with
  /// many users say little and would cost much.
  std::uint32_t neighbours(const Choice &choice) {
    constexpr size_t many = 32;
    std::uint32_t engines = 0;
    for (Value buffer : choice.buffers) {
      ArrayRef<NcInstruction> sharers = users.find(buffer)->second;
      if (sharers.size() > many)
        continue;
      for (NcInstruction other : sharers)
        if (other != choice.op && other->getBlock() == choice.op->getBlock() &&
            !infoOf(other).isDma)
          if (std::optional<isa::Engine> engine = other.getAssignedEngine())
            engines |= isa::maskOf(*engine);
    }
    return engines;
  }

  void settleChoices() {
    kiln::compiler::stableSort(choices, [](const Choice &a, const Choice &b) {
      return a.heaviest > b.heaviest;
    });
    for (Choice &choice : choices) {
      size_t best = 0;
      Load &load = loads[choice.op->getBlock()];
      std::uint32_t near = neighbours(choice);
      auto total = [&](size_t i) {
        int changes = llvm::popcount(near & ~isa::maskOf(choice.engines[i]));
        return load[static_cast<size_t>(choice.engines[i])] + choice.loads[i] +
               engineChangePicoseconds * changes;
      };
      for (size_t i = 1; i < choice.engines.size(); ++i)
        if (total(i) < total(best))
          best = i;
      load[static_cast<size_t>(choice.engines[best])] += choice.loads[best];
      choice.op.setAssignedEngine(choice.engines[best]);
    }
  }

  void assignQueue(NcInstruction op) {
    auto given = op->getAttrOfType<IntegerAttr>("queue");
    if (given && given.getInt() != 0)
      return;
    auto engine = static_cast<size_t>(*op.getAssignedEngine());
    QueueRange range = queuesOf[engine];
    unsigned queue = range.first + nextQueue[engine]++ % range.count;
    op->setAttr("queue", Builder(op).getI32IntegerAttr(queue));
  }

  isa::Target target;
  DenseMap<Value, SmallVector<NcInstruction, 4>> users; ///< On-chip buffers.
  /// Of each block alone: one phase of the kernel does not help another.
  DenseMap<Block *, Load> loads;
  std::array<unsigned, isa::numEngines> nextQueue{};
  SmallVector<Choice> choices;
  SmallVector<NcInstruction> transfers; ///< In the order of the program.
};

} // namespace
