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
// If the inner loop is software pipelined, H ends with its prologue and T
// begins with its epilogue, and both say when their instructions start: then
// the drain of one inner loop runs beside the fill of the next. What H hands on
// lives outside with a copy for each of a few iterations, so that the fill need
// not wait for the drain, and a trip of the new loop holds all of them. With
// two:
//
//   for i in [b, n - 1) by 2:
//     for j: ..; T(i) H(i + 1)
//     for j: ..; T(i + 1) H(i + 2)
//
// What H loads is loaded even earlier, in front of the inner loop of the
// iteration before.
//
//===----------------------------------------------------------------------===//

#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"
#include "kiln/compiler/transform/nc/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

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

/// Copies of the body of a loop around a pipelined one, at most, so that the
/// copies of its buffers come round.
constexpr int64_t mostTurns = 4;

/// Of a body: what the head loads, the rest of the head, and what comes behind
/// the head.
enum class Part : uint8_t { loads, head, rest };

/// The body around one loop without loops in it.
class Body {
public:
  explicit Body(scf::ForOp loop) : loop(loop) {}

  /// Empty if the next iteration may begin beside the end of this one, else
  /// the reason, as a clause, why it may not.
  StringRef whyNot() {
    bool multiplies = false, isBehind = false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto nested = dyn_cast<scf::ForOp>(op)) {
        if (inner)
          return "there are several loops in it";
        if (StringRef why = whyFixed(nested); !why.empty())
          return why;
        inner = nested;
        isBehind = true;
        continue;
      }
      if (StringRef why = whyFixed(op); !why.empty())
        return why;
      if (!llvm::isa<NcInstruction>(op))
        continue;
      if (auto start = op.getAttrOfType<DenseI64ArrayAttr>(startAttrName)) {
        if (pipelined && *pipelined != start[0])
          return "there are several loops in it";
        pipelined = start[0];
      }
      isBehind |= op.hasAttr(scheduledAttrName);
      if (!isBehind) {
        head.insert(&op);
        multiplies |=
            infoOf(cast<NcInstruction>(op)).opcode == isa::Opcode::NcMatmul;
      }
    }
    // Another loop would run while the copies of the pipelined one are held.
    if (pipelined && inner && !isScheduled(inner))
      return "there are several loops in it";
    if (pipelined)
      findLoads();
    return multiplies || pipelined
               ? ""
               : "nothing in front of the inner loop multiplies";
  }

  /// Whether nc-pipeline-loops made the inner loop.
  bool isPipelined() const { return pipelined.has_value(); }

  /// Buffers of the body that the head and something else use.
  SmallVector<AllocOp> handedOn() const {
    SmallVector<AllocOp> result;
    for (AllocOp alloc : scf::ForOp(loop).getBody()->getOps<AllocOp>()) {
      bool inHead = false, inRest = false;
      for (Operation *view : alloc.getMemory().getUsers())
        for (Operation *user : view->getUsers())
          (head.contains(user) ? inHead : inRest) = true;
      if (((inHead && inRest) || loaded.contains(alloc)) &&
          !isMutated(Mutation::handOn))
        result.push_back(alloc);
    }
    return result;
  }

  /// Copies a part for iteration `index`: that of the loop around it and
  /// `turn`, or, if `absolute`, `turn` itself. `map` says which memory stands
  /// for that of the body.
  void copy(OpBuilder &builder, Part part, Value index, bool absolute,
            int64_t turn, IRMapping map = {}) const {
    map.map(scf::ForOp(loop).getInductionVar(), index);
    SmallVector<Operation *> helpers;
    for (Operation &op : scf::ForOp(loop).getBody()->without_terminator()) {
      bool works = llvm::isa<NcInstruction, scf::ForOp>(op);
      if (works && partOf(op) != part)
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
  Part partOf(Operation &op) const {
    return loads.contains(&op)  ? Part::loads
           : head.contains(&op) ? Part::head
                                : Part::rest;
  }

  /// Transfers of the head that nothing in the loop has to come before: from
  /// tensors that it does not write to buffers that nothing else writes.
  void findLoads() {
    WrittenMemory written;
    written.add(loop);
    llvm::SmallDenseMap<Value, unsigned> writers;
    loop.getBody()->walk([&](NcInstruction op) {
      for (const MemoryAccess &access : accessesOf(op))
        writers[access.base] += access.writes();
    });
    for (Operation &op : loop.getBody()->without_terminator()) {
      auto instruction = dyn_cast<NcInstruction>(op);
      if (!instruction || !head.contains(&op) || op.hasAttr(startAttrName) ||
          !infoOf(instruction).isDma)
        continue;
      AllocOp target;
      bool isLoad = true;
      for (const MemoryAccess &access : accessesOf(instruction)) {
        auto alloc = Value(access.base).getDefiningOp<AllocOp>();
        if (!access.writes())
          isLoad &= access.shape.space == isa::Space::hbm &&
                    !written.contains(access.base);
        else if (access.reads() || !alloc ||
                 alloc->getBlock() != op.getBlock() ||
                 alloc.getSpace() != Space::sbuf || writers[access.base] != 1)
          isLoad = false;
        else
          target = alloc;
      }
      if (!isLoad || !target)
        continue;
      loads.insert(&op);
      loaded.insert(target);
    }
  }

  static StringRef whyFixed(Operation &op) {
    if (op.getNumRegions() != 0)
      return "the inner loop has a body in its body, or a branch stands there";
    if (llvm::isa<RegisterLoadOp>(op))
      return "it loads a register";
    return whyOrderIsFixed(&op);
  }
  static bool isScheduled(scf::ForOp nested) {
    return llvm::all_of(*nested.getBody(), [](Operation &op) {
      return !llvm::isa<NcInstruction>(op) || op.hasAttr(scheduledAttrName);
    });
  }
  static StringRef whyFixed(scf::ForOp nested) {
    for (Operation &op : nested.getBody()->without_terminator())
      if (StringRef why = whyFixed(op); !why.empty())
        return why;
    return "";
  }

  scf::ForOp loop;
  scf::ForOp inner;
  std::optional<int64_t> pipelined; ///< The number of that loop.
  llvm::SmallDenseSet<Operation *> head;
  llvm::SmallDenseSet<Operation *> loads;  ///< Of the head.
  llvm::SmallDenseSet<Operation *> loaded; ///< The buffers that they fill.
};

class Advance : public kiln::compiler::nc::impl::NcAdvanceBase<Advance> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      // Only what holds a loop, or held one, has something to begin beside it.
      if (llvm::none_of(*loop.getBody(), [](Operation &op) {
            return llvm::isa<scf::ForOp>(op) || op.hasAttr(startAttrName);
          }))
        continue;
      if (early && llvm::any_of(loop.getBody()->getOps<scf::ForOp>(),
                                [](scf::ForOp inner) {
                                  return constantTrips(inner).has_value();
                                }))
        continue; // nc-pipeline-loops comes first.
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
      if (body.isPipelined())
        rewriteInTurns(loop, body, static_cast<int64_t>(*trips));
      else
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
    body.copy(builder, Part::head, loop.getLowerBound(), true, firstTurn);
    auto most = scf::ForOp::create(builder, where, loop.getLowerBound(), last,
                                   loop.getStep());
    if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
      most->setDiscardableAttr(sourceAttrName, source);
    OpBuilder inside(most.getBody()->getTerminator());
    body.copy(inside, Part::rest, most.getInductionVar(), false, 0);
    Value next = affine::AffineApplyOp::create(
        inside, where, AffineMap::get(1, 0, inside.getAffineDimExpr(0) + step),
        ValueRange{most.getInductionVar()});
    body.copy(inside, Part::head, next, false, step);
    body.copy(builder, Part::rest, last, true, lastTurn);
    loop.erase();
  }

  /// Memory of several iterations of the outer loop, which go round.
  struct Memory {
    SmallVector<IRMapping> maps; ///< By iteration, modulo their number.
    const IRMapping &of(int64_t iteration) const {
      return maps[static_cast<size_t>(iteration) % maps.size()];
    }
  };

  /// What the head hands on has a copy in each of a few iterations. The copies
  /// that nc-pipeline-loops made go on round from one iteration to the next, as
  /// if the inner loop went on.
  static Memory rotate(scf::ForOp loop, const Body &body) {
    SmallVector<AllocOp> shared = body.handedOn();
    for (AllocOp alloc : loop.getBody()->getOps<AllocOp>())
      if (alloc->hasAttr(copyAttrName) && !llvm::is_contained(shared, alloc))
        shared.push_back(alloc);
    llvm::MapVector<int64_t, SmallVector<Value>> rings; ///< By buffer.
    int64_t turns = 1, trips = 1;
    for (AllocOp alloc : shared) {
      alloc->moveBefore(loop);
      auto copy = alloc->getAttrOfType<DenseI64ArrayAttr>(copyAttrName);
      if (!copy)
        continue;
      SmallVector<Value> &ring = rings[copy[0]];
      const auto number = static_cast<size_t>(copy[1]);
      if (ring.size() <= number)
        ring.resize(number + 1);
      ring[number] = alloc.getMemory();
      trips = copy[2];
    }
    for (auto &[number, ring] : rings) {
      const auto copies = static_cast<int64_t>(ring.size());
      turns = std::lcm(turns, copies / std::gcd(copies, trips));
    }
    const bool goOn = turns <= mostTurns;
    Memory memory;
    memory.maps.resize(
        static_cast<size_t>(turns == 1 || !goOn ? int64_t{2} : turns));
    for (auto [i, map] : llvm::enumerate(memory.maps)) {
      for (auto &[number, ring] : rings)
        for (size_t copy = 0; goOn && copy < ring.size(); ++copy)
          map.map(ring[copy],
                  ring[(copy + i * static_cast<size_t>(trips)) % ring.size()]);
      OpBuilder builder(loop);
      for (AllocOp alloc : shared)
        if (i > 0 && alloc.getSpace() == Space::sbuf &&
            !alloc->hasAttr(copyAttrName))
          map.map(alloc.getMemory(),
                  cast<AllocOp>(builder.clone(*alloc)).getMemory());
    }
    return memory;
  }

  static void rewriteInTurns(scf::ForOp loop, const Body &body, int64_t trips) {
    const Memory memory = rotate(loop, body);
    const auto turns = static_cast<int64_t>(memory.maps.size());
    OpBuilder builder(loop);
    const Location where = loop.getLoc();
    const int64_t step = stepOf(loop);
    const int64_t first = analyseIndex(loop.getLowerBound()).constant;
    const auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, where, value);
    };
    const auto copyAt = [&](Part part, int64_t iteration) {
      const int64_t turn = first + step * iteration;
      body.copy(builder, part, constant(turn), /*absolute=*/true, turn,
                memory.of(iteration));
    };
    copyAt(Part::loads, 0);
    copyAt(Part::head, 0);
    const int64_t looped = (trips - 1) / turns * turns;
    if (looped > 0) {
      auto made = scf::ForOp::create(builder, where, constant(first),
                                     constant(first + step * looped),
                                     constant(turns * step));
      if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
        made->setDiscardableAttr(sourceAttrName, source);
      OpBuilder inside(made.getBody()->getTerminator());
      const auto copyInside = [&](Part part, int64_t iteration) {
        const int64_t turn = step * iteration;
        Value index = made.getInductionVar();
        if (turn != 0)
          index = affine::AffineApplyOp::create(
              inside, where,
              AffineMap::get(1, 0, inside.getAffineDimExpr(0) + turn),
              ValueRange{index});
        body.copy(inside, part, index, /*absolute=*/false, turn,
                  memory.of(iteration));
      };
      for (int64_t i = 0; i < turns; ++i) {
        copyInside(Part::loads, i + 1);
        copyInside(Part::rest, i);
        copyInside(Part::head, i + 1);
      }
    }
    for (int64_t i = looped; i < trips; ++i) {
      if (i + 1 < trips)
        copyAt(Part::loads, i + 1);
      copyAt(Part::rest, i);
      if (i + 1 < trips)
        copyAt(Part::head, i + 1);
    }
    loop.erase();
  }
};

} // namespace
