//===- LongRows.cpp - A stored value as one row per partition -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has a partition for each row. Few rows leave partitions idle, and
// short ones make a DMA descriptor for a few bytes. If each element depends on
// nothing but the elements at its place, any rows give the same value.
//
//===----------------------------------------------------------------------===//

#include "LongRows.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

/// Rows that fill so much of their partitions are good enough.
static constexpr double wellFilled = 0.75;
/// A descriptor takes as long for fewer bytes.
static constexpr int64_t bytesOfDescriptor = 512;
/// Of fewer elements, latencies are most of the time.
static constexpr int64_t leastElements = 4096;

template <class View> static bool isWithoutGaps(View view, TileType type) {
  return view.getSizes() == type.getShape() &&
         llvm::equal(view.getStrides(), denseStrides(type.getShape(), false));
}

static bool isOneElement(Value value) {
  return tensorOf(value).getNumElements() == 1;
}

/// Whether the elements of both are the same ones of a tensor.
static bool areSamePlaces(LoadOp load, StoreOp store) {
  return tensorOf(load.getResult()) == tensorOf(store.getValue()) &&
         load.getOffset() == store.getOffset() &&
         llvm::equal(load.getIndices(), store.getIndices());
}

bool tile::hasUnevenRows(StoreOp store) {
  const TileType type = tensorOf(store.getValue());
  const int64_t rows = type.getDimSize(0), elements = type.getNumElements();
  const std::optional<isa::DType> dtype = nc::dtypeOf(type.getElementType());
  if (!dtype)
    return false;
  const int64_t bytes = elements / rows * isa::sizeInBytes(*dtype);
  const auto slots =
      static_cast<double>(llvm::alignTo(rows, isa::maxPartitions));
  return (static_cast<double>(rows) < wellFilled * slots ||
          bytes < bytesOfDescriptor) &&
         elements >= leastElements && isWithoutGaps(store, type);
}

bool tile::mayHaveOtherRows(StoreOp store, const StreamPlan::Cone &cone) {
  const TileType type = tensorOf(store.getValue());
  return llvm::all_of(cone, [&](Operation *op) {
    // One element meets all others, whatever their rows.
    if (isOneElement(op->getResult(0)))
      return llvm::all_of(op->getOperands(), [](Value operand) {
        return !mlir::isa<TileType>(operand.getType()) || isOneElement(operand);
      });
    if (tensorOf(op->getResult(0)).getShape() != type.getShape())
      return false;
    for (Operation *user : op->getUsers())
      if (user != store && !cone.contains(user))
        return false;
    if (auto load = dyn_cast<LoadOp>(op))
      return isWithoutGaps(load, type) &&
             (load.getBase() != store.getBase() || areSamePlaces(load, store));
    return mlir::isa<FillOp, UnaryOp, BinaryOp, ScalarOp, CompareOp, SelectOp,
                     CastOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return isOneElement(operand) ||
                    cone.contains(operand.getDefiningOp());
           });
  });
}

/// `view`, from element `first` on.
template <class View>
static void setRows(View view, int64_t first, ArrayRef<int64_t> shape) {
  const AffineMap offset = view.getOffset();
  view.setOffset(AffineMap::get(offset.getNumDims(), offset.getNumSymbols(),
                                offset.getResult(0) + first));
  view.setSizes(shape);
  view.setStrides(denseStrides(shape, false));
}

/// `inOrder` is the cone in the order of the program.
static StoreOp storeRows(StoreOp store, ArrayRef<Operation *> inOrder,
                         int64_t first, ArrayRef<int64_t> shape) {
  OpBuilder builder(store);
  IRMapping made;
  for (Operation *op : inOrder) {
    if (isOneElement(op->getResult(0)))
      continue;
    Operation *copy = builder.clone(*op, made);
    Value result = copy->getResult(0);
    result.setType(TileType::get(shape, tensorOf(result).getElementType()));
    if (auto load = dyn_cast<LoadOp>(copy))
      setRows(load, first, shape);
  }
  auto copy = cast<StoreOp>(builder.clone(*store, made));
  setRows(copy, first, shape);
  return copy;
}

SmallVector<StoreOp, 2> tile::storesOfLongRows(StoreOp store,
                                               const StreamPlan::Cone &cone) {
  SmallVector<Operation *> inOrder(cone.begin(), cone.end());
  llvm::sort(inOrder, [](Operation *first, Operation *second) {
    return first->isBeforeInBlock(second);
  });
  const int64_t elements = tensorOf(store.getValue()).getNumElements();
  const int64_t width = elements / isa::maxPartitions;
  const int64_t left = elements % isa::maxPartitions;
  // What is left moves while the loop over the long rows waits for its first
  // block.
  SmallVector<StoreOp, 2> stores;
  if (left != 0)
    stores.push_back(storeRows(store, inOrder, elements - left, {1, left}));
  stores.push_back(storeRows(store, inOrder, 0, {isa::maxPartitions, width}));
  return stores;
}
