//===- Hoist.cpp - Loop-invariant loads and computations ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/isa/kind_names.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEHOIST
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks hoistRemarks("tile-hoist");

namespace {

/// The first and the last value of an index, where they are known.
struct Range {
  std::optional<int64_t> low, high;
};

/// What lies deeper than `depth` is not known, so that it costs little.
Range rangeOf(Value value, int depth = 5);

Range rangeOf(AffineExpr expr, unsigned dims, unsigned symbols,
              ValueRange operands, int depth) {
  SmallVector<std::optional<int64_t>> low, high;
  for (Value operand : operands) {
    const Range range = rangeOf(operand, depth);
    low.push_back(range.low);
    high.push_back(range.high);
  }
  return {getBoundForAffineExpr(expr, dims, symbols, low, high, false),
          getBoundForAffineExpr(expr, dims, symbols, low, high, true)};
}

/// Of the least result or of the largest one.
template <class Extreme> Range rangeOfExtreme(Extreme op, int depth) {
  constexpr bool isMin = std::is_same_v<Extreme, affine::AffineMinOp>;
  AffineMap map = op.getAffineMap();
  Range all;
  bool first = true;
  for (AffineExpr expr : map.getResults()) {
    const Range range = rangeOf(expr, map.getNumDims(), map.getNumSymbols(),
                                op.getOperands(), depth);
    auto join = [&](std::optional<int64_t> &into, std::optional<int64_t> value,
                    bool oneIsEnough) {
      if (first || (oneIsEnough && !into))
        into = value;
      else if (into && value)
        into = isMin ? std::min(*into, *value) : std::max(*into, *value);
      else if (!oneIsEnough)
        into = std::nullopt;
    };
    join(all.low, range.low, !isMin);
    join(all.high, range.high, isMin);
    first = false;
  }
  return all;
}

Range rangeOf(Value value, int depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return {*constant, *constant};
  if (depth == 0)
    return {};
  if (scf::ForOp loop = nc::loopOf(value)) {
    const Range begin = rangeOf(loop.getLowerBound(), depth - 1);
    const Range end = rangeOf(loop.getUpperBound(), depth - 1);
    if (nc::stepOf(loop) <= 0)
      return {};
    return {begin.low, end.high ? std::optional(*end.high - 1) : std::nullopt};
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    return rangeOf(map.getResult(0), map.getNumDims(), map.getNumSymbols(),
                   apply.getOperands(), depth - 1);
  }
  if (auto least = dyn_cast_if_present<affine::AffineMinOp>(op))
    return rangeOfExtreme(least, depth - 1);
  if (auto most = dyn_cast_if_present<affine::AffineMaxOp>(op))
    return rangeOfExtreme(most, depth - 1);
  return {};
}

/// The load stays in its tensor wherever it stands: inside the loops that its
/// address counts, that is. A register, or a bound of an inner loop, may
/// prevent it from running where it would be wrong.
template <class Load> bool staysInside(Load load) {
  AffineMap map = load.getOffset();
  const Range range = rangeOf(map.getResult(0), map.getNumDims(),
                              map.getNumSymbols(), load.getIndices(), 5);
  if (!range.low || !range.high)
    return false;
  int64_t first = *range.low, last = *range.high;
  for (auto [size, stride] : llvm::zip(load.getSizes(), load.getStrides()))
    (stride < 0 ? first : last) += (size - 1) * stride;
  return first >= 0 &&
         last < elementsSeen(load.getBase(), load.getResult().getType());
}

/// All of it is written before the kernel begins.
bool isGiven(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return false;
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto kind = func ? func.getArgAttrOfType<nc::ArgumentKindAttr>(
                         argument.getArgNumber(), nc::argumentKindAttrName)
                   : nc::ArgumentKindAttr();
  return kind && kind.getValue() != isa::ArgumentKind::output;
}

/// It may be uninitialised.
bool isReadOfBuffer(Value value) {
  while (auto slice = value.getDefiningOp<SliceOp>())
    value = slice.getOperand(0);
  return value.getDefiningOp<ReadOp>() != nullptr;
}

/// One loop: what it may write, and how much it may still keep in SBUF.
class Hoister {
public:
  Hoister(scf::ForOp loop, int64_t budget) : loop(loop), left(budget) {
    const Range begin = rangeOf(loop.getLowerBound()),
                end = rangeOf(loop.getUpperBound());
    std::optional<uint64_t> trips = nc::constantTrips(loop);
    if ((trips && *trips > 0) ||
        (begin.high && end.low && *begin.high < *end.low))
      runs = Runs::surely;
    else if (begin.low && end.high &&
             *end.high - *begin.low <= nc::stepOf(loop))
      runs = Runs::onceOrNot;
    written.add(loop);
  }

  void run() {
    for (Operation &op :
         llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      if (isInvariant(&op)) {
        if (mlir::isa<LoadOp, LoadTransposedOp>(op)) {
          const int64_t bytes = bytesPerPartition(tensorOf(op.getResult(0)));
          hoistRemarks.passed(&op, "Hoisted")
              << "the load moves in front of the loop: it occupies "
              << count("bytes", bytes) << noun(bytes, " byte")
              << " per partition in SBUF";
        }
        op.moveBefore(loop);
      }
  }

private:
  scf::ForOp loop;
  int64_t left;
  /// A loop of `when` runs once or not at all: moving out of it gains nothing,
  /// and may cost what the program wants to save.
  enum class Runs { surely, perhaps, onceOrNot } runs = Runs::perhaps;
  nc::WrittenMemory written;

  /// Nothing in the loop writes what it reads.
  bool isConstant(Value base) const {
    return !written.contains(base) || isMutated(Mutation::hoistLegality);
  }
  template <class Load> bool mayLeave(Load load) const {
    return isConstant(load.getBase()) &&
           (runs == Runs::surely ||
            (isGiven(load.getBase()) && staysInside(load)));
  }

  /// It can run where the program does not run it, without effect: no index
  /// leads outside, and no unwritten byte is read.
  static bool isHarmless(Operation *op) {
    return !mlir::isa<ReadOp, ApplyOp>(op) &&
           llvm::none_of(op->getOperands(), isReadOfBuffer);
  }

  bool isInvariant(Operation *op) {
    if (op->getNumRegions() != 0 || op->getNumResults() == 0 ||
        nc::isPromised(op) ||
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return loop.getBodyRegion().isAncestor(operand.getParentRegion());
        }))
      return false;
    if (op->getName().getDialectNamespace() != "tile")
      return isPure(op) && op->getName().getDialectNamespace() != "nc";
    if (runs == Runs::onceOrNot || (runs == Runs::perhaps && !isHarmless(op)))
      return false;
    if (auto read = dyn_cast<ReadOp>(op))
      return isConstant(read.getBase());
    if (auto slice = dyn_cast<SliceOp>(op))
      return true;
    // A fill costs less than the memory that it would keep.
    if (mlir::isa<FillOp>(op))
      return false;
    bool invariant = isPure(op);
    if (auto load = dyn_cast<LoadOp>(op))
      invariant = mayLeave(load);
    if (auto load = dyn_cast<LoadTransposedOp>(op))
      invariant = mayLeave(load);
    if (!invariant)
      return false;
    int64_t bytes = 0;
    for (Value result : op->getResults())
      bytes += bytesPerPartition(tensorOf(result));
    if (bytes > left) {
      hoistRemarks.missed(op, "NotHoisted")
          << "it is the same in every iteration, but its "
          << count("bytes", bytes) << " bytes per partition exceed the "
          << measure("left", left)
          << " that are left of what a loop may keep in SBUF";
      return false;
    }
    left -= bytes;
    return true;
  }
};

struct TileHoistPass : tile::impl::TileHoistBase<TileHoistPass> {
  using TileHoistBase::TileHoistBase;
  void runOnOperation() override {
    // Inner loops first, so that a value may leave several of them.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Hoister(loop, budget).run();
  }
};

} // namespace
