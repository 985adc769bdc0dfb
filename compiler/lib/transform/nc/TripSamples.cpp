//===- TripSamples.cpp - How often a loop in a loop runs ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripSamples.h"

#include "kiln/compiler/dialect/nc/Analysis.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace kiln::compiler::nc;

namespace {

/// Iterations of the loops around it that are sampled.
constexpr uint64_t mostSamples = 64;

/// Values of indices where the counters have these values.
class Evaluator {
public:
  llvm::MapVector<Value, int64_t> counters;

  std::optional<int64_t> at(Value value) const {
    if (const auto *known = counters.find(value); known != counters.end())
      return known->second;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    Operation *op = value.getDefiningOp();
    if (auto apply = dyn_cast_if_present<affine::AffineApplyOp>(op)) {
      const auto all = at(apply.getAffineMap(), apply.getMapOperands());
      return all.empty() ? std::nullopt : std::optional(all.front());
    }
    if (auto least = dyn_cast_if_present<affine::AffineMinOp>(op)) {
      const auto all = at(least.getMap(), least.getOperands());
      return all.empty() ? std::nullopt
                         : std::optional(*llvm::min_element(all));
    }
    if (auto most = dyn_cast_if_present<affine::AffineMaxOp>(op)) {
      const auto all = at(most.getMap(), most.getOperands());
      return all.empty() ? std::nullopt
                         : std::optional(*llvm::max_element(all));
    }
    if (!mlir::isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return std::nullopt;
    const auto a = at(op->getOperand(0)), b = at(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return mlir::isa<arith::AddIOp>(op)   ? *a + *b
           : mlir::isa<arith::SubIOp>(op) ? *a - *b
                                          : *a * *b;
  }

private:
  /// All results; none if one is not known.
  SmallVector<int64_t, 2> at(AffineMap map, ValueRange operands) const {
    SmallVector<Attribute, 4> constants;
    Builder builder(map.getContext());
    for (Value operand : operands) {
      const std::optional<int64_t> value = at(operand);
      if (!value)
        return {};
      constants.push_back(builder.getIndexAttr(*value));
    }
    SmallVector<Attribute, 2> results;
    if (failed(map.constantFold(constants, results)))
      return {};
    SmallVector<int64_t, 2> values;
    for (Attribute result : results)
      values.push_back(cast<IntegerAttr>(result).getInt());
    return values;
  }
};

} // namespace

std::vector<uint64_t> kiln::compiler::nc::sampledTrips(scf::ForOp loop) {
  SmallVector<std::pair<scf::ForOp, uint64_t>, 3> around;
  uint64_t most = 1;
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer;
       outer = outer->getParentOfType<scf::ForOp>()) {
    const std::optional<uint64_t> trips = constantTrips(outer);
    if (!trips || *trips == 0)
      return {};
    around.emplace_back(outer, *trips);
    most = std::max(most, *trips);
  }
  const uint64_t count = std::min(most, mostSamples);
  std::vector<uint64_t> samples;
  for (uint64_t i = 0; i < count; ++i) {
    Evaluator evaluator;
    for (auto [outer, trips] : around) {
      const auto turn = static_cast<int64_t>(trips * i / count);
      const std::optional<int64_t> begin = evaluator.at(outer.getLowerBound());
      if (!begin)
        return {};
      evaluator.counters[outer.getInductionVar()] =
          *begin + turn * stepOf(outer);
    }
    const std::optional<int64_t> begin = evaluator.at(loop.getLowerBound()),
                                 end = evaluator.at(loop.getUpperBound());
    if (!begin || !end)
      return {};
    const int64_t step = stepOf(loop);
    samples.push_back(
        *end <= *begin ? 0
                       : static_cast<uint64_t>((*end - *begin - 1) / step) + 1);
    if (constantTrips(loop))
      break;
  }
  return samples;
}

uint64_t kiln::compiler::nc::meanTrips(const std::vector<uint64_t> &samples) {
  return samples.empty()
             ? 0
             : std::accumulate(samples.begin(), samples.end(), uint64_t{0}) /
                   samples.size();
}
