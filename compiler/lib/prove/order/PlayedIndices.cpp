//===- PlayedIndices.cpp - Index values at one moment of the play ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlayedIndices.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/isa/access.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

static int64_t clamped(int64_t value) {
  return std::clamp(value, -Amount::most, Amount::most);
}

/// Neither of them is beyond Amount::most.
static int64_t plus(int64_t a, int64_t b) { return clamped(a + b); }

static int64_t times(int64_t a, int64_t b) {
  int64_t result = 0;
  if (llvm::MulOverflow(a, b, result))
    return (a < 0) == (b < 0) ? Amount::most : -Amount::most;
  return clamped(result);
}

//===----------------------------------------------------------------------===//
// Unknowns
//===----------------------------------------------------------------------===//

namespace {
/// First words of the keys of unknowns.
enum Kind : int64_t {
  opaqueValue,
  loadedValue,
  loadedGroup,
  ownRank,
  leastOf,
  mostOf,
  expression, ///< And more: the kinds of affine expressions.
};
} // namespace

uint32_t PlayedIndices::numberOf(Terms terms) {
  if (terms.empty())
    return 0;
  auto [entry, fresh] =
      sumNumbers.try_emplace(terms, static_cast<uint32_t>(sums.size()));
  if (fresh)
    sums.push_back(std::move(terms));
  return entry->second;
}

Amount PlayedIndices::named(std::vector<int64_t> key, int64_t low,
                            int64_t high) {
  if (low == high)
    return Amount::of(low);
  auto number =
      unknowns
          .try_emplace(std::move(key), static_cast<uint32_t>(unknowns.size()))
          .first->second;
  return {0, numberOf({{number, 1}}), low, high};
}

Amount PlayedIndices::sum(const Amount &a, const Amount &b) {
  Amount result{plus(a.constant, b.constant), 0, plus(a.low, b.low),
                plus(a.high, b.high)};
  if (a.isKnown() || b.isKnown()) {
    result.unknown = a.unknown + b.unknown;
    return result;
  }
  Terms terms;
  const Terms &x = sums[a.unknown], &y = sums[b.unknown];
  for (size_t i = 0, k = 0; i < x.size() || k < y.size();) {
    if (k == y.size() || (i < x.size() && x[i].first < y[k].first)) {
      terms.push_back(x[i++]);
    } else if (i == x.size() || y[k].first < x[i].first) {
      terms.push_back(y[k++]);
    } else {
      if (int64_t factor = plus(x[i].second, y[k].second))
        terms.emplace_back(x[i].first, factor);
      ++i, ++k;
    }
  }
  result.unknown = numberOf(std::move(terms));
  if (result.isKnown())
    result.low = result.high = result.constant;
  return result;
}

Amount PlayedIndices::product(const Amount &a, int64_t factor) {
  if (a.isKnown() || factor == 0)
    return Amount::of(times(a.constant, factor));
  if (factor == 1)
    return a;
  Terms terms = sums[a.unknown];
  for (auto &term : terms)
    term.second = times(term.second, factor);
  const auto [low, high] =
      std::minmax({times(a.low, factor), times(a.high, factor)});
  return {times(a.constant, factor), numberOf(std::move(terms)), low, high};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Amount PlayedIndices::binary(AffineExprKind kind, const Amount &a,
                             const Amount &b) {
  if (kind == AffineExprKind::Add)
    return sum(a, b);
  if (kind == AffineExprKind::Mul && b.isKnown())
    return product(a, b.constant);
  if (kind == AffineExprKind::Mul && a.isKnown())
    return product(b, a.constant);
  int64_t low = -Amount::most, high = Amount::most;
  if (kind == AffineExprKind::Mul) {
    std::tie(low, high) =
        std::minmax({times(a.low, b.low), times(a.low, b.high),
                     times(a.high, b.low), times(a.high, b.high)});
  } else if (b.isKnown() && b.constant > 0) {
    int64_t divisor = b.constant;
    if (kind == AffineExprKind::Mod) {
      if (a.isKnown())
        return Amount::of(llvm::mod(a.constant, divisor));
      if (a.low >= 0 && a.high < divisor)
        return a;
      low = 0;
      high = divisor - 1;
    } else {
      bool up = kind == AffineExprKind::CeilDiv;
      low = up ? llvm::divideCeilSigned(a.low, divisor)
               : llvm::divideFloorSigned(a.low, divisor);
      high = up ? llvm::divideCeilSigned(a.high, divisor)
                : llvm::divideFloorSigned(a.high, divisor);
    }
  }
  return named({expression + static_cast<int64_t>(kind), a.constant, a.unknown,
                b.constant, b.unknown},
               low, high);
}

Amount PlayedIndices::read(AffineExpr expr, AffineMap map,
                           ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Amount::of(clamped(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return at(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return at(operands[map.getNumDims() + symbol.getPosition()]);
  auto both = cast<AffineBinaryOpExpr>(expr);
  return binary(expr.getKind(), read(both.getLHS(), map, operands),
                read(both.getRHS(), map, operands));
}

Amount PlayedIndices::at(AffineMap map, ValueRange operands) {
  return read(map.getResult(0), map, operands);
}

Amount PlayedIndices::extremum(AffineMap map, ValueRange operands, bool least) {
  std::vector<int64_t> key{least ? leastOf : mostOf};
  int64_t low = 0, high = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    Amount part = read(expr, map, operands);
    key.insert(key.end(), {part.constant, int64_t(part.unknown)});
    auto better = [&](int64_t a, int64_t b) {
      return i == 0 ? b : least ? std::min(a, b) : std::max(a, b);
    };
    low = better(low, part.low);
    high = better(high, part.high);
  }
  return named(std::move(key), low, high);
}

/// Anything but arithmetic is identified by its operands.
Amount PlayedIndices::compute(Operation *op, Value value) {
  int64_t low = std::numeric_limits<int32_t>::min(),
          high = std::numeric_limits<int32_t>::max();
  auto number = numbers.try_emplace(value, numbers.size()).first->second;
  if (auto load = dyn_cast_if_present<RegisterLoadOp>(op)) {
    isa::DType dtype = accessShape(load.getSrc()).dtype;
    if (dtype == isa::DType::u8 || dtype == isa::DType::u16)
      low = 0;
    unsigned bits = isa::sizeInBytes(dtype) * 8;
    if (dtype == isa::DType::i8 || dtype == isa::DType::i16)
      low = -(int64_t(1) << (bits - 1));
    if (bits < 32 && !isa::isFloat(dtype))
      high = (int64_t(1) << (low < 0 ? bits - 1 : bits)) - 1;
    int64_t execution = loads.lookup(value);
    return load.getGroup()
               ? named({loadedGroup, static_cast<int64_t>(*load.getGroup()),
                        execution},
                       low, high)
               : named({loadedValue, number, execution}, low, high);
  }
  if (llvm::isa_and_present<RankIdOp>(op))
    return named({ownRank}, 0, isa::maxRanks - 1);
  std::vector<int64_t> key{opaqueValue, number};
  for (Value operand : op ? op->getOperands() : ValueRange()) {
    Amount part = at(operand);
    key.insert(key.end(), {part.constant, int64_t(part.unknown)});
  }
  if (llvm::isa_and_present<RingRankOp>(op)) {
    low = 0;
    high = isa::maxRanks - 1;
  }
  return named(std::move(key), low, high);
}

void PlayedIndices::narrow(Value value, int64_t low, int64_t high) {
  values[value] = compute(nullptr, value);
  values[value].low = low;
  values[value].high = std::max(low, high);
}

void PlayedIndices::load(RegisterLoadOp op) {
  ++loads[op.getDst()];
  values[op.getDst()] = compute(op, op.getDst());
}

Amount PlayedIndices::at(Value value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Amount::of(clamped(constant.getSExtValue()));
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op))
    return at(apply.getAffineMap(), apply.getMapOperands());
  if (auto least = dyn_cast_if_present<affine::AffineMinOp>(op))
    return extremum(least.getMap(), least.getOperands(), true);
  if (auto most = dyn_cast_if_present<affine::AffineMaxOp>(op))
    return extremum(most.getMap(), most.getOperands(), false);
  if (llvm::isa_and_present<arith::AddIOp>(op))
    return sum(at(op->getOperand(0)), at(op->getOperand(1)));
  if (llvm::isa_and_present<arith::SubIOp>(op))
    return sum(at(op->getOperand(0)), product(at(op->getOperand(1)), -1));
  if (llvm::isa_and_present<arith::MulIOp>(op))
    return binary(AffineExprKind::Mul, at(op->getOperand(0)),
                  at(op->getOperand(1)));
  return compute(op, value);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

PlayedIndices::Bounds PlayedIndices::boundsOf(scf::ForOp loop) {
  Bounds bounds;
  bounds.begin = at(loop.getLowerBound());
  bounds.end = at(loop.getUpperBound());
  Amount step = at(loop.getStep());
  if (!step.isKnown() || step.constant <= 0)
    return bounds;
  bounds.step = step.constant;
  auto tripsOver = [&](int64_t span) {
    return span <= 0 ? 0 : (span - 1) / step.constant + 1;
  };
  const Amount back = product(bounds.begin, -1);
  int64_t span = sum(bounds.end, back).high;
  // `min(i + 1, n)` is at most one more than `i`.
  if (auto least = loop.getUpperBound().getDefiningOp<affine::AffineMinOp>())
    for (AffineExpr expr : least.getMap().getResults())
      span = std::min(
          span,
          sum(read(expr, least.getMap(), least.getOperands()), back).high);
  bounds.mostTrips = tripsOver(span);
  if (loop->hasAttr(onceAttrName))
    bounds.mostTrips = std::min<int64_t>(bounds.mostTrips, 1);
  if (bounds.begin.isKnown() && bounds.end.isKnown())
    bounds.trips = tripsOver(bounds.end.constant - bounds.begin.constant);
  return bounds;
}
