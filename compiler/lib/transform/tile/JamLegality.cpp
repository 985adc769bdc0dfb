//===- JamLegality.cpp - Iterations that may run side by side -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JamLegality.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/tile/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

namespace {

/// Products of divisors beyond this are not examined.
constexpr int64_t maxPeriod = 4096;

/// An expression of one counter repeats, but for a constant, after this many
/// steps; nothing if it is not a sum of floors and remainders by constants.
std::optional<int64_t> periodOf(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  std::optional<int64_t> lhs = periodOf(binary.getLHS());
  std::optional<int64_t> rhs = periodOf(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t period = *lhs * *rhs;
  switch (binary.getKind()) {
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
  case AffineExprKind::Mod: {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor || divisor.getValue() <= 0)
      return std::nullopt;
    period *= divisor.getValue();
    break;
  }
  default:
    break;
  }
  return period <= maxPeriod ? std::optional(period) : std::nullopt;
}

/// Splits a sum.
void addends(AffineExpr expr, SmallVectorImpl<AffineExpr> &parts) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Add) {
    parts.push_back(expr);
    return;
  }
  addends(binary.getLHS(), parts);
  addends(binary.getRHS(), parts);
}

/// Bytes of an HBM tensor, with the part that counts `loop` apart.
struct WrittenBytes {
  int64_t coefficient = 0, low = 0, high = 0;
};

/// What a store writes while `loop` stands still; nothing if it is unknown.
std::optional<WrittenBytes> windowOf(StoreOp store, scf::ForOp loop) {
  nc::IndexForm form = nc::analyseIndex(store.getOffset(), store.getIndices());
  if (!form.residues.empty())
    return std::nullopt;
  WrittenBytes window;
  window.low = window.high = form.constant;
  auto reach = [&](int64_t distance) {
    (distance < 0 ? window.low : window.high) += distance;
  };
  for (const nc::IndexForm::Term &term : form.terms) {
    if (term.leaf == loop.getInductionVar()) {
      window.coefficient += term.coefficient;
      continue;
    }
    if (!loop.getBodyRegion().isAncestor(Value(term.leaf).getParentRegion()))
      continue; // The same in every iteration.
    scf::ForOp inner = nc::loopOf(term.leaf);
    std::optional<uint64_t> trips =
        inner ? nc::constantTrips(inner) : std::nullopt;
    nc::IndexForm begin =
        inner ? nc::analyseIndex(inner.getLowerBound()) : nc::IndexForm();
    if (!trips || !begin.isConstant())
      return std::nullopt;
    window.low += term.coefficient * begin.constant;
    window.high += term.coefficient * begin.constant;
    if (*trips > 0)
      reach(term.coefficient * nc::stepOf(inner) *
            static_cast<int64_t>(*trips - 1));
  }
  for (auto [size, stride] : llvm::zip(store.getSizes(), store.getStrides()))
    reach((size - 1) * stride);
  // Stores to one tensor may see it as elements of different types.
  const int64_t bytes = kiln::isa::sizeInBytes(
      nc::dtypeOf(tensorOf(store.getValue()).getElementType())
          .value_or(kiln::isa::DType::f32));
  window.coefficient *= bytes;
  window.low *= bytes;
  window.high = (window.high + 1) * bytes - 1;
  return window;
}

} // namespace

bool JamGroup::sameInGroup(AffineExpr expr, unsigned dims, unsigned dim) const {
  std::optional<int64_t> period = periodOf(expr);
  if (!period)
    return false;
  MLIRContext *context = expr.getContext();
  auto at = [&](int64_t iteration) -> std::optional<int64_t> {
    SmallVector<AffineExpr> values(dims, getAffineConstantExpr(0, context));
    values[dim] = getAffineConstantExpr(begin + step * iteration, context);
    auto value = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDimsAndSymbols(values, {}), dims, 0));
    return value ? std::optional(value.getValue()) : std::nullopt;
  };
  for (int64_t first = 0; first < *period * factor; first += factor) {
    std::optional<int64_t> value = at(first);
    for (int64_t other = 1; other < factor; ++other)
      if (!value || at(first + other) != value)
        return false;
  }
  return true;
}

bool JamGroup::invariant(Value value) const {
  if (value == loop.getInductionVar())
    return false;
  if (!loop.getBodyRegion().isAncestor(value.getParentRegion()))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def) // The counter of a loop inside: equal where its bounds are.
    return true;
  if (mlir::isa<arith::ConstantOp>(def))
    return true;
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(def))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(def))
    map = max.getAffineMap();
  else
    return false;
  SmallVector<Value> operands(def->getOperands());
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  if (map.getNumSymbols() != 0)
    return llvm::all_of(operands, [&](Value v) { return invariant(v); });
  std::optional<unsigned> counter;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand == loop.getInductionVar())
      counter = static_cast<unsigned>(i);
    else if (!invariant(operand))
      return false;
  }
  if (!counter)
    return true;
  for (AffineExpr result : map.getResults()) {
    SmallVector<AffineExpr> parts;
    addends(result, parts);
    AffineExpr sum = getAffineConstantExpr(0, value.getContext());
    for (AffineExpr part : parts) {
      if (!part.isFunctionOfDim(*counter))
        continue;
      for (unsigned other = 0; other < operands.size(); ++other)
        if (other != *counter && part.isFunctionOfDim(other))
          return false;
      sum = sum + part;
    }
    if (!sameInGroup(sum, map.getNumDims(), *counter))
      return false;
  }
  return true;
}

bool tile::iterationsAreIndependent(scf::ForOp loop) {
  auto inside = [&](Value value) {
    return loop.getBodyRegion().isAncestor(value.getParentRegion());
  };
  llvm::MapVector<Value, SmallVector<WrittenBytes, 1>> written;
  llvm::SmallDenseSet<Value> read;
  WalkResult walked = loop.walk([&](Operation *op) -> WalkResult {
    if (nc::isPromised(op))
      return WalkResult::interrupt(); // It keeps its place among iterations.
    if (auto store = dyn_cast<StoreOp>(op)) {
      std::optional<WrittenBytes> window = windowOf(store, loop);
      if (!window)
        return WalkResult::interrupt();
      written[store.getBase()].push_back(*window);
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      if (!inside(assign.getBase()))
        return WalkResult::interrupt();
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      read.insert(load.getBase());
    } else if (auto load = dyn_cast<LoadTransposedOp>(op)) {
      read.insert(load.getBase());
    } else if (auto declare = dyn_cast<DeclareOp>(op)) {
      if (declare.getPinByte() || declare.getRing())
        return WalkResult::interrupt(); // Memory that the program arranges.
    } else if (auto apply = dyn_cast<ApplyOp>(op); apply && !isPure(op)) {
      return WalkResult::interrupt(); // Draws are in order.
    } else if (op->getName().getDialectNamespace() == "nc") {
      return WalkResult::interrupt(); // So is instruction-level code.
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return false;
  for (const auto &[base, windows] : written) {
    if (read.contains(base))
      return false;
    int64_t low = windows.front().low, high = windows.front().high;
    for (const WrittenBytes &window : windows) {
      if (window.coefficient != windows.front().coefficient)
        return false;
      low = std::min(low, window.low);
      high = std::max(high, window.high);
    }
    if (std::abs(windows.front().coefficient) * nc::stepOf(loop) <= high - low)
      return false;
  }
  return true;
}
