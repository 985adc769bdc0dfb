//===- ShareWork.cpp - Work shared between engines
//-------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile-to-nc gives each operation one form, before anything is known about the
// loop that it runs in. Here, in the body of a loop that may be software
// pipelined, which hides latencies, other forms take their place where whatever
// is busiest then is less busy:
//
// - Blocks that the tensor engine transposes through PSUM, and a copy brings to
//   SBUF, go to the DMA engines, which need no copy.
// - A chain of two operators with a column, which only VectorE has, becomes two
//   passes, which GpSimd has, and a copy of what is in PSUM.
//
//===----------------------------------------------------------------------===//

#include "BodyLoads.h"
#include "ChainForm.h"
#include "FixedOrder.h"
#include "TransposeGroup.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include <vector>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCSHAREWORK
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks remarks("nc-share-work");

namespace {

/// Iterations without which the latency of a transfer is not hidden.
constexpr uint64_t leastTrips = 8;
/// Instructions of a body that nc-pipeline-loops is sure to schedule.
constexpr size_t mostInstructions = 96;
/// Chains of a body that are divided.
constexpr size_t mostDivided = 4;
/// Of the time with fewer changes: less is not worth more.
constexpr double leastGain = 0.99;
/// Divided chains hand on their results later, so more iterations overlap, and
/// it takes longer to fill and drain.
constexpr double costOfDivided = 1.03;

struct Forms {
  size_t divided = 0; ///< Chains, the longest ones first.
  size_t moved = 0;   ///< Blocks that the DMA engines transpose, of all groups.
  double busy = 0;    ///< ps an iteration.
};

class ShareWork : public kiln::compiler::nc::impl::NcShareWorkBase<ShareWork> {
public:
  void runOnOperation() override {
    costs.emplace(targetOf(getOperation()));
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (isPipelinable(loop))
        share(loop);
  }

private:
  static bool isPipelinable(scf::ForOp loop) {
    const std::optional<uint64_t> trips = constantTrips(loop);
    if (!trips || *trips < leastTrips || loop.getNumResults() != 0)
      return false;
    size_t instructions = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (op.getNumRegions() != 0 || llvm::isa<RegisterLoadOp>(op) ||
          !whyOrderIsFixed(&op).empty())
        return false;
      instructions += llvm::isa<NcInstruction>(op) ? 1 : 0;
    }
    return instructions <= mostInstructions;
  }

  /// Iterations cannot overlap without a copy of each buffer in PSUM, and those
  /// of the loops around it stay.
  bool hasBanks(scf::ForOp loop) const {
    auto left = static_cast<int64_t>(costs->target().bytes(isa::Space::psum));
    for (; loop; loop = loop->getParentOfType<scf::ForOp>())
      for (auto alloc : loop.getBody()->getOps<AllocOp>())
        if (alloc.getSpace() == Space::psum)
          left -= static_cast<int64_t>(
              llvm::alignTo(alloc.getBytesPerPartition(), isa::psumBankBytes));
    return left >= 0;
  }

  /// The longest ones first.
  SmallVector<NcInstruction> chainsOf(scf::ForOp loop) {
    SmallVector<std::pair<int64_t, NcInstruction>> found;
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (isDivisibleChain(op))
        found.push_back(
            {costs->of(built(op), isa::Engine::vector).occupancy, op});
    llvm::stable_sort(
        found, [](const auto &a, const auto &b) { return a.first > b.first; });
    SmallVector<NcInstruction> chains;
    for (const auto &[time, op] : found)
      if (chains.size() < mostDivided)
        chains.push_back(op);
    return chains;
  }

  static std::vector<TransposeGroup> groupsOf(scf::ForOp loop) {
    std::vector<TransposeGroup> groups;
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (std::optional<TransposeGroup> group = TransposeGroup::of(op))
        groups.push_back(std::move(*group));
    return groups;
  }

  void share(scf::ForOp loop) {
    if (!hasBanks(loop))
      return;
    const size_t chains = chainsOf(loop).size();
    std::optional<Forms> usual, best;
    for (size_t divided = 0; divided <= chains; ++divided) {
      OpBuilder builder(loop);
      auto tried = cast<scf::ForOp>(builder.clone(*loop));
      ConstantColumns constants;
      divide(tried, divided, constants);
      const auto consider = [&](size_t moved, double busy) {
        if (!usual)
          usual = Forms{divided, moved, busy};
        const auto costOf = [](const Forms &forms) {
          return forms.busy * (forms.divided > 0 ? costOfDivided : 1);
        };
        const Forms forms{divided, moved, busy};
        if (!best || costOf(forms) < costOf(*best) * leastGain)
          best = forms;
      };
      considerMoves(tried, consider);
      tried.erase();
      constants.eraseUnused();
    }
    tell(loop, *usual, *best);
    ConstantColumns constants;
    divide(loop, best->divided, constants);
    const std::vector<TransposeGroup> groups = groupsOf(loop);
    const std::vector<size_t> kept = keptOf(groups, best->moved);
    for (auto [group, count] : llvm::zip(groups, kept))
      group.rewrite(count);
  }

  void tell(scf::ForOp loop, const Forms &usual, const Forms &best) {
    const auto chains = chainsOf(loop);
    const std::vector<TransposeGroup> groups = groupsOf(loop);
    const auto noteTime = [&](Remarks::InFlight &remark) {
      remark << ": whatever is busiest then is busy for "
             << nanoseconds("busy_ns", best.busy) << " ns per iteration, not "
             << nanoseconds("before_ns", usual.busy);
    };
    if (best.divided > 0)
      noteTime(remarks.passed(chains.front(), "Divided")
               << "two passes of GpSimd take the place of one of Vector in "
               << measure("chains", best.divided) << " instructions");
    if (best.moved > 0)
      noteTime(remarks.passed(groups.front().copy(), "Shared")
               << "the DMA engines transpose " << measure("moved", best.moved)
               << " of " << measure("blocks", blocksOf(groups)) << " blocks");
  }

  void divide(scf::ForOp loop, size_t count, ConstantColumns &constants) {
    const SmallVector<NcInstruction> chains = chainsOf(loop);
    for (NcInstruction chain : ArrayRef(chains).take_front(count))
      divideChain(chain, constants);
  }

  static size_t blocksOf(const std::vector<TransposeGroup> &groups) {
    size_t blocks = 0;
    for (const TransposeGroup &group : groups)
      blocks += group.blocks().size();
    return blocks;
  }

  /// Blocks of each group that stay where so many move in all, evenly.
  static std::vector<size_t> keptOf(const std::vector<TransposeGroup> &groups,
                                    size_t moved) {
    std::vector<size_t> kept;
    for (const TransposeGroup &group : groups)
      kept.push_back(group.blocks().size());
    while (moved > 0)
      for (size_t &count : kept)
        if (moved > 0 && count > 0) {
          --count;
          --moved;
        }
    return kept;
  }

  /// Each number of blocks that may move, and ps for which a resource is busy.
  void considerMoves(scf::ForOp loop,
                     llvm::function_ref<void(size_t, double)> consider) {
    const std::vector<TransposeGroup> groups = groupsOf(loop);
    llvm::SmallDenseSet<Operation *> grouped;
    for (const TransposeGroup &group : groups) {
      grouped.insert(group.copy());
      for (NcInstruction block : group.blocks())
        grouped.insert(block);
    }
    BodyLoads rest(*costs);
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (!grouped.contains(op))
        rest.add(op);
    for (size_t moved = 0; moved <= blocksOf(groups); ++moved) {
      BodyLoads loads = rest;
      const std::vector<size_t> kept = keptOf(groups, moved);
      for (auto [group, count] : llvm::zip(groups, kept))
        addGroup(loads, group, count);
      consider(moved, loads.busiest());
    }
  }

  static void addGroup(BodyLoads &loads, const TransposeGroup &group,
                       size_t kept) {
    const size_t blocks = group.blocks().size();
    for (size_t i = 0; i < kept; ++i)
      loads.add(group.blocks()[i]);
    for (size_t i = kept; i < blocks; ++i) {
      NcInstruction transfer = group.makeTransfer(i);
      // With the descriptors that nc-pipeline-loops gives it.
      transfer->setAttr(
          dgeModeAttrName,
          DgeModeAttr::get(transfer->getContext(), isa::DgeMode::none));
      addOnce(loads, transfer);
    }
    if (kept == blocks)
      loads.add(group.copy());
    else if (kept > 0)
      addOnce(loads, group.makeCopy(kept));
  }

  /// Adds an operation that is only made to be looked at.
  static void addOnce(BodyLoads &loads, NcInstruction op) {
    loads.add(op);
    SmallVector<Operation *, 4> views;
    for (Value operand : op->getOperands())
      views.push_back(operand.getDefiningOp());
    op->erase();
    for (Operation *view : views)
      if (view && view->use_empty())
        view->erase();
  }

  std::optional<Costs> costs;
};

} // namespace
