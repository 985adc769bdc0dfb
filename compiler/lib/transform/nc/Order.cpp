//===- Order.cpp - Order inside each block -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderSegment.h"

#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/transform/nc/Passes.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCORDER
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln;
using namespace kiln::compiler::nc;
namespace schedule = kiln::schedule;

namespace {

class Order : public kiln::compiler::nc::impl::NcOrderBase<Order> {
public:
  using NcOrderBase::NcOrderBase;

  void runOnOperation() override {
    Costs costs(getOperation());
    EarlierLabels edges;
    for (const OrderEdge &edge : orderEdges(getOperation()))
      edges[edge.later].push_back(edge.earlier);
    UseCounts uses;
    problems::OrderSolver solver;
    PinnedSpaces spaces(getOperation());
    const AttachedSchedule attached(getOperation());
    WalkResult result = getOperation().walk([&](Block *block) {
      return failed(orderBlock(*block, costs, edges, uses, spaces, solver,
                               attached))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult orderBlock(Block &block, Costs &costs,
                           const EarlierLabels &edges, UseCounts &uses,
                           const PinnedSpaces &spaces,
                           problems::OrderSolver &solver,
                           const AttachedSchedule &attached) const {
    auto loop = dyn_cast_or_null<scf::ForOp>(block.getParentOp());
    const schedule::Loop *given =
        loop && loop->hasAttr(orderGivenAttrName) ? attached.of(loop) : nullptr;
    std::optional<Segment> segment;
    Operation *firstOfSegment = nullptr;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool ends = op.getNumRegions() != 0 ||
                  op.hasTrait<OpTrait::IsTerminator>() ||
                  llvm::isa<RegisterLoadOp>(op) || // Its users stay behind it.
                  op.hasAttr(scheduledAttrName);
      if (ends) {
        if (given && !op.hasTrait<OpTrait::IsTerminator>())
          return attached.refuse(loop, *given, given->line,
                                 "it contains another loop or a register, so "
                                 "only its engines can be given: make it "
                                 "unordered");
        if (segment && failed(given ? segment->apply(&op, attached, *given)
                                    : segment->apply(&op)))
          return failure();
        segment.reset();
        firstOfSegment = nullptr;
        continue;
      }
      if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (segment && !segment->admits(instruction, given)) {
          if (failed(segment->apply(&op)))
            return failure();
          segment.reset();
          firstOfSegment = nullptr;
        }
        if (!segment)
          segment.emplace(costs, loop, edges, uses, spaces, solver,
                          aheadPercent);
        if (!firstOfSegment)
          firstOfSegment = &op;
        if (failed(segment->add(instruction)))
          return failure();
        continue;
      }
      // Buffers, views and index arithmetic need no order among instructions:
      // in front of them all, they dominate every permutation.
      if (firstOfSegment)
        op.moveBefore(firstOfSegment);
    }
    return success();
  }
};

} // namespace
