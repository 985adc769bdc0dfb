//===- Order.cpp - Order inside each block -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Analysis.h"
#include "kiln/compiler/Nc/Cost.h"
#include "kiln/compiler/Nc/Registers.h"
#include "kiln/compiler/Problems/OrderProblem.h"
#include "kiln/compiler/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCORDER
#include "kiln/compiler/Transforms/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;
namespace problems = kiln::problems;

namespace {

/// Accesses of one buffer that later ones must still be compared with. Beyond
/// this many, the newest is ordered behind all and stands for them, which
/// keeps the work linear.
constexpr size_t maxTracked = 48;

struct Tracked {
  uint32_t operation;
  MemoryAccess access;
  bool standsForAll = false;
};

/// One run of instructions without a loop between them.
class Segment {
public:
  Segment(const isa::Target &target, scf::ForOp loop)
      : target(target), loop(loop) {
    problem.loop = static_cast<bool>(loop);
  }

  LogicalResult add(NcInstruction op) {
    std::optional<isa::Engine> engine = op.getAssignedEngine();
    if (!engine)
      return op->emitOpError("[KILN-C112] has no engine; nc-choose-engines "
                             "comes before nc-order");
    isa::Body body = bodyWithoutAddresses(op);
    Cost cost = estimateCost(body, *engine, target);
    problems::OrderOperation operation;
    operation.engine = *engine;
    operation.issue = cost.issue;
    operation.occupancy = cost.occupancy;
    operation.latency = cost.latency;
    if (isa::info(isa::opcode(body)).isDma)
      if (auto queue = op->getAttrOfType<IntegerAttr>("queue"))
        operation.queue = static_cast<std::int32_t>(queue.getInt());
    auto index = static_cast<uint32_t>(ops.size());
    ops.push_back(op);
    problem.operations.push_back(operation);
    if (usesAccumulator(body))
      chain(lastAccumulator[static_cast<size_t>(*engine)], index);
    if (op->hasAttr("nc.ordered"))
      chain(lastOrdered, index);
    for (const MemoryAccess &access : accessesOf(op))
      addAccess(index, access);
    return success();
  }

  /// Solves and permutes; `anchor` is the operation behind the segment.
  LogicalResult apply(Operation *anchor) {
    if (ops.size() < 2)
      return success();
    addCarriedEdges();
    problems::OrderSolution solution = problems::solveOrder(problem);
    if (problems::Problem wrong = problems::verify(problem, solution))
      return ops.front()->emitOpError(
                 "[KILN-C900] internal: the order found is not legal: ")
             << *wrong;
    for (uint32_t index : solution.order)
      ops[index]->moveBefore(anchor);
    return success();
  }

private:
  void chain(std::optional<uint32_t> &last, uint32_t index) {
    if (last)
      addEdge(*last, index, problem.operations[*last].occupancy, 0);
    last = index;
  }

  void addEdge(uint32_t from, uint32_t to, int64_t latency, uint32_t distance) {
    if (from != to || distance != 0)
      problem.edges.push_back({from, to, latency, distance});
  }

  int64_t delay(const Tracked &from, const MemoryAccess &to) {
    const problems::OrderOperation &operation =
        problem.operations[from.operation];
    return from.access.writes() && to.reads() ? operation.latency
                                              : operation.occupancy;
  }

  static bool conflict(const Tracked &from, const MemoryAccess &to) {
    if (from.standsForAll)
      return true;
    return (from.access.writes() || to.writes()) &&
           !provablyDisjoint(from.access, to);
  }

  void addAccess(uint32_t index, const MemoryAccess &access) {
    Buffer &buffer = buffers[access.base];
    for (const Tracked &earlier : buffer.live)
      if (earlier.operation != index && conflict(earlier, access))
        addEdge(earlier.operation, index, delay(earlier, access), 0);
    // What the write covers entirely is ordered through the write from now on.
    if (access.writes())
      llvm::erase_if(buffer.live, [&](const Tracked &earlier) {
        return earlier.operation != index &&
               (earlier.standsForAll || sameBytes(earlier.access, access));
      });
    bool full = buffer.live.size() >= maxTracked;
    if (full) {
      for (const Tracked &earlier : buffer.live)
        if (earlier.operation != index && !conflict(earlier, access))
          addEdge(earlier.operation, index, 0, 0);
      buffer.live.clear();
    }
    buffer.live.push_back({index, access, full});
    if (buffer.first.size() < maxTracked)
      buffer.first.push_back({index, access, false});
  }

  static bool sameBytes(const MemoryAccess &a, const MemoryAccess &b) {
    return a.view == b.view;
  }

  /// An iteration meets what earlier ones left: for a buffer declared outside
  /// at the next iteration, for a ring when its copy comes round again.
  void addCarriedEdges() {
    if (!loop)
      return;
    for (auto &[base, buffer] : buffers) {
      uint32_t distance = 1;
      if (auto alloc = base.getDefiningOp<AllocOp>())
        if (alloc->getParentOp() == loop.getOperation())
          distance = static_cast<uint32_t>(alloc.getRing());
      for (const Tracked &last : buffer.live)
        for (const Tracked &first : buffer.first)
          if (last.access.writes() || first.access.writes())
            addEdge(last.operation, first.operation, delay(last, first.access),
                    distance);
    }
  }

  struct Buffer {
    SmallVector<Tracked, 4> live;
    SmallVector<Tracked, 4> first;
  };

  const isa::Target &target;
  scf::ForOp loop;
  problems::OrderProblem problem;
  SmallVector<NcInstruction> ops;
  llvm::MapVector<Value, Buffer> buffers;
  std::array<std::optional<uint32_t>, isa::numEngines> lastAccumulator;
  std::optional<uint32_t> lastOrdered;
};

class Order : public kiln::compiler::nc::impl::NcOrderBase<Order> {
public:
  void runOnOperation() override {
    isa::Target target = targetOf(getOperation());
    WalkResult result = getOperation().walk([&](Block *block) {
      return failed(orderBlock(*block, target)) ? WalkResult::interrupt()
                                                : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult orderBlock(Block &block, const isa::Target &target) {
    auto loop = dyn_cast_or_null<scf::ForOp>(block.getParentOp());
    std::optional<Segment> segment;
    Operation *firstOfSegment = nullptr;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool ends = op.getNumRegions() != 0 ||
                  op.hasTrait<OpTrait::IsTerminator>() ||
                  llvm::isa<RegisterLoadOp>(op); // Its users stay behind it.
      if (ends) {
        if (segment && failed(segment->apply(&op)))
          return failure();
        segment.reset();
        firstOfSegment = nullptr;
        continue;
      }
      if (auto instruction = dyn_cast<NcInstruction>(op)) {
        if (!segment)
          segment.emplace(target, loop);
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
