//===- IndexArithmetic.cpp - Index values in registers -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamEmitter.h"

#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/Verify.h"
#include "kiln/compiler/support/StableSort.h"
#include "kiln/isa/register_alu.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
namespace isa = kiln::isa;

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

static int64_t fold(isa::RegisterOp op, int64_t a, int64_t b) {
  switch (op) {
  case isa::RegisterOp::add:
    return a + b;
  case isa::RegisterOp::subtract:
    return a - b;
  case isa::RegisterOp::multiply:
    return a * b;
  case isa::RegisterOp::floor_divide:
    return floorDivide(a, b);
  case isa::RegisterOp::modulo:
    return a - b * floorDivide(a, b);
  case isa::RegisterOp::minimum:
    return std::min(a, b);
  case isa::RegisterOp::maximum:
    return std::max(a, b);
  default: // Comparisons: the sign of the difference decides.
    return isa::computeRegister(op, isa::RegisterType::i32,
                                a < b ? -1 : static_cast<int>(a > b), 0)
        .value_or(0);
  }
}

Scalar StreamEmitter::alu(isa::RegisterOp op, Scalar a, Scalar b) {
  if (!a.reg && !b.reg)
    return {std::nullopt, fold(op, a.value, b.value)};
  bool adds = op == isa::RegisterOp::add;
  if (adds && !a.reg && a.value == 0)
    return b;
  if ((adds || op == isa::RegisterOp::subtract) && !b.reg && b.value == 0)
    return a;
  bool scales =
      op == isa::RegisterOp::multiply || op == isa::RegisterOp::floor_divide;
  if (scales && !b.reg && b.value == 1)
    return a;
  for (const Scalar &operand : {a, b})
    if (!operand.reg && !fitsRegister(operand.value)) {
      error("KILN-C107", "index arithmetic needs the constant ")
          << operand.value << "; registers have 32 bits";
      return {};
    }
  std::tuple key{static_cast<int>(op), a.reg ? int64_t(*a.reg) : -1, a.value,
                 b.reg ? int64_t(*b.reg) : -1, b.value};
  if (auto it = computed.find(key); it != computed.end())
    return {it->second, 0};
  size_t level = std::max(levelOf(a), levelOf(b));
  unsigned result = newRegister(level);
  SmallVector<unsigned, 2> registers{result};
  isa::RegisterAlu body;
  body.op = op;
  body.a = operandOf(a, registers);
  body.b = operandOf(b, registers);
  append(level, body, std::move(registers));
  computed[key] = result;
  levels[level].keys.push_back(key);
  return {result, 0};
}

Scalar StreamEmitter::ownRank() {
  if (!rank) {
    rank = newRegister(0);
    append(0, isa::RankId{}, {*rank});
  }
  return {rank, 0};
}

Scalar StreamEmitter::ringRank(nc::RingRankOp op) {
  const Scalar step = valueOf(op.getIteration());
  const size_t level = levelOf(step);
  const unsigned result = newRegister(level);
  SmallVector<unsigned, 2> registers{result};
  isa::CurrentProcessingRankId body;
  body.iteration_id = operandOf(step, registers);
  body.replica_group = nc::rankListsOf(op.getReplicaGroup());
  body.channel_id = static_cast<std::int32_t>(op.getChannelId());
  append(level, std::move(body), std::move(registers));
  counters[op.getDst()] = result;
  return {result, 0};
}

Scalar StreamEmitter::valueOf(Value value) {
  if (auto it = counters.find(value); it != counters.end())
    return {it->second, 0};
  if (value.getDefiningOp<nc::RankIdOp>())
    return ownRank();
  if (auto ring = value.getDefiningOp<nc::RingRankOp>())
    return ringRank(ring);
  if (auto load = value.getDefiningOp<nc::RegisterLoadOp>()) {
    auto it = loaded.find(static_cast<int64_t>(load.getGroup().value_or(-1)));
    if (it != loaded.end())
      return {it->second, 0};
    internalError("a register is not loaded in this stream; "
                  "nc-replicate-registers comes before emission");
    return {};
  }
  if (auto entry = value.getDefiningOp<nc::WhileEntryOp>())
    return valueOf(entry.getCondition());
  if (auto min = value.getDefiningOp<affine::AffineMinOp>())
    return extremum(min.getAffineMap(), min.getOperands(),
                    isa::RegisterOp::minimum);
  if (auto max = value.getDefiningOp<affine::AffineMaxOp>())
    return extremum(max.getAffineMap(), max.getOperands(),
                    isa::RegisterOp::maximum);
  auto binary = [&](isa::RegisterOp op) {
    Operation *def = value.getDefiningOp();
    return alu(op, valueOf(def->getOperand(0)), valueOf(def->getOperand(1)));
  };
  if (value.getDefiningOp<arith::MinSIOp>())
    return binary(isa::RegisterOp::minimum);
  if (value.getDefiningOp<arith::MaxSIOp>())
    return binary(isa::RegisterOp::maximum);
  if (value.getDefiningOp<arith::FloorDivSIOp>())
    return binary(isa::RegisterOp::floor_divide);
  if (value.getDefiningOp<arith::MulIOp>() &&
      !nc::analyseIndex(value).isConstant() &&
      nc::analyseIndex(value).leaves == SmallVector<Value, 2>{value})
    return binary(isa::RegisterOp::multiply);
  nc::IndexForm form = nc::analyseIndex(value);
  if (form.leaves.size() == 1 && form.leaves.front() == value) {
    error("KILN-C114",
          "an index value is computed by an operation that registers do not "
          "have; use affine.apply, affine.min, affine.max or arith");
    return {};
  }
  return valueOf(form);
}

Scalar StreamEmitter::valueOf(const nc::IndexForm &form) {
  // Outer parts first, so that partial sums stay outside.
  SmallVector<std::pair<Scalar, int64_t>> parts;
  for (const nc::IndexForm::Term &term : form.terms)
    parts.emplace_back(valueOf(term.leaf), term.coefficient);
  for (const nc::IndexForm::Residue &residue : form.residues)
    parts.emplace_back(valueOf(residue.expr, form.leaves), residue.coefficient);
  stableSort(parts, [&](const auto &a, const auto &b) {
    return levelOf(a.first) < levelOf(b.first);
  });
  Scalar sum{std::nullopt, form.constant};
  for (const auto &[scalar, coefficient] : parts)
    sum = coefficient == -1 ? alu(isa::RegisterOp::subtract, sum, scalar)
                            : alu(isa::RegisterOp::add,
                                  alu(isa::RegisterOp::multiply, scalar,
                                      Scalar{std::nullopt, coefficient}),
                                  sum);
  return sum;
}

Scalar StreamEmitter::valueOf(AffineExpr expr, ArrayRef<Value> leaves) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {std::nullopt, constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return valueOf(leaves[dim.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Scalar lhs = valueOf(binary.getLHS(), leaves);
  Scalar rhs = valueOf(binary.getRHS(), leaves);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return alu(isa::RegisterOp::add, lhs, rhs);
  case AffineExprKind::Mul:
    return alu(isa::RegisterOp::multiply, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return alu(isa::RegisterOp::floor_divide, lhs, rhs);
  case AffineExprKind::CeilDiv:
    // ceil(a / b) = floor((a + b - 1) / b) for b > 0.
    return alu(
        isa::RegisterOp::floor_divide,
        alu(isa::RegisterOp::add, lhs,
            alu(isa::RegisterOp::subtract, rhs, Scalar{std::nullopt, 1})),
        rhs);
  default:
    return alu(isa::RegisterOp::modulo, lhs, rhs);
  }
}

Scalar StreamEmitter::extremum(AffineMap map, ValueRange operands,
                               isa::RegisterOp op) {
  Scalar result;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    Scalar value = valueOf(nc::analyseIndex(map.getSubMap({i}), operands));
    result = i == 0 ? value : alu(op, result, value);
  }
  return result;
}
