//===- ChooseEngines.cpp - Which engine runs an instruction ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineBalance.h"
#include "QueueChoice.h"
#include "SplitTransfers.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Cost.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/support/StableSort.h"
#include "kiln/compiler/transform/nc/Passes.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/schedule.h"

#include <algorithm>
#include <vector>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCCHOOSEENGINES
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks chooseEnginesRemarks("nc-choose-engines");

namespace {

struct Choice {
  NcInstruction op;
  SmallVector<Value, 4> buffers; ///< Its operands on chip.
  EngineChoice choice;           ///< Between engines.
  double heaviest = 0;
  size_t settled = 0; ///< Of the engines.
};

/// Iterations without which a loop is not pipelined.
constexpr uint64_t leastTrips = 4;
/// Of what the busiest engine is busy for: less is not worth a change.
constexpr double leastShare = 0.99;
/// The same for an instruction that two engines run in turns.
constexpr double leastTurns = 0.98;

class ChooseEngines
    : public kiln::compiler::nc::impl::NcChooseEnginesBase<ChooseEngines> {
public:
  void runOnOperation() override {
    // One pass object serves several kernels.
    choices.clear();
    loads.clear();
    sharedLoads.clear();
    sharedStores.clear();
    queues.emplace(getOperation());
    costs.emplace(getOperation());
    WalkResult result = getOperation().walk([&](NcInstruction op) {
      return failed(visit(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    settleChoices();
    if (failed(queues->assign()))
      return signalPassFailure();
  }

private:
  LogicalResult visit(NcInstruction op) {
    // Goes to every stream that uses it: nc-replicate-registers.
    if (llvm::isa<RegisterLoadOp>(op.getOperation()))
      return success();
    const BuiltInstruction instruction = built(op);
    const isa::Body &body = instruction.body;
    ArrayRef<MemoryAccess> accesses = instruction.accesses;
    SmallVector<Value, 4> buffers;
    for (const MemoryAccess &access : accesses)
      if (access.shape.space != isa::Space::hbm)
        buffers.push_back(access.base);
    const isa::InstructionInfo &info = infoOf(op);
    if (info.isDma)
      queues->add(op);
    auto cost = [&](isa::Engine engine) {
      const machine::InstructionTimes times = costs->of(instruction, engine);
      return static_cast<double>(info.isDma ? times.issue : times.pace);
    };
    auto portOn = [&](isa::Engine engine) {
      return portTime(body, engine, costs->target());
    };
    std::optional<isa::Engine> engine = op.getAssignedEngine();
    // One stream keeps the order of instructions that meet other cores and
    // ranks.
    if (!engine && meetsPeers(op))
      engine = info.defaultEngine;
    if (!engine && info.isDma) {
      engine = queues->streamOf(op, accesses);
      if (!QueueChoice::hasUserQueue(op) &&
          (engine == isa::Engine::gpsimd || readsHbmOnly(accesses)))
        noteShared(op, instruction, *engine);
    }
    SmallVector<isa::Engine, 4> legal;
    if (!engine) {
      legal = equalEngines(op);
      if (legal.empty())
        return verifyInstruction(op); // Fails, and says why.
      if (legal.size() == 1)
        engine = legal.front();
    }
    if (engine) {
      op.setAssignedEngine(*engine);
      loads[op->getBlock()].add(*engine, cost(*engine),
                                info.isDma ? 0 : portOn(*engine));
      return success();
    }
    Choice choice;
    choice.op = op;
    choice.buffers = std::move(buffers);
    for (isa::Engine candidate : legal) {
      choice.choice.engines.push_back(candidate);
      choice.choice.times.push_back(cost(candidate));
      choice.choice.streams.push_back(portOn(candidate));
    }
    choice.heaviest = *llvm::max_element(choice.choice.times);
    choices.push_back(std::move(choice));
    return success();
  }

  /// It waits for nothing that another engine computes.
  static bool readsHbmOnly(ArrayRef<MemoryAccess> accesses) {
    return llvm::none_of(accesses, [](const MemoryAccess &access) {
      return access.reads() && access.shape.space != isa::Space::hbm;
    });
  }

  /// Other streams must have a generator for it.
  void noteShared(NcInstruction op, const BuiltInstruction &instruction,
                  isa::Engine engine) {
    if (!infoOf(op).allows(isa::Engine::scalar))
      return;
    const machine::DmaPlan plan = machine::planDma(
        instruction.body, isa::Engine::scalar, costs->target());
    if (plan.mode != isa::DgeMode::hwdge)
      return;
    const auto issueOn = [&](isa::Engine other) {
      return static_cast<double>(costs->of(instruction, other).issue);
    };
    SharedTransfer shared;
    shared.op = op;
    shared.onSync = issueOn(isa::Engine::sync);
    shared.onScalar = issueOn(isa::Engine::scalar);
    shared.moves = static_cast<double>(
        *std::max_element(plan.work.begin(), plan.work.end()));
    if (engine == isa::Engine::gpsimd)
      shared.onGpsimd = issueOn(engine);
    auto &inBlock = engine == isa::Engine::gpsimd ? sharedStores : sharedLoads;
    inBlock[op->getBlock()].push_back(shared);
  }

  static StringRef nameOf(isa::Engine engine) {
    return StringRef(isa::name(engine));
  }

  /// Engines that share on-chip buffers with it in its own block. Buffers with
  /// many users tell little and would cost much time.
  std::uint32_t neighbours(const Choice &choice) {
    constexpr size_t many = 32;
    std::uint32_t engines = 0;
    for (Value buffer : choice.buffers) {
      const SmallVector<Operation *> sharers = sharersOf(buffer, many + 1);
      if (sharers.size() > many)
        continue;
      for (Operation *sharer : sharers) {
        auto other = dyn_cast<NcInstruction>(sharer);
        if (!other || llvm::isa<RegisterLoadOp>(sharer))
          continue; // A register load is in every stream that uses it.
        if (other != choice.op && other->getBlock() == choice.op->getBlock() &&
            !infoOf(other).isDma)
          if (std::optional<isa::Engine> engine = other.getAssignedEngine())
            engines |= isa::maskOf(*engine);
      }
    }
    return engines;
  }

  /// The instructions with views of the buffer as operands, once each; at most
  /// this many.
  static SmallVector<Operation *> sharersOf(Value buffer, size_t most) {
    SmallVector<Operation *> sharers;
    for (Operation *view : buffer.getUsers())
      for (Operation *user : view->getUsers()) {
        if (sharers.size() == most)
          return sharers;
        sharers.push_back(user);
      }
    return sharers;
  }

  void settleChoices() {
    kiln::compiler::stableSort(choices, [](const Choice &a, const Choice &b) {
      return a.heaviest > b.heaviest;
    });
    DenseMap<Block *, SmallVector<Choice *>> inBlock;
    for (Choice &choice : choices)
      inBlock[choice.op->getBlock()].push_back(&choice);
    // Inner loops first.
    getOperation()->walk([&](Block *block) {
      EngineLoads &load = loads[block];
      SmallVector<Choice *> &open = inBlock[block];
      for (Choice *choice : open)
        settle(*choice, load);
      scf::ForOp loop = pipelinable(block);
      if (!loop)
        return;
      balance(loop, load, open);
      takeTurns(load, open);
      splitLoads(loop, sharedLoads[block], load);
      splitStores(loop, sharedStores[block], load);
      // Instructions around the loop overlap the end of its last iteration or
      // the beginning of its first one, and no other.
      const EngineLoads inside = load;
      loads[loop->getBlock()].add(inside);
    });
  }

  void settle(Choice &open, EngineLoads &load) {
    const EngineChoice &choice = open.choice;
    size_t best = 0;
    std::uint32_t near = neighbours(open);
    auto total = [&](size_t i) {
      int changes = llvm::popcount(near & ~isa::maskOf(choice.engines[i]));
      return load.with(choice.engines[i], choice.times[i], choice.streams[i]) +
             1000 * costs->target().engine_change_ns * changes;
    };
    for (size_t i = 1; i < choice.engines.size(); ++i)
      if (total(i) < total(best))
        best = i;
    load.add(choice.engines[best], choice.times[best], choice.streams[best]);
    open.settled = best;
    open.op.setAssignedEngine(choice.engines[best]);
    if (choice.engines[best] != infoOf(open.op).defaultEngine)
      chooseEnginesRemarks.passed(open.op, "Moved")
          << nameOf(choice.engines[best]) << " runs it in "
          << nanoseconds("busy_ns", choice.times[best]) << " ns; it then has "
          << nanoseconds("engine_ns", load.of(choice.engines[best]))
          << " ns of work in this block";
  }

  /// In a loop that may be pipelined, waiting for another engine costs nothing,
  /// and the busiest engine is the limit. So all choices of its body are made
  /// again, together.
  static void balance(scf::ForOp loop, EngineLoads &load,
                      SmallVector<Choice *> &inside) {
    SmallVector<EngineChoice> open;
    EngineLoads balanced = load;
    for (const Choice *choice : inside) {
      const size_t now = choice->settled;
      balanced.add(choice->choice.engines[now], -choice->choice.times[now],
                   -choice->choice.streams[now]);
      open.push_back(choice->choice);
    }
    const SmallVector<size_t> places = balanceEngines(open, balanced);
    // The time of other resources, above all transfers, is the same either way.
    const std::uint32_t engines = enginesOf(open);
    const double before = load.busiestOf(engines),
                 after = balanced.busiestOf(engines);
    if (after > leastShare * before) {
      const auto moved =
          llvm::count_if(llvm::zip(inside, places), [](const auto &both) {
            return std::get<0>(both)->settled != std::get<1>(both);
          });
      if (moved > 0)
        chooseEnginesRemarks.missed(loop, "NotBalanced")
            << "its instructions stay on their engines: the busiest one is "
               "busy for "
            << nanoseconds("busy_ns", before) << " ns per iteration; with "
            << measure("moved", moved)
            << " of them on other engines, it would be busy for "
            << nanoseconds("other_ns", after);
      return;
    }
    for (auto [choice, place] : llvm::zip(inside, places)) {
      if (place == choice->settled)
        continue;
      const isa::Engine engine = choice->choice.engines[place];
      choice->settled = place;
      choice->op.setAssignedEngine(engine);
      chooseEnginesRemarks.passed(choice->op, "Balanced")
          << nameOf(engine) << " runs it: the busiest engine is busy for "
          << nanoseconds("busy_ns", after) << " ns per iteration instead of "
          << nanoseconds("before_ns", before);
    }
    load = balanced;
  }

  /// If one instruction of the busiest engine would make another one busier
  /// than that, the two run it in turns, which nc-pipeline-loops arranges.
  static void takeTurns(EngineLoads &load, ArrayRef<Choice *> inside) {
    const std::uint32_t engines = [&] {
      SmallVector<EngineChoice> choices;
      for (const Choice *choice : inside)
        choices.push_back(choice->choice);
      return enginesOf(choices);
    }();
    const double before = load.busiestOf(engines);
    Choice *best = nullptr;
    size_t bestPlace = 0;
    double bestShare = 0, least = leastTurns * before;
    EngineLoads bestLoad;
    for (Choice *open : inside) {
      const EngineChoice &choice = open->choice;
      const size_t now = open->settled;
      const double gap = load.of(choice.engines[now]);
      for (size_t place = 0; place < choice.engines.size(); ++place) {
        // An instruction that takes no time on either engine relieves none: 0 /
        // 0.
        const double both = choice.times[now] + choice.times[place];
        if (place == now || both <= 0)
          continue;
        const double share = (gap - load.of(choice.engines[place])) / both;
        if (share <= 0 || share >= 1)
          continue;
        EngineLoads shared = load;
        shared.add(choice.engines[now], -share * choice.times[now],
                   -share * choice.streams[now]);
        shared.add(choice.engines[place], share * choice.times[place],
                   share * choice.streams[place]);
        if (shared.busiestOf(engines) >= least)
          continue;
        least = shared.busiestOf(engines);
        best = open;
        bestPlace = place;
        bestShare = share;
        bestLoad = shared;
      }
    }
    if (!best)
      return;
    const isa::Engine other = best->choice.engines[bestPlace];
    const auto share = static_cast<int64_t>(bestShare * schedule::wholeShare);
    best->op->setDiscardableAttr(
        takesTurnsAttrName,
        DenseI64ArrayAttr::get(best->op->getContext(),
                               {static_cast<int64_t>(other), share}));
    chooseEnginesRemarks.passed(best->op, "TakesTurns")
        << nameOf(other) << " runs it in "
        << measure("percent", share * 100 / schedule::wholeShare)
        << " % of the iterations: the busiest engine is busy for "
        << nanoseconds("busy_ns", least) << " ns instead of "
        << nanoseconds("before_ns", before);
    load = bestLoad;
  }

  /// The loop of a body that may be pipelined: the number of its iterations is
  /// known, and it contains no loop.
  static scf::ForOp pipelinable(Block *block) {
    auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
    const bool isInnermost = llvm::none_of(
        *block, [](Operation &op) { return op.getNumRegions() != 0; });
    return loop && isInnermost && constantTrips(loop).value_or(0) >= leastTrips
               ? loop
               : scf::ForOp();
  }

  std::optional<Costs> costs;
  /// Per block: one phase of the kernel does not help another.
  DenseMap<Block *, EngineLoads> loads;
  SmallVector<Choice> choices;
  /// Only looked up.
  DenseMap<Block *, SmallVector<SharedTransfer>> sharedLoads, sharedStores;
  std::optional<QueueChoice> queues; ///< Of the kernel.
};

} // namespace
