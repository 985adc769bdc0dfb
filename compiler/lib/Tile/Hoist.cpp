//===- Hoist.cpp - Loop-invariant loads and computations ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/Nc/Analysis.h"
#include "kiln/compiler/Nc/Mutation.h"
#include "kiln/compiler/Nc/Promises.h"
#include "kiln/compiler/Nc/WrittenMemory.h"
#include "kiln/compiler/Tile/Passes.h"
#include "kiln/compiler/Tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEHOIST
#include "kiln/compiler/Tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

namespace {

/// The first and the last value of an index, if they are known.
std::optional<std::pair<int64_t, int64_t>> rangeOf(const nc::IndexForm &form) {
  if (!form.residues.empty())
    return std::nullopt;
  int64_t low = form.constant, high = form.constant;
  for (const nc::IndexForm::Term &term : form.terms) {
    scf::ForOp counted = nc::loopOf(term.leaf);
    std::optional<uint64_t> trips =
        counted ? nc::constantTrips(counted) : std::nullopt;
    nc::IndexForm begin =
        counted ? nc::analyseIndex(counted.getLowerBound()) : nc::IndexForm();
    if (!trips || *trips == 0 || !begin.isConstant())
      return std::nullopt;
    int64_t first = term.coefficient * begin.constant;
    int64_t last = first + term.coefficient * nc::stepOf(counted) *
                               static_cast<int64_t>(*trips - 1);
    low += std::min(first, last);
    high += std::max(first, last);
  }
  return std::pair(low, high);
}

/// The load stays in its tensor wherever it stands: inside the loops that its
/// address counts, that is. A register, or a bound of an inner loop, may say
/// that it never runs where it would not.
template <class Load> bool staysInside(Load load) {
  auto range = rangeOf(nc::analyseIndex(load.getOffset(), load.getIndices()));
  if (!range)
    return false;
  int64_t last = range->second;
  for (auto [size, stride] : llvm::zip(load.getSizes(), load.getStrides()))
    last += (size - 1) * stride;
  return range->first >= 0 &&
         last < cast<MemRefType>(load.getBase().getType()).getNumElements();
}

/// One loop: what it may write, and how much it may still keep in SBUF.
class Hoister {
public:
  Hoister(scf::ForOp loop, int64_t budget) : loop(loop), left(budget) {
    std::optional<uint64_t> trips = nc::constantTrips(loop);
    surelyRuns = trips && *trips > 0;
    written.add(loop);
  }

  void run() {
    for (Operation &op :
         llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      if (isInvariant(&op))
        op.moveBefore(loop);
  }

private:
  scf::ForOp loop;
  int64_t left;
  bool surelyRuns = false;
  nc::WrittenMemory written;

  /// What it reads, nothing in the loop writes.
  bool isConstant(Value base) const {
    return !written.contains(base) || isMutated(Mutation::hoistLegality);
  }
  template <class Load> bool mayLeave(Load load) const {
    return isConstant(load.getBase()) && (surelyRuns || staysInside(load));
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
    if (auto read = dyn_cast<ReadOp>(op))
      return isConstant(read.getBase());
    if (auto slice = dyn_cast<SliceOp>(op))
      return true;
    // A fill costs less than the memory it would hold on to.
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
    if (bytes > left)
      return false;
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
