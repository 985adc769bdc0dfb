//===- Rotate.cpp - The next iteration's first products early ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body that multiplies, computes with the product and multiplies again keeps
// the tensor engine waiting at the end of each iteration, and the others at its
// begin. The first stage, F, writes nothing that iterations hand on; so
//
//   for j in [b, n): F(j) R(j)
//
// becomes, for any trip count,
//
//   for j in [b, min(b + 1, n)):  F(j)
//   for j in [b, n - 1):          R(j) F(j + 1)
//   for j in [max(b, n - 1), n):  R(j)
//
// (where the trip count is known to be 3 or more, without the loops around the
// first F and the last R), and nc-order mixes R(j) with F(j + 1). What F hands
// to R lives outside of the loops, once: F(j + 1) follows when R(j) has read
// it.
//
//===----------------------------------------------------------------------===//

#include "AttachedSchedule.h"
#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/nc/ByteAccesses.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <vector>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCROTATE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks remarks("nc-rotate");

namespace {

/// A body in two stages.
class Stages {
public:
  Stages(scf::ForOp loop, const PinnedSpaces &spaces)
      : loop(loop), spaces(spaces) {}

  /// False if there are none, or if they cannot be taken apart.
  bool find() {
    if (!collect())
      return false;
    taint();
    if (!chooseProducts())
      return false;
    if (!obstacle.empty())
      return decline(obstacle);
    closeBackwards();
    if (!closeForwards())
      return decline("work that needs nothing but the products, such as a "
                     "mask, would have to go with them");
    auto products = first;
    addStatistics();
    if (isLegal())
      return true;
    first = products;
    return isLegal() || decline("what the products need may touch the memory "
                                "of the rest of the iteration");
  }

  /// Why a body with products stays as it is; empty if it has one stage only.
  StringRef whyNot() const { return reason; }

  bool isFirst(Operation *op) const { return first.contains(op); }
  bool isRest(Operation *op) const {
    return llvm::isa<NcInstruction>(op) && !first.contains(op);
  }
  /// Buffers of the body that both stages use.
  SmallVector<AllocOp> handedOn() const {
    SmallVector<AllocOp> result;
    for (Operation &op : *scf::ForOp(loop).getBody())
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        bool inFirst = false, inRest = false;
        for (const Item &item : items)
          for (const MemoryAccess &access : item.accesses)
            if (access.base == alloc.getMemory())
              (isFirst(item.op) ? inFirst : inRest) = true;
        if (inFirst && inRest && !isMutated(Mutation::handOn))
          result.push_back(alloc);
      }
    return result;
  }

private:
  struct Item {
    NcInstruction op;
    SmallVector<MemoryAccess, 4> accesses;
    bool multiplies = false, reduces = false, isDma = false, tainted = false;
    bool keepsState = false; ///< In its engine: an accumulator, a generator.
    bool isColumn = true;    ///< Writes one element of each row.

    bool writes(Value base) const {
      return llvm::any_of(accesses, [&](const MemoryAccess &access) {
        return access.writes() && access.base == base;
      });
    }
    bool reads(Value base) const {
      return llvm::any_of(accesses, [&](const MemoryAccess &access) {
        return access.reads() && access.base == base;
      });
    }
  };

  bool decline(StringRef why) {
    reason = why;
    return false;
  }

  bool collect() {
    for (Operation &op : scf::ForOp(loop).getBody()->without_terminator()) {
      if (op.getNumRegions() != 0 || llvm::isa<RegisterLoadOp, WhileOp>(op))
        return false;
      if (op.hasAttr(scheduledAttrName))
        return false;
      if (obstacle.empty())
        obstacle = whyOrderIsFixed(&op);
      auto instruction = dyn_cast<NcInstruction>(op);
      if (!instruction)
        continue;
      Item item;
      item.op = instruction;
      BuiltInstruction made = built(instruction);
      item.accesses = std::move(made.accesses);
      for (MemoryAccess &access : item.accesses)
        access.base = spaces.placeOf(access.base);
      item.keepsState = usesAccumulator(made.body);
      const isa::InstructionInfo &info = infoOf(instruction);
      item.multiplies = info.opcode == isa::Opcode::NcMatmul;
      item.reduces = info.opcode == isa::Opcode::TensorReduce ||
                     info.opcode == isa::Opcode::TensorCopy;
      item.isDma = info.isDma;
      for (const MemoryAccess &access : item.accesses)
        if (access.writes())
          item.isColumn &= access.shape.elements() == 1;
      items.push_back(std::move(item));
    }
    return true;
  }

  bool isLocal(Value base) const {
    return scf::ForOp(loop).getBodyRegion().isAncestor(base.getParentRegion());
  }

  /// What depends on earlier iterations.
  void taint() {
    for (const Item &item : items)
      for (const MemoryAccess &access : item.accesses)
        if (access.writes() && !isLocal(access.base))
          carried.insert(access.base);
    for (Item &item : items) {
      item.tainted = llvm::any_of(item.accesses, [&](const MemoryAccess &a) {
        return carried.contains(a.base);
      });
      if (item.tainted)
        for (const MemoryAccess &access : item.accesses)
          if (access.writes())
            carried.insert(access.base);
    }
  }

  /// Products that the tensor engine meets again, through other engines.
  bool chooseProducts() {
    bool again = false;
    for (auto [i, item] : llvm::enumerate(items)) {
      if (!item.multiplies || item.tainted)
        continue;
      llvm::SmallDenseSet<Value> reached;
      for (const MemoryAccess &access : item.accesses)
        if (access.writes())
          reached.insert(access.base);
      bool leads = false;
      for (const Item &later : ArrayRef(items).drop_front(i + 1)) {
        bool follows = llvm::any_of(later.accesses, [&](const auto &access) {
          return access.reads() && reached.contains(access.base);
        });
        if (!follows)
          continue;
        leads |= later.multiplies && later.tainted;
        for (const MemoryAccess &access : later.accesses)
          if (access.writes())
            reached.insert(access.base);
      }
      if (leads) {
        first.insert(item.op);
        again = true;
      }
    }
    return again;
  }

  /// What the chosen ones read is made in their stage.
  void closeBackwards() {
    for (auto [i, item] : llvm::enumerate(llvm::reverse(items))) {
      if (first.contains(item.op))
        continue;
      bool needed =
          llvm::any_of(ArrayRef(items).take_back(i), [&](const Item &later) {
            return first.contains(later.op) &&
                   llvm::any_of(later.accesses, [&](const auto &access) {
                     return access.reads() && isLocal(access.base) &&
                            item.writes(access.base);
                   });
          });
      if (needed)
        first.insert(item.op);
    }
  }

  /// Reductions of the products, and copies, go with them. Other work that
  /// needs nothing else is a mask: such loops run along a diagonal, once or
  /// twice, and three loops in place of one cost more than they gain.
  bool closeForwards() {
    llvm::SmallDenseSet<Value> made;
    for (const Item &item : items) {
      if (!first.contains(item.op) && !item.isDma && !item.tainted) {
        bool some = false, all = true;
        for (const MemoryAccess &access : item.accesses)
          if (access.reads()) {
            some |= made.contains(access.base);
            all &= made.contains(access.base) || !isLocal(access.base);
          }
        if (some && all) {
          if (!item.reduces)
            return false;
          first.insert(item.op);
        }
      }
      if (first.contains(item.op))
        for (const MemoryAccess &access : item.accesses)
          if (access.writes())
            made.insert(access.base);
    }
    return true;
  }

  /// A number for each row that a reader of the products waits for goes with
  /// them, even one that iterations hand on, like a running maximum: the reader
  /// then starts where the next iteration does, and nobody waits for all the
  /// chains of a body at once.
  void addStatistics() {
    auto writesFirst = [&](Value base) {
      return llvm::any_of(items, [&](const Item &item) {
        return first.contains(item.op) && item.writes(base);
      });
    };
    llvm::SmallDenseSet<Value> wanted, made;
    SmallVector<const Item *> chosen;
    for (const Item &item : llvm::reverse(items)) {
      if (first.contains(item.op) || item.isDma)
        continue;
      bool column =
          item.isColumn && llvm::all_of(item.accesses, [&](const auto &access) {
            return access.reads() ||
                   (isLocal(access.base) && wanted.contains(access.base));
          });
      if (column) {
        chosen.push_back(&item);
        for (const MemoryAccess &access : item.accesses)
          if (access.reads() && isLocal(access.base))
            wanted.insert(access.base);
      } else if (llvm::any_of(item.accesses, [&](const auto &access) {
                   return access.reads() && isLocal(access.base) &&
                          writesFirst(access.base);
                 })) {
        for (const MemoryAccess &access : item.accesses)
          if (access.reads() && isLocal(access.base))
            wanted.insert(access.base);
      }
    }
    for (const Item &item : items)
      if (first.contains(item.op))
        for (const MemoryAccess &access : item.accesses)
          if (access.writes())
            made.insert(access.base);
    for (const Item *item : llvm::reverse(chosen)) {
      bool ready = llvm::all_of(item->accesses, [&](const auto &access) {
        return !access.reads() || !isLocal(access.base) ||
               made.contains(access.base);
      });
      if (!ready)
        continue;
      first.insert(item->op);
      for (const MemoryAccess &access : item->accesses)
        if (access.writes())
          made.insert(access.base);
    }
  }

  /// Nothing of the second stage among `before` conflicts with it.
  bool mayPass(const Item &item, ArrayRef<Item> before) const {
    for (const Item &other : before) {
      if (first.contains(other.op))
        continue;
      // Nobody knows yet on which engines.
      if (item.keepsState && other.keepsState)
        return false;
      for (const MemoryAccess &access : item.accesses)
        if (other.writes(access.base) ||
            (access.writes() && other.reads(access.base)))
          return false;
    }
    return true;
  }

  /// The first stage may pass what stands in front of it.
  bool isLegal() const {
    bool rest = false;
    for (auto [i, item] : llvm::enumerate(items)) {
      if (!first.contains(item.op)) {
        rest |= item.multiplies;
        continue;
      }
      if (!mayPass(item, ArrayRef(items).take_front(i)) &&
          !isMutated(Mutation::rotateLegality))
        return false;
    }
    return rest;
  }

  scf::ForOp loop;
  const PinnedSpaces &spaces;
  StringRef obstacle; ///< To every move of anything in the body.
  StringRef reason;   ///< See whyNot().
  std::vector<Item> items;
  llvm::SmallDenseSet<Value> carried;
  llvm::SmallDenseSet<Operation *> first;
};

class Rotate : public kiln::compiler::nc::impl::NcRotateBase<Rotate> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    PinnedSpaces spaces(getOperation());
    for (scf::ForOp loop : loops) {
      std::optional<uint64_t> trips = constantTrips(loop);
      if (stepOf(loop) != 1 || loop.getNumResults() != 0 ||
          (trips && (early || *trips < 3)) || loop->hasAttr(orderGivenAttrName))
        continue;
      Stages stages(loop, spaces);
      if (!stages.find()) {
        if (!stages.whyNot().empty())
          remarks.missed(loop, "NotRotated")
              << "the first products of the next iteration stay in it: "
              << stages.whyNot();
        continue;
      }
      remarks.passed(loop, "Rotated")
          << "the first products of the next iteration, and what they need, "
             "run beside the rest of this one";
      rewrite(loop, stages);
    }
  }

private:
  /// min or max of a + offset and b, folded if both are known.
  static Value extremum(OpBuilder &builder, Location where, bool least, Value a,
                        int64_t offset, Value b, int64_t offsetB) {
    IndexForm x = analyseIndex(a), y = analyseIndex(b);
    if (x.isConstant() && y.isConstant()) {
      int64_t p = x.constant + offset, q = y.constant + offsetB;
      return arith::ConstantIndexOp::create(
          builder, where, least ? std::min(p, q) : std::max(p, q));
    }
    AffineExpr d0 = builder.getAffineDimExpr(0),
               d1 = builder.getAffineDimExpr(1);
    AffineMap map =
        AffineMap::get(2, 0, {d0 + offset, d1 + offsetB}, builder.getContext());
    if (least)
      return affine::AffineMinOp::create(builder, where, map, ValueRange{a, b});
    return affine::AffineMaxOp::create(builder, where, map, ValueRange{a, b});
  }

  static Value shifted(OpBuilder &builder, Location where, Value value,
                       int64_t offset) {
    IndexForm form = analyseIndex(value);
    if (form.isConstant())
      return arith::ConstantIndexOp::create(builder, where,
                                            form.constant + offset);
    return affine::AffineApplyOp::create(
        builder, where,
        AffineMap::get(1, 0, builder.getAffineDimExpr(0) + offset),
        ValueRange{value});
  }

  /// A counter of a copy: that of the loop around it and so much, or a number.
  struct Turn {
    Value index;
    bool absolute = false;
    int64_t value = 0;
  };

  /// Copies what `wanted` says, and what addresses it, for iteration `turn`.
  template <class Wanted>
  static void copyStage(OpBuilder &builder, scf::ForOp loop, const Turn &turn,
                        Wanted &&wanted) {
    IRMapping map;
    map.map(loop.getInductionVar(), turn.index);
    SmallVector<Operation *> helpers;
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool instruction = llvm::isa<NcInstruction>(op);
      if (instruction && !wanted(&op))
        continue;
      Operation *copy = builder.clone(op, map);
      if (!instruction)
        helpers.push_back(copy);
      else if (turn.absolute || turn.value != 0)
        noteTurn(copy, loop, turn.absolute, turn.value);
    }
    for (Operation *helper : llvm::reverse(helpers))
      if (helper->use_empty())
        helper->erase();
  }

  static void rewrite(scf::ForOp loop, const Stages &stages) {
    for (AllocOp alloc : stages.handedOn())
      alloc->moveBefore(loop);
    OpBuilder builder(loop);
    Location where = loop.getLoc();
    Value begin = loop.getLowerBound(), end = loop.getUpperBound();
    Value one = loop.getStep();
    auto isFirst = [&](Operation *op) { return stages.isFirst(op); };
    auto isRest = [&](Operation *op) { return stages.isRest(op); };
    // A loop of which it is known that it runs is opened at both ends.
    std::optional<uint64_t> trips = constantTrips(loop);
    int64_t firstTurn = analyseIndex(begin).constant;
    int64_t lastTurn = analyseIndex(end).constant - 1;
    if (trips)
      copyStage(builder, loop, {begin, true, firstTurn}, isFirst);
    auto add = [&](Value from, Value to, bool once, auto fill) {
      auto made = scf::ForOp::create(builder, where, from, to, one);
      if (once)
        made->setAttr(onceAttrName, builder.getUnitAttr());
      if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
        made->setDiscardableAttr(sourceAttrName, source);
      OpBuilder inside(made.getBody()->getTerminator());
      fill(inside, made.getInductionVar());
    };
    if (!trips)
      add(begin, extremum(builder, where, true, begin, 1, end, 0), true,
          [&](OpBuilder &inside, Value j) {
            copyStage(inside, loop, {j}, isFirst);
          });
    add(begin, shifted(builder, where, end, -1), false,
        [&](OpBuilder &inside, Value j) {
          copyStage(inside, loop, {j}, isRest);
          copyStage(inside, loop, {shifted(inside, where, j, 1), false, 1},
                    isFirst);
        });
    if (trips)
      copyStage(builder, loop,
                {shifted(builder, where, end, -1), true, lastTurn}, isRest);
    else
      add(extremum(builder, where, false, begin, 0, end, -1), end, true,
          [&](OpBuilder &inside, Value j) {
            copyStage(inside, loop, {j}, isRest);
          });
    loop.erase();
  }
};

} // namespace
