//===- Jam.cpp - Independent iterations side by side ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries a value is a chain: each engine waits for the previous
// one, and no order of the streams helps. Several independent iterations of a
// loop around it are several chains: with all of them in one body, the engines
// have other work while one chain waits.
//
//===----------------------------------------------------------------------===//

#include "JamLegality.h"
#include "JamProfit.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEJAM
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks jamRemarks("tile-jam");

namespace {

/// Puts a copy of each operation behind it for every map. Loops are shared,
/// and so is what is the same in all copies.
void jamBlock(Block &block, const JamGroup &group,
              MutableArrayRef<IRMapping> maps) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      jamBlock(*loop.getBody(), group, maps);
      continue;
    }
    bool differs = llvm::any_of(op->getOperands(), [&](Value operand) {
      return maps.front().contains(operand);
    });
    // A fill is made in its buffer's place; a shared one would be copied.
    bool shareable = (isPure(op) && !mlir::isa<FillOp>(op)) ||
                     mlir::isa<LoadOp, LoadTransposedOp>(op);
    if (!differs && shareable) {
      nc::noteTurn(op, group.loop, false, 0, (group.factor - 1) * group.step);
      continue;
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [i, map] : llvm::enumerate(maps)) {
      Operation *copy = builder.clone(*op, map);
      nc::noteTurn(copy, group.loop, false,
                   static_cast<int64_t>(i + 1) * group.step);
      builder.setInsertionPointAfter(copy);
    }
  }
}

class Jam : public tile::impl::TileJamBase<Jam> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> chains;
    getOperation().walk([&](scf::ForOp loop) {
      if (isInnermost(loop) && carriesValue(loop))
        chains.push_back(loop);
    });
    llvm::SmallDenseSet<Operation *> done;
    for (scf::ForOp chain : chains) {
      SmallVector<scf::ForOp> around;
      for (auto loop = chain->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        around.push_back(loop);
      // One loop of a nest at the most, the innermost that allows it.
      if (llvm::any_of(around, [&](scf::ForOp loop) {
            return done.contains(loop.getOperation());
          }))
        continue;
      if (!around.empty() && overlapsAlone(chain, around.front(), budget)) {
        jamRemarks.missed(around.front(), "NotJammed")
            << "its iterations run one at a time: software pipelining "
               "overlaps the "
            << measure("trips", *nc::constantTrips(chain))
            << " iterations of the inner loop, and what they load stays in "
               "SBUF";
        continue;
      }
      if (!around.empty() && unrolls(chain, around.front()))
        continue;
      for (scf::ForOp loop : around)
        if (jam(loop)) {
          done.insert(loop.getOperation());
          break;
        }
    }
  }

private:
  /// The memory that one iteration takes.
  struct Needs {
    int64_t bytes = 0;      ///< Of a partition of SBUF.
    int64_t banks = 0;      ///< That one body names.
    int64_t firstBanks = 0; ///< Of these, what the next iteration keeps.
  };

  static Needs needsOf(scf::ForOp loop) {
    Needs needs;
    needs.bytes = bytesOf(loop);
    loop.walk([&](scf::ForOp inner) {
      needs.banks = std::max(needs.banks, banksOf(inner));
      // nc-rotate does not change loops of fewer iterations.
      if (isInnermost(inner) && nc::constantTrips(inner).value_or(3) >= 3)
        needs.firstBanks = std::max(needs.firstBanks, firstBanksOf(inner));
    });
    return needs;
  }

  /// Beside the first products, those that they lead to need a bank.
  bool fitsPsum(const Needs &needs, int64_t copies) const {
    return copies * needs.banks <= banks &&
           copies * needs.firstBanks <
               static_cast<int64_t>(kiln::isa::psumBanks);
  }
  bool fits(const Needs &needs, int64_t copies) const {
    return copies * needs.bytes <= budget && fitsPsum(needs, copies);
  }

  /// Why not even two iterations run together.
  std::string whyTooLarge(const Needs &needs) const {
    const auto text = [](int64_t number) { return std::to_string(number); };
    if (2 * needs.bytes > budget)
      return "two of them take " + text(2 * needs.bytes) +
             " bytes per partition of SBUF, but only " + text(budget) +
             " are allowed";
    if (2 * needs.banks > banks)
      return "products and transposes of two of them take " +
             text(2 * needs.banks) + " banks of PSUM, but only " + text(banks) +
             " are allowed";
    return "the first products of two of them take " +
           text(2 * needs.firstBanks) + " of the " +
           text(kiln::isa::psumBanks) +
           " banks of PSUM, and leave none for the products after them";
  }

  bool boundsAgree(const JamGroup &group) {
    return !group.loop.getBody()
                ->walk([&](scf::ForOp inner) {
                  return group.invariant(inner.getLowerBound()) &&
                                 group.invariant(inner.getUpperBound()) &&
                                 group.invariant(inner.getStep())
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  bool jam(scf::ForOp loop) {
    std::optional<uint64_t> trips = nc::constantTrips(loop);
    nc::IndexForm begin = nc::analyseIndex(loop.getLowerBound());
    const auto decline = [&](const Twine &reason) {
      jamRemarks.missed(loop, "NotJammed")
          << "its iterations run one at a time, though an inner loop carries a "
             "value: "
          << reason.str();
      return false;
    };
    if (!trips || !begin.isConstant() || loop.getNumResults() != 0)
      return decline("its bounds are not constants");
    if (!iterationsAreIndependent(loop) && !isMutated(Mutation::jamLegality))
      return decline("they may depend on each other");
    const Needs needs = needsOf(loop);
    JamGroup group{loop, begin.constant, nc::stepOf(loop), copies};
    for (; group.factor > 1; group.factor /= 2)
      if (static_cast<uint64_t>(group.factor) <= *trips &&
          fits(needs, group.factor) && boundsAgree(group))
        break;
    if (group.factor < 2)
      return decline(*trips < 2 ? "there is only one iteration"
                     : !fits(needs, 2)
                         ? whyTooLarge(needs)
                         : "their inner loops run a different number of times");
    jamRemarks.passed(loop, "Jammed")
        << count("copies", group.factor) << " iterations of "
        << measure("trips", *trips)
        << " run together: they are independent, and the inner loop carries a "
           "value";
    rewrite(group, static_cast<int64_t>(*trips));
    return true;
  }

  static void rewrite(const JamGroup &group, int64_t trips) {
    scf::ForOp loop = group.loop;
    OpBuilder builder(loop);
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loop.getLoc(), value)
          .getResult();
    };
    int64_t whole = trips / group.factor * group.factor;
    Value middle = constant(group.begin + whole * group.step);
    if (whole != trips) { // The rest one by one.
      builder.setInsertionPointAfter(loop);
      auto rest = cast<scf::ForOp>(builder.clone(*loop));
      rest.setLowerBound(middle);
      builder.setInsertionPoint(loop);
    }
    loop.setUpperBound(middle);
    loop.setStep(constant(group.step * group.factor));
    SmallVector<IRMapping> maps(static_cast<size_t>(group.factor - 1));
    SmallVector<Operation *> counters;
    builder.setInsertionPointToStart(loop.getBody());
    Block &body = *loop.getBody();
    Operation *first = &body.front();
    for (auto [i, map] : llvm::enumerate(maps)) {
      AffineExpr counter = builder.getAffineDimExpr(0);
      Value next = affine::AffineApplyOp::create(
          builder, loop.getLoc(),
          AffineMap::get(1, 0,
                         counter + static_cast<int64_t>(i + 1) * group.step),
          ValueRange{loop.getInductionVar()});
      counters.push_back(next.getDefiningOp());
      map.map(loop.getInductionVar(), next);
    }
    // The counters themselves are no part of what is copied.
    for (Operation *op : counters)
      op->remove();
    jamBlock(body, group, maps);
    for (Operation *op : counters)
      body.getOperations().insert(Block::iterator(first), op);
  }
};

} // namespace
