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
// pipelined, which hides latencies, other forms replace them where that
// relieves the busiest resource:
//
// - Blocks that the tensor engine transposes through PSUM, and a copy brings to
//   SBUF, go to the DMA engines, which need no copy.
// - A chain of two operators with a column, which only VectorE has, becomes two
//   passes, which GpSimd has, and a copy of what is in PSUM.
// - A tile that all iterations read, such as the scale of a normalisation, is
//   copied to PSUM: VectorE reads it beside a tile of SBUF, and no longer takes
//   turns with GpSimd there.
// - ScalarE adds rows while it copies them, so VectorE need not.
// - Where ScalarE takes the maximum of rows, VectorE takes that of some
// columns.
//
//===----------------------------------------------------------------------===//

#include "BodyLoads.h"
#include "ChainForm.h"
#include "FixedOrder.h"
#include "KeptOperands.h"
#include "MeasuredGroup.h"
#include "RowMaximumForm.h"
#include "RowSumForm.h"
#include "TransposeGroup.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/Urgency.h"
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

static constexpr Remarks shareWorkRemarks("nc-share-work");

namespace {

/// Iterations without which the latency of a transfer is not hidden.
constexpr uint64_t leastTrips = 8;
/// Instructions of a body that nc-pipeline-loops is sure to schedule.
constexpr size_t mostInstructions = 96;
/// Chains of a body that are divided.
constexpr size_t mostDivided = 4;
/// Instructions of a body that read a tile in PSUM.
constexpr size_t mostKept = 8;
/// Sums of a body that ScalarE takes.
constexpr size_t mostSummed = 4;
/// Parts of its columns that a maximum may pass to another engine: 1/16, 1/8,
/// 3/16 or 1/4.
constexpr size_t mostSixteenths = 4;
/// Of the time with fewer changes: less is not worth more.
constexpr double leastGain = 0.99;
/// Divided chains deliver their results later, so more iterations overlap, and
/// it takes longer to fill and drain.
constexpr double costOfDivided = 1.03;

struct Forms {
  size_t divided = 0; ///< Chains, the longest ones first.
  size_t kept = 0;    ///< Operands in PSUM, the first ones.
  size_t summed = 0;  ///< Sums of rows, the first ones.
  size_t maxima = 0;  ///< Sixteenths of the columns of all maxima.
  size_t moved = 0;   ///< Blocks that the DMA engines transpose, of all groups.
  double busy = 0;    ///< ps an iteration.
};

/// What changes the program outside of the loop.
struct Outside {
  ConstantColumns constants;
  KeptCopies copies;
};

class ShareWork : public kiln::compiler::nc::impl::NcShareWorkBase<ShareWork> {
public:
  void runOnOperation() override {
    costs.emplace(getOperation());
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

  /// Bytes of a partition that buffers in PSUM leave; below 0, iterations
  /// cannot overlap, which takes a copy of each, beside those of the loops
  /// around it.
  int64_t banksLeft(scf::ForOp loop) const {
    auto left = static_cast<int64_t>(costs->target().bytes(isa::Space::psum));
    for (; loop; loop = loop->getParentOfType<scf::ForOp>())
      for (auto alloc : loop.getBody()->getOps<AllocOp>())
        if (alloc.getSpace() == Space::psum)
          left -= static_cast<int64_t>(
              llvm::alignTo(alloc.getBytesPerPartition(), isa::psumBankBytes));
    return left;
  }

  /// Those that find room beside no products: these need banks to overlap.
  SmallVector<KeptOperand> keptOf(scf::ForOp loop) const {
    const int64_t left = banksLeft(loop);
    if (llvm::any_of(loop.getBody()->getOps<NcInstruction>(),
                     [](NcInstruction op) { return memoryScopeOf(op); }))
      return {};
    if (left < static_cast<int64_t>(costs->target().bytes(isa::Space::psum)))
      return {};
    return keptOperandsOf(loop, left, mostKept);
  }

  static SmallVector<NcInstruction> sumsOf(scf::ForOp loop) {
    SmallVector<NcInstruction> sums;
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (sums.size() < mostSummed && isRowSum(op))
        sums.push_back(op);
    return sums;
  }

  static SmallVector<NcInstruction> maximaOf(scf::ForOp loop) {
    SmallVector<NcInstruction> maxima;
    for (auto op : loop.getBody()->getOps<NcInstruction>())
      if (isDivisibleMaximum(op))
        maxima.push_back(op);
    return maxima;
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
    if (banksLeft(loop) < 0)
      return;
    const Forms most{chainsOf(loop).size(), keptOf(loop).size(),
                     sumsOf(loop).size(),
                     maximaOf(loop).empty() ? 0 : mostSixteenths};
    std::optional<Forms> usual, best;
    size_t others = 0;
    double least = 0; // Of the others.
    Forms forms;
    const auto look = [&](const Forms &tried) {
      const auto costOf = [](const Forms &forms) {
        return forms.busy * (forms.divided > 0 ? costOfDivided : 1);
      };
      if (!usual)
        usual = tried;
      else if (others++ == 0 || costOf(tried) < least)
        least = costOf(tried);
      if (!best || costOf(tried) < costOf(*best) * leastGain)
        best = tried;
    };
    for (forms.maxima = 0; forms.maxima <= most.maxima; ++forms.maxima)
      for (forms.summed = 0; forms.summed <= most.summed; ++forms.summed)
        for (forms.kept = 0; forms.kept <= most.kept; ++forms.kept)
          for (forms.divided = 0; forms.divided <= most.divided;
               ++forms.divided)
            tryForms(loop, forms, most.kept > 0, look);
    tell(loop, *usual, *best);
    if (others > 0 && best->divided == 0 && best->kept == 0 &&
        best->summed == 0 && best->maxima == 0 && best->moved == 0)
      shareWorkRemarks.missed(loop, "NotShared")
          << "its instructions keep their forms: the busiest resource is busy "
             "for "
          << nanoseconds("busy_ns", usual->busy)
          << " ns per iteration; with the best of " << measure("forms", others)
          << noun(others, " other form") << ", it would be busy for "
          << nanoseconds("other_ns", least);
    Outside outside;
    rewrite(loop, *best, outside);
    const std::vector<TransposeGroup> groups = groupsOf(loop);
    const std::vector<size_t> stay = stayingOf(groups, best->moved);
    for (auto [group, count] : llvm::zip(groups, stay))
      group.rewrite(count);
  }

  void tryForms(scf::ForOp loop, const Forms &forms, bool mayKeep,
                llvm::function_ref<void(const Forms &)> look) {
    OpBuilder builder(loop);
    auto tried = cast<scf::ForOp>(builder.clone(*loop));
    Outside outside;
    rewrite(tried, forms, outside);
    considerMoves(tried, mayKeep, [&](size_t moved, double busy) {
      Forms made = forms;
      made.moved = moved;
      made.busy = busy;
      look(made);
    });
    tried.erase();
    outside.constants.eraseUnused();
    outside.copies.erase();
  }

  void rewrite(scf::ForOp loop, const Forms &forms, Outside &outside) {
    // All of the loop as it is, before any of them changes it.
    const SmallVector<NcInstruction> chains = chainsOf(loop);
    const SmallVector<NcInstruction> sums = sumsOf(loop);
    outside.copies.make(ArrayRef(keptOf(loop)).take_front(forms.kept));
    for (NcInstruction chain : ArrayRef(chains).take_front(forms.divided))
      replace(chain, [&] { divideChain(chain, outside.constants); });
    for (NcInstruction sum : ArrayRef(sums).take_front(forms.summed))
      replace(sum, [&] { sumByActivation(sum); });
    if (forms.maxima > 0)
      for (NcInstruction maximum : maximaOf(loop))
        replace(maximum, [&] { divideMaximum(maximum, forms.maxima); });
  }

  /// What takes the place of an instruction is as urgent, and its memory lies
  /// where that of the instruction has to.
  static void replace(NcInstruction op, llvm::function_ref<void()> rewrite) {
    SmallVector<NamedAttribute, 2> kept;
    for (StringRef name :
         {StringRef(withinAttrName), StringRef(urgencyAttrName)})
      if (Attribute value = op->getDiscardableAttr(name))
        kept.emplace_back(name, value);
    Block *block = op->getBlock();
    Operation *before = op->getPrevNode(), *after = op->getNextNode();
    rewrite();
    if (kept.empty())
      return;
    for (Operation *made = before ? before->getNextNode() : &block->front();
         made != after; made = made->getNextNode())
      if (llvm::isa<NcInstruction, AllocOp>(made))
        for (NamedAttribute attribute : kept)
          made->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }

  void tell(scf::ForOp loop, const Forms &usual, const Forms &best) {
    const auto chains = chainsOf(loop);
    const std::vector<TransposeGroup> groups = groupsOf(loop);
    const auto noteTime = [&](Remarks::InFlight &remark) {
      remark << ": the busiest engine is then busy for "
             << nanoseconds("busy_ns", best.busy)
             << " ns per iteration instead of "
             << nanoseconds("before_ns", usual.busy);
    };
    if (best.divided > 0)
      noteTime(shareWorkRemarks.passed(chains.front(), "Divided")
               << "two passes of GpSimd take the place of one of Vector in "
               << measure("chains", best.divided)
               << noun(best.divided, " instruction"));
    if (best.kept > 0)
      noteTime(shareWorkRemarks.passed(keptOf(loop).front().op, "Kept")
               << "tiles that all iterations read are copied to PSUM, for "
               << measure("operands", best.kept)
               << noun(best.kept, " instruction")
               << " with another operand in SBUF");
    if (best.summed > 0)
      noteTime(shareWorkRemarks.passed(sumsOf(loop).front(), "Summed")
               << "Scalar adds up rows while it copies them, in "
               << measure("sums", best.summed)
               << noun(best.summed, " instruction"));
    if (best.maxima > 0)
      noteTime(shareWorkRemarks.passed(maximaOf(loop).front(), "DividedMaximum")
               << "Vector takes the maximum of "
               << measure("sixteenths", best.maxima)
               << noun(best.maxima, " sixteenth")
               << " of the columns, Scalar that of the others");
    if (best.moved > 0)
      noteTime(shareWorkRemarks.passed(groups.front().copy(), "Shared")
               << "the DMA engines transpose " << measure("moved", best.moved)
               << " of " << measure("blocks", blocksOf(groups))
               << noun(blocksOf(groups), " block"));
  }

  static size_t blocksOf(const std::vector<TransposeGroup> &groups) {
    size_t blocks = 0;
    for (const TransposeGroup &group : groups)
      blocks += group.blocks().size();
    return blocks;
  }

  /// Blocks of each group that stay where so many move in all, evenly.
  static std::vector<size_t>
  stayingOf(const std::vector<TransposeGroup> &groups, size_t moved) {
    std::vector<size_t> stay;
    for (const TransposeGroup &group : groups)
      stay.push_back(group.blocks().size());
    while (moved > 0)
      for (size_t &count : stay)
        if (moved > 0 && count > 0) {
          --count;
          --moved;
        }
    return stay;
  }

  /// Each number of blocks that may move, and ps for which a resource is busy.
  void considerMoves(scf::ForOp loop, bool mayKeep,
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
    std::vector<MeasuredGroup> measured;
    for (const TransposeGroup &group : groups)
      measured.emplace_back(group);
    for (size_t moved = 0; moved <= blocksOf(groups); ++moved) {
      BodyLoads loads = rest;
      const std::vector<size_t> stay = stayingOf(groups, moved);
      for (auto [group, count] : llvm::zip(measured, stay))
        group.addTo(loads, count);
      // What is kept in PSUM spares the port.
      consider(moved, mayKeep ? loads.busiestWithWaits() : loads.busiest());
    }
  }

  std::optional<Costs> costs;
};

} // namespace
