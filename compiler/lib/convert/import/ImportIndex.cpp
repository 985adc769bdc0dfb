//===- ImportIndex.cpp - Index expressions as affine maps -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using program::IndexKind;

/// The expression over the open loops; dimension i is the loop at depth i, so
/// one answer per index number serves the whole program.
std::optional<AffineExpr> Importer::affine(Id index) {
  if (index >= program.indices.size()) {
    error("KILN-P101", "index #" + Twine(index) +
                           " does not exist, the program has " +
                           Twine(program.indices.size()));
    return std::nullopt;
  }
  if (expressions[index])
    return expressions[index];
  const program::IndexNode &node = program.indices[index];
  AffineExpr result;
  if (node.kind == IndexKind::constant) {
    result = builder.getAffineConstantExpr(node.value);
  } else if (node.kind == IndexKind::variable) {
    for (auto [depth, loop] : llvm::enumerate(loops))
      if (loop.first == node.lhs)
        result = builder.getAffineDimExpr(static_cast<unsigned>(depth));
    if (!result) {
      error("KILN-P103",
            "loop value %" + Twine(node.lhs) + " is used outside its loop");
      return std::nullopt;
    }
  } else if (node.kind == IndexKind::minimum ||
             node.kind == IndexKind::maximum) {
    // Not affine: a separate value, computed where it is used.
    result = builder.getAffineSymbolExpr(static_cast<unsigned>(extrema.size()));
    extrema.push_back(index);
  } else {
    // A node refers only to earlier nodes; otherwise this would not end.
    if (node.lhs >= index ||
        (node.kind == IndexKind::add && node.rhs >= index)) {
      error("KILN-P101", "index #" + Twine(index) + " refers to a later index");
      return std::nullopt;
    }
    std::optional<AffineExpr> lhs = affine(node.lhs);
    if (!lhs)
      return std::nullopt;
    if (node.kind == IndexKind::add) {
      std::optional<AffineExpr> rhs = affine(node.rhs);
      if (!rhs)
        return std::nullopt;
      result = *lhs + *rhs;
    } else if (node.kind == IndexKind::multiply) {
      result = *lhs * node.value;
    } else if (node.value <= 0) {
      error("KILN-P105", "index #" + Twine(index) + " divides by " +
                             Twine(node.value) + ", divisors must be positive");
      return std::nullopt;
    } else {
      result = node.kind == IndexKind::floorDivide
                   ? lhs->floorDiv(static_cast<uint64_t>(node.value))
                   : *lhs % static_cast<uint64_t>(node.value);
    }
  }
  return expressions[index] = result;
}

/// Only the loops and extrema that the expression depends on.
std::optional<Importer::Offset> Importer::compressed(AffineExpr expr) {
  Offset result;
  SmallVector<AffineExpr> dims(loops.size()), symbols(extrema.size());
  unsigned live = 0;
  for (unsigned i = 0; i < loops.size(); ++i) {
    dims[i] = builder.getAffineConstantExpr(0);
    if (expr.isFunctionOfDim(i)) {
      dims[i] = builder.getAffineDimExpr(live++);
      result.operands.push_back(loops[i].second);
    }
  }
  for (unsigned i = 0; i < symbols.size(); ++i) {
    symbols[i] = builder.getAffineConstantExpr(0);
    if (expr.isFunctionOfSymbol(i)) {
      Value value = bound(extrema[i]);
      if (!value)
        return std::nullopt;
      symbols[i] = builder.getAffineDimExpr(live++);
      result.operands.push_back(value);
    }
  }
  result.map =
      AffineMap::get(live, 0, expr.replaceDimsAndSymbols(dims, symbols));
  return result;
}

std::optional<Importer::Offset> Importer::offset(Id index) {
  if (index == program::none)
    return Offset{tile::zeroOffset(&context), {}};
  // MLIR finds an affine constant by a hash that all multiples of a large power
  // of two share, so unrolled code, which has one for each block of a large
  // tensor, would search a list. Attributes are hashed well.
  constexpr int64_t large = int64_t(1) << 20;
  if (index < program.indices.size() &&
      program.indices[index].kind == IndexKind::constant &&
      program.indices[index].value >= large)
    return Offset{AffineMap::getMultiDimIdentityMap(1, &context),
                  {arith::ConstantIndexOp::create(
                      builder, location, program.indices[index].value)}};
  std::optional<AffineExpr> expr = affine(index);
  if (!expr)
    return std::nullopt;
  return compressed(*expr);
}

Value Importer::applied(AffineExpr expr) {
  std::optional<Offset> offset = compressed(expr);
  if (!offset)
    return Value();
  if (auto constant = dyn_cast<AffineConstantExpr>(offset->map.getResult(0)))
    return arith::ConstantIndexOp::create(builder, location,
                                          constant.getValue());
  return affine::AffineApplyOp::create(builder, location, offset->map,
                                       offset->operands);
}

/// A loop bound: min and max may stand anywhere in it.
Value Importer::bound(Id index) {
  if (index >= program.indices.size()) {
    error("KILN-P101", "index #" + Twine(index) + " does not exist");
    return Value();
  }
  const program::IndexNode &node = program.indices[index];
  bool leaf =
      node.kind == IndexKind::constant || node.kind == IndexKind::variable;
  if (!leaf && node.lhs >= index) {
    error("KILN-P101", "index #" + Twine(index) + " refers to a later index");
    return Value();
  }
  if (leaf) {
    std::optional<AffineExpr> expr = affine(index);
    return expr ? applied(*expr) : Value();
  }
  Value lhs = bound(node.lhs);
  if (!lhs)
    return Value();
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr) -> Value {
    AffineMap map = AffineMap::get(1, 0, expr);
    return affine::makeComposedAffineApply(builder, location, map,
                                           {OpFoldResult(lhs)});
  };
  if (node.kind == IndexKind::multiply)
    return apply(d0 * node.value);
  if (node.kind == IndexKind::floorDivide && node.value > 0)
    return apply(d0.floorDiv(static_cast<uint64_t>(node.value)));
  if (node.kind == IndexKind::modulo && node.value > 0)
    return apply(d0 % static_cast<uint64_t>(node.value));
  if (node.kind == IndexKind::floorDivide || node.kind == IndexKind::modulo) {
    error("KILN-P105", "index #" + Twine(index) + " divides by " +
                           Twine(node.value) + ", divisors must be positive");
    return Value();
  }
  Value rhs = node.rhs < index ? bound(node.rhs) : Value();
  if (!rhs)
    return Value();
  if (node.kind == IndexKind::add)
    return affine::makeComposedAffineApply(
        builder, location, AffineMap::get(2, 0, d0 + d1),
        {OpFoldResult(lhs), OpFoldResult(rhs)});
  AffineMap map = AffineMap::get(2, 0, {d0, d1}, &context);
  SmallVector<Value> operands{lhs, rhs};
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  if (node.kind == IndexKind::minimum)
    return affine::AffineMinOp::create(builder, location, map, operands);
  return affine::AffineMaxOp::create(builder, location, map, operands);
}
