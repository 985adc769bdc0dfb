//===- QuarterProducts.cpp - Products of each fourth column ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuarterProducts.h"

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/isa/shapes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
using kiln::isa::packedRows;

static AffineMap constantOffset(OpBuilder &builder, int64_t offset) {
  return AffineMap::get(0, 0, builder.getAffineConstantExpr(offset));
}

/// Each fourth row of it: [K / 4, N].
static TileType quarter(TileType type) {
  return TileType::get({type.getDimSize(0) / packedRows, type.getDimSize(1)},
                       type.getElementType());
}

QuarterProducts::QuarterProducts(Value value, Operation *user)
    : root(value), user(user) {
  possible = collect(value) && llvm::all_of(operations, [&](Operation *op) {
               return mlir::isa<LoadOp>(op) ||
                      llvm::all_of(op->getUsers(), [&](Operation *other) {
                        return other == user || operations.contains(other);
                      });
             });
}

bool QuarterProducts::collect(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || tensorOf(value).getRank() != 2 ||
      op->getBlock() != user->getBlock())
    return false;
  if (!operations.insert(op))
    return true;
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getTransposeA() && tensorOf(matmul.getA()).getRank() == 2;
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getSizes().size() == 2;
  if (!mlir::isa<ActivateOp, ChainOp, UnaryOp, BinaryOp, ScalarOp, CastOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    // One that repeats for all rows is that of each quarter.
    return tensorOf(operand).getRank() == 2 &&
           (tensorOf(operand).getDimSize(0) == 1 || collect(operand));
  });
}

Value QuarterProducts::columnsOf(Value value, int64_t q) {
  if (!value)
    return value;
  const TileType type = tensorOf(value);
  OpBuilder builder(user);
  const int64_t sizes[] = {type.getDimSize(0), type.getDimSize(1) / packedRows},
                strides[] = {1, packedRows};
  return SliceOp::create(builder, root.getLoc(),
                         TileType::get(sizes, type.getElementType()), value,
                         ValueRange(), uint64_t(0), constantOffset(builder, q),
                         sizes, strides);
}

/// Each fourth row. Of one column, a load brings all: four to a partition.
Value QuarterProducts::quarterOf(LoadOp load, int64_t q) {
  OpBuilder builder(load);
  TileType type = ::quarter(tensorOf(load.getResult()));
  const int64_t step = load.getStrides()[0];
  const bool isColumn = type.getDimSize(1) == 1;
  const int64_t sizes[] = {type.getDimSize(0),
                           isColumn ? packedRows : type.getDimSize(1)};
  const int64_t strides[] = {packedRows * step,
                             isColumn ? step : load.getStrides()[1]};
  Value &rows = loaded[load];
  if (!isColumn || !rows) {
    const AffineMap offset = load.getOffset();
    rows = LoadOp::create(
        builder, load.getLoc(), TileType::get(sizes, type.getElementType()),
        load.getBase(), load.getIndices(), load.getRow(),
        AffineMap::get(offset.getNumDims(), offset.getNumSymbols(),
                       offset.getResult(0) + (isColumn ? 0 : q * step)),
        sizes, strides);
  }
  return isColumn ? columnsOf(rows, q) : rows;
}

Value QuarterProducts::quarter(Value value, int64_t q) {
  if (Value known = made.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  const TileType type = ::quarter(tensorOf(value));
  OpBuilder builder(user);
  Value result;
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    result = MatmulOp::create(
        builder, op->getLoc(), type, columnsOf(matmul.getA(), q), matmul.getB(),
        columnsOf(matmul.getAScales(), q), matmul.getBScales(),
        matmul.getTransposeAAttr(), matmul.getTransposeBAttr());
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    result = quarterOf(load, q);
  } else {
    IRMapping map;
    for (Value operand : op->getOperands())
      if (tensorOf(operand).getDimSize(0) != 1)
        map.map(operand, quarter(operand, q));
    result = builder.clone(*op, map)->getResult(0);
  }
  result.setType(type);
  return made[value] = result;
}

Value QuarterProducts::make() {
  const TileType type = tensorOf(root), part = ::quarter(type);
  const int64_t columns = part.getDimSize(1);
  const int64_t sizes[] = {part.getDimSize(0), packedRows, columns};
  OpBuilder builder(user);
  auto buffer = DeclareOp::create(
      builder, root.getLoc(),
      MemRefType::get(
          sizes, type.getElementType(), MemRefLayoutAttrInterface(),
          nc::SpaceAttr::get(builder.getContext(), nc::Space::sbuf)),
      IntegerAttr(), IntegerAttr(), IntegerAttr(), StringAttr());
  const int64_t inQuarter[] = {1, 1}, inAll[] = {1, columns, 1};
  for (int64_t q = 0; q < packedRows; ++q) {
    made.clear();
    Value its = quarter(root, q);
    AssignOp::create(builder, root.getLoc(), buffer, its, ValueRange(),
                     uint64_t(0), constantOffset(builder, q * columns),
                     part.getShape(), inQuarter);
  }
  return ReadOp::create(builder, root.getLoc(),
                        TileType::get(sizes, type.getElementType()), buffer,
                        ValueRange(), uint64_t(0), constantOffset(builder, 0),
                        sizes, inAll);
}
