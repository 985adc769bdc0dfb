//===- JamProfit.cpp - What side by side would cost and gain -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JamProfit.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/machine/dma_plan.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Iterations of a chain that fill and drain a software pipeline in a small
/// part of their time.
static constexpr uint64_t leastTrips = 8;
/// Columns of products in all of them: their time, by which the time to fill
/// and to drain is measured.
static constexpr int64_t leastColumns = 8192;
/// Iterations of a chain that end before they overlap.
static constexpr uint64_t mostUnrolled = 2;

bool kiln::compiler::tile::carriesValue(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> assigned;
  loop.walk([&](AssignOp op) {
    if (!loop.getBodyRegion().isAncestor(op.getBase().getParentRegion()))
      assigned.insert(op.getBase());
  });
  bool carried = false;
  loop.walk([&](ReadOp op) { carried |= assigned.contains(op.getBase()); });
  return carried;
}

bool kiln::compiler::tile::isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

static int64_t bytesOfValue(Value value) {
  auto type = dyn_cast<TileType>(value.getType());
  return type ? tile::bytesPerPartition(type) : 0;
}

int64_t kiln::compiler::tile::bytesOf(scf::ForOp loop) {
  int64_t bytes = 0;
  loop.walk([&](Operation *op) {
    for (Value result : op->getResults())
      bytes += bytesOfValue(result);
  });
  return bytes;
}

int64_t kiln::compiler::tile::banksOf(scf::ForOp loop) {
  int64_t banks = 0;
  for (Operation &op : loop.getBody()->without_terminator())
    if (mlir::isa<MatmulOp, TransposeOp>(op))
      banks += llvm::divideCeil(bytesOfValue(op.getResult(0)),
                                kiln::isa::psumBankBytes);
  return banks;
}

int64_t kiln::compiler::tile::firstBanksOf(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> assigned;
  loop.walk([&](AssignOp op) {
    if (!loop.getBodyRegion().isAncestor(op.getBase().getParentRegion()))
      assigned.insert(op.getBase());
  });
  // Operations that depend on carried values, and operations that lead to a
  // product.
  llvm::SmallDenseSet<Operation *> waits, leads;
  Block &body = *loop.getBody();
  for (Operation &op : body) {
    auto read = dyn_cast<ReadOp>(op);
    if ((read && assigned.contains(read.getBase())) ||
        llvm::any_of(op.getOperands(), [&](Value operand) {
          return waits.contains(operand.getDefiningOp());
        }))
      waits.insert(&op);
  }
  int64_t banks = 0;
  for (Operation &op : llvm::reverse(body)) {
    const bool multiplies = mlir::isa<MatmulOp>(op);
    if (multiplies && leads.contains(&op) && !waits.contains(&op))
      banks += llvm::divideCeil(bytesOfValue(op.getResult(0)),
                                kiln::isa::psumBankBytes);
    if (leads.contains(&op) || (multiplies && waits.contains(&op)))
      for (Value operand : op.getOperands())
        if (Operation *made = operand.getDefiningOp())
          leads.insert(made);
  }
  return banks;
}

bool kiln::compiler::tile::overlapsAlone(scf::ForOp chain, scf::ForOp loop,
                                         int64_t budget) {
  const std::optional<uint64_t> trips = nc::constantTrips(chain);
  if (chain->getParentOp() != loop || !trips || *trips < leastTrips ||
      !nc::constantTrips(loop))
    return false;
  // Where the DMA engines do not transpose, what is loaded is transposed anew
  // for each of them.
  const bool transposes = kiln::machine::transposesByDma(nc::targetOf(chain));
  int64_t bytes = 0, columns = 0;
  bool multiplies = false;
  for (Operation &op : *chain.getBody()) {
    if (auto product = dyn_cast<MatmulOp>(op)) {
      multiplies = true;
      columns += tensorOf(product.getResult()).getDimSize(1);
    }
    if (mlir::isa<LoadTransposedOp>(op) && !transposes)
      return false;
    if (mlir::isa<LoadOp, LoadTransposedOp>(op))
      bytes += bytesOfValue(op.getResult(0));
  }
  const auto times = static_cast<int64_t>(*trips);
  return (!multiplies || columns * times >= leastColumns) &&
         bytes * times <= budget;
}

std::optional<std::string>
kiln::compiler::tile::whyNotUnrolled(scf::ForOp chain, scf::ForOp loop) {
  const std::optional<uint64_t> trips = nc::constantTrips(chain);
  if (!loop || chain->getParentOp() != loop || !trips ||
      *trips > mostUnrolled || !isInnermost(chain) || !carriesValue(chain) ||
      !kiln::machine::transposesByDma(nc::targetOf(chain)))
    return std::nullopt;
  if (!nc::analyseIndex(chain.getLowerBound()).isConstant() ||
      chain.getNumResults() != 0)
    return "its bounds depend on the loop around it";
  const std::optional<uint64_t> around = nc::constantTrips(loop);
  if (!around)
    return "the loop around it has an unknown number of iterations";
  if (*around < leastTrips)
    return "the loop around it has " + std::to_string(*around) +
           " iterations, and " + std::to_string(leastTrips) +
           " are needed to overlap them";
  int64_t banks = banksOf(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == chain)
      banks += banksOf(chain) * static_cast<int64_t>(*trips);
    else if (op.getNumRegions() != 0)
      return "the loop around it contains another loop";
  }
  if (banks > kiln::isa::psumBanks)
    return "one body with all of them takes " + std::to_string(banks) + " of " +
           std::to_string(kiln::isa::psumBanks) + " banks of PSUM";
  return "";
}

bool kiln::compiler::tile::unrolls(scf::ForOp chain, scf::ForOp loop) {
  const std::optional<std::string> why = whyNotUnrolled(chain, loop);
  return why && why->empty();
}
