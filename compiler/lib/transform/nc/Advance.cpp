//===- Advance.cpp - The next head before the end of this iteration -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a loop around another one begins with products, the engines run empty
// between its iterations: the tail of one and the head of the next are chains.
//
//   for i in [b, n): H(i); for j: ..; T(i)
//
// becomes, for two or more iterations,
//
//   H(b)
//   for i in [b, n - 1): for j: ..; T(i) H(i + 1)
//   for j: ..; T(n - 1)
//
// Nothing changes its place in the sequence, but T(i) and H(i + 1) are one
// block now, which nc-order mixes. What H hands on lives outside, once.
//
//===----------------------------------------------------------------------===//

#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCADVANCE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static constexpr Remarks remarks("nc-advance");

namespace {

/// The body around one loop without loops in it.
class Body {
public:
  explicit Body(scf::ForOp loop) : loop(loop) {}

  /// Empty if the next iteration may begin beside the end of this one, else
  /// the reason, as a clause, why it may not.
  StringRef whyNot() {
    bool multiplies = false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto nested = dyn_cast<scf::ForOp>(op)) {
        if (inner)
          return "there are several loops in it";
        if (StringRef why = whyFixed(nested); !why.empty())
          return why;
        inner = nested;
        continue;
      }
      if (StringRef why = whyFixed(op); !why.empty())
        return why;
      if (!inner && llvm::isa<NcInstruction>(op)) {
        head.insert(&op);
        multiplies |=
            infoOf(cast<NcInstruction>(op)).opcode == isa::Opcode::NcMatmul;
      }
    }
    return multiplies ? "" : "nothing in front of the inner loop multiplies";
  }

  /// Buffers of the body that the head and something else use.
  SmallVector<AllocOp> handedOn() const {
    SmallVector<AllocOp> result;
    for (AllocOp alloc : scf::ForOp(loop).getBody()->getOps<AllocOp>()) {
      bool inHead = false, inRest = false;
      for (Operation *view : alloc.getMemory().getUsers())
        for (Operation *user : view->getUsers())
          (head.contains(user) ? inHead : inRest) = true;
      if (inHead && inRest && !isMutated(Mutation::handOn))
        result.push_back(alloc);
    }
    return result;
  }

  /// Copies the head, or all but the head, for iteration `index`: that of the
  /// loop around it and `turn`, or, if `absolute`, `turn` itself.
  void copy(OpBuilder &builder, bool ofHead, Value index, bool absolute,
            int64_t turn) const {
    IRMapping map;
    map.map(scf::ForOp(loop).getInductionVar(), index);
    SmallVector<Operation *> helpers;
    for (Operation &op : scf::ForOp(loop).getBody()->without_terminator()) {
      bool works = llvm::isa<NcInstruction, scf::ForOp>(op);
      if (works && head.contains(&op) != ofHead)
        continue;
      Operation *made = builder.clone(op, map);
      if (!works)
        helpers.push_back(made);
      else if (absolute || turn != 0)
        noteTurn(made, loop, absolute, turn);
    }
    for (Operation *helper : llvm::reverse(helpers))
      if (helper->use_empty())
        helper->erase();
  }

private:
  static StringRef whyFixed(Operation &op) {
    if (op.getNumRegions() != 0)
      return "the inner loop has a body in its body, or a branch stands there";
    if (llvm::isa<RegisterLoadOp>(op))
      return "it loads a register";
    return whyOrderIsFixed(&op);
  }
  static StringRef whyFixed(scf::ForOp nested) {
    for (Operation &op : nested.getBody()->without_terminator())
      if (StringRef why = whyFixed(op); !why.empty())
        return why;
    return "";
  }

  scf::ForOp loop;
  scf::ForOp inner;
  llvm::SmallDenseSet<Operation *> head;
};

class Advance : public kiln::compiler::nc::impl::NcAdvanceBase<Advance> {
public:
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      if (loop.getBody()->getOps<scf::ForOp>().empty())
        continue; // Only what holds a loop has something to begin beside it.
      std::optional<uint64_t> trips = constantTrips(loop);
      Body body(loop);
      const StringRef why = !trips ? "the number of them is not a constant"
                            : *trips < 2 ? "there is only one"
                            : loop.getNumResults() != 0
                                ? "the loop carries values"
                                : body.whyNot();
      if (!why.empty()) {
        remarks.missed(loop, "NotAdvanced")
            << "the next iteration waits for the end of this one: " << why;
        continue;
      }
      remarks.passed(loop, "Advanced")
          << "the next iteration begins beside the end of this one";
      rewrite(loop, body, static_cast<int64_t>(*trips));
    }
  }

private:
  static void rewrite(scf::ForOp loop, const Body &body, int64_t trips) {
    for (AllocOp alloc : body.handedOn())
      alloc->moveBefore(loop);
    OpBuilder builder(loop);
    Location where = loop.getLoc();
    int64_t step = stepOf(loop);
    int64_t firstTurn = analyseIndex(loop.getLowerBound()).constant;
    int64_t lastTurn = firstTurn + step * (trips - 1);
    Value last = arith::ConstantIndexOp::create(builder, where, lastTurn);
    body.copy(builder, /*ofHead=*/true, loop.getLowerBound(), true, firstTurn);
    auto most = scf::ForOp::create(builder, where, loop.getLowerBound(), last,
                                   loop.getStep());
    if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
      most->setDiscardableAttr(sourceAttrName, source);
    OpBuilder inside(most.getBody()->getTerminator());
    body.copy(inside, /*ofHead=*/false, most.getInductionVar(), false, 0);
    Value next = affine::AffineApplyOp::create(
        inside, where, AffineMap::get(1, 0, inside.getAffineDimExpr(0) + step),
        ValueRange{most.getInductionVar()});
    body.copy(inside, /*ofHead=*/true, next, false, step);
    body.copy(builder, /*ofHead=*/false, last, true, lastTurn);
    loop.erase();
  }
};

} // namespace
