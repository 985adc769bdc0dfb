//===- Advance.cpp - The next head before the end of this iteration -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a loop around another one begins with products, the engines idle between
// its iterations: the tail of one and the head of the next are chains.
//
//   for i in [b, n): H(i); for j: ..; T(i)
//
// becomes, for two or more iterations,
//
//   H(b)
//   for i in [b, n - 1): for j: ..; T(i) H(i + 1)
//   for j: ..; T(n - 1)
//
// The sequence does not change, but T(i) and H(i + 1) are now one block, which
// nc-order interleaves. Buffers that H fills for the loop live outside, once.
//
// If the inner loop is software pipelined, H ends with its prologue and T
// begins with its epilogue, and both say when their instructions start: then
// the drain of one inner loop runs beside the fill of the next. Buffers that H
// fills for the loop live outside, with a copy for each of a few iterations, so
// that the fill does not wait for the drain, and a trip of the new loop holds
// all of them. With two:
//
//   for i in [b, n - 1) by 2:
//     for j: ..; T(i) H(i + 1)
//     for j: ..; T(i + 1) H(i + 2)
//
// What H loads is loaded even earlier, in front of the inner loop of the
// iteration before. What finishes an iteration, F, waits for the very end of
// the drain, and streams are in order: it would hold up the next iteration. So
// it runs one iteration later, among instructions that no longer wait:
//
//     for j: ..; F(i - 1) T(i) H(i + 1)
//
//===----------------------------------------------------------------------===//

#include "AdvanceBody.h"

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
#include "llvm/ADT/MapVector.h"

#include <numeric>

namespace kiln::compiler::nc {
#define GEN_PASS_DEF_NCADVANCE
#include "kiln/compiler/transform/nc/Passes.h.inc"
} // namespace kiln::compiler::nc

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static constexpr Remarks advanceRemarks("nc-advance");

namespace {

/// Copies of the body of a loop around a pipelined one, at most, so that the
/// copies of its buffers come round.
constexpr int64_t mostTurns = 4;

class Advance : public kiln::compiler::nc::impl::NcAdvanceBase<Advance> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      // Only a loop around another loop, or around a pipelined one, has
      // something to overlap.
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
      AdvanceBody body(loop);
      const StringRef why =
          !trips       ? "the number of iterations is not a constant"
          : *trips < 2 ? "there is only one iteration"
          : loop.getNumResults() != 0 ? "the loop carries values"
                                      : body.whyNot();
      if (!why.empty()) {
        advanceRemarks.missed(loop, "NotAdvanced")
            << "the next iteration waits for the end of this one: " << why;
        continue;
      }
      advanceRemarks.passed(loop, "Advanced")
          << "the next iteration overlaps the end of this one";
      if (body.isPipelined())
        rewriteInTurns(loop, body, static_cast<int64_t>(*trips));
      else
        rewrite(loop, body, static_cast<int64_t>(*trips));
    }
  }

private:
  static void rewrite(scf::ForOp loop, const AdvanceBody &body, int64_t trips) {
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

  /// Buffers that the head passes on have a copy in each of a few iterations.
  /// The copies that nc-pipeline-loops made go on round from one iteration to
  /// the next, as if the inner loop went on. A loop around this one goes on
  /// where all `iterations` end.
  static Memory rotate(scf::ForOp loop, const AdvanceBody &body,
                       int64_t iterations) {
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
    for (AllocOp alloc : shared)
      if (auto copy = alloc->getAttrOfType<DenseI64ArrayAttr>(copyAttrName))
        alloc->setDiscardableAttr(
            copyAttrName,
            DenseI64ArrayAttr::get(
                alloc->getContext(),
                {copy[0], copy[1], goOn ? copy[2] * iterations : 0}));
    Memory memory;
    if (turns == 1 || !goOn)
      turns = 2;
    // What finishes an iteration meets the loads of the one after the next.
    if (body.finishesLater() && turns == 2)
      turns = goOn ? 4 : 3;
    memory.maps.resize(static_cast<size_t>(turns));
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

  static void rewriteInTurns(scf::ForOp loop, const AdvanceBody &body,
                             int64_t trips) {
    const Memory memory = rotate(loop, body, trips);
    const auto turns = static_cast<int64_t>(memory.maps.size());
    // No iteration precedes the first one.
    const int64_t begin = body.finishesLater() ? 1 : 0;
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
    // Copies iteration `i` and the head of the next one.
    const auto copyTurn = [&](auto copyOf, int64_t i, bool isFirst,
                              bool isLast) {
      if (!isLast)
        copyOf(Part::loads, i + 1);
      if (!body.finishesLater()) {
        copyOf(Part::rest, i);
      } else {
        copyOf(Part::middle, i);
        if (!isFirst)
          copyOf(Part::finish, i - 1);
        copyOf(Part::tail, i);
      }
      if (!isLast)
        copyOf(Part::head, i + 1);
    };
    copyAt(Part::loads, 0);
    copyAt(Part::head, 0);
    if (begin > 0)
      copyTurn(copyAt, 0, /*isFirst=*/true, /*isLast=*/trips == 1);
    const int64_t looped =
        std::max<int64_t>(trips - 1 - begin, 0) / turns * turns;
    if (looped > 0) {
      auto made = scf::ForOp::create(
          builder, where, constant(first + step * begin),
          constant(first + step * (begin + looped)), constant(turns * step));
      if (Attribute source = loop->getDiscardableAttr(sourceAttrName))
        made->setDiscardableAttr(sourceAttrName, source);
      OpBuilder inside(made.getBody()->getTerminator());
      const auto copyInside = [&](Part part, int64_t iteration) {
        const int64_t turn = step * (iteration - begin);
        Value index = made.getInductionVar();
        if (turn != 0)
          index = affine::AffineApplyOp::create(
              inside, where,
              AffineMap::get(1, 0, inside.getAffineDimExpr(0) + turn),
              ValueRange{index});
        body.copy(inside, part, index, /*absolute=*/false, turn,
                  memory.of(iteration));
      };
      for (int64_t i = begin; i < begin + turns; ++i)
        copyTurn(copyInside, i, /*isFirst=*/false, /*isLast=*/false);
    }
    for (int64_t i = begin + looped; i < trips; ++i)
      copyTurn(copyAt, i, /*isFirst=*/i == 0, /*isLast=*/i + 1 == trips);
    if (body.finishesLater())
      copyAt(Part::finish, trips - 1);
    loop.erase();
  }
};

} // namespace
