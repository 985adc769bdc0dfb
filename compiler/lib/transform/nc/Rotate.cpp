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
// begin. The first stage, F, writes nothing that iterations carry; so
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
// first F and the last R), and nc-order interleaves R(j) with F(j + 1). Buffers
// from F to R live outside of the loops, once: F(j + 1) follows when R(j) has
// read it.
//
//===----------------------------------------------------------------------===//

#include "AttachedSchedule.h"
#include "RotateStages.h"
#include "TripSamples.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCROTATE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks rotateRemarks("nc-rotate");

namespace {

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
          (trips && (early || *trips < 3)) ||
          loop->hasAttr(orderGivenAttrName) || loop->hasAttr(remainderAttrName))
        continue;
      RotateStages stages(loop, spaces);
      if (!stages.find()) {
        if (!stages.whyNot().empty())
          rotateRemarks.missed(loop, "NotRotated")
              << "the first products of the next iteration do not start early: "
              << stages.whyNot();
        continue;
      }
      const int64_t bytes = stages.psumBytes();
      auto capacity =
          static_cast<int64_t>(targetOf(loop).bytes(isa::Space::psum));
      loop.walk([&](AllocOp alloc) {
        if (const auto limit = limitOf(alloc);
            limit && alloc.getSpace() == Space::psum)
          capacity = std::min(capacity,
                              static_cast<int64_t>(limit->end - limit->begin));
      });
      if (bytes > capacity) {
        rotateRemarks.missed(loop, "NotRotated")
            << "the first products of the next iteration do not start early: "
               "beside the rest of this one, they would take "
            << measure("bytes", bytes) << " bytes per partition of PSUM, which "
            << "has " << measure("capacity", capacity);
        continue;
      }
      rotateRemarks.passed(loop, "Rotated")
          << "the first products of the next iteration, with their inputs, "
             "overlap the rest of this one";
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

  static void rewrite(scf::ForOp loop, const RotateStages &stages) {
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
