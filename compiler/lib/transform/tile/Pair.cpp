//===- Pair.cpp - Rows of 8-bit operands in pairs -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/machine/dma_plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEPAIR
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks pairRemarks("tile-pair");

/// Products that the array needs for so many rows, two of which it takes from
/// each of 128 partitions that hold `group` rows.
static int64_t productsOf(int64_t rows, int64_t group) {
  return group / 2 * llvm::divideCeil(rows / group, kiln::isa::maxPartitions);
}

/// A product of rows of 8-bit floats, whole groups of them, that are not spread
/// over so few partitions that it takes more products.
static bool isCandidate(MatmulOp op, int64_t group) {
  TileType a = tensorOf(op.getA()), b = tensorOf(op.getB());
  const int64_t rows = a.getDimSize(0);
  return a.getRank() == 2 && op.getTransposeA() && !op.getTransposeB() &&
         !op.getAScales() && a.getElementType().isFloat(8) &&
         b.getElementType().isFloat(8) && rows % group == 0 &&
         productsOf(rows, group) <= productsOf(rows, 2);
}

/// All rows of a tile and some columns.
static bool isWindow(SliceOp op) {
  return op.getSizes().size() == 2 && op.getRow() == 0 &&
         op.getSizes()[0] == tensorOf(op.getBase()).getDimSize(0) &&
         op.getStrides() == ArrayRef<int64_t>{1, 1};
}

/// The load whose columns the value is, or null.
static Operation *loadOf(Value value) {
  while (auto slice = value.getDefiningOp<SliceOp>()) {
    if (!isWindow(slice))
      return nullptr;
    value = slice.getBase();
  }
  Operation *load = value.getDefiningOp();
  return mlir::isa_and_nonnull<LoadOp, LoadTransposedOp>(load) &&
                 tensorOf(value).getRank() == 2
             ? load
             : nullptr;
}

/// The elements of a group lie side by side, at a multiple of its size.
static bool hasGroups(Operation *op, int64_t group) {
  auto load = dyn_cast<LoadTransposedOp>(op);
  return !load ||
         (load.getStrides()[1] == 1 && load.getStrides()[0] % group == 0 &&
          load.getOffset().getResult(0).isMultipleOf(group));
}

namespace {

class Pairing {
public:
  explicit Pairing(int64_t group) : group(group) {}

  /// Notes the loads and products that change.
  void find(func::FuncOp function) {
    function.walk([&](MatmulOp op) {
      if (!isCandidate(op, group))
        return;
      products.insert(op);
      for (Value operand : {op.getA(), op.getB()})
        if (Operation *load = loadOf(operand))
          loads[load].push_back(op);
        else
          refuse(op, "an operand is not a window of columns of a load");
    });
    SmallVector<Operation *> worklist;
    for (auto &[load, users] : loads)
      if (!hasGroups(load, group) || !onlyProductsUse(load->getResult(0)) ||
          llvm::any_of(users,
                       [&](Operation *op) { return refused.contains(op); }))
        worklist.push_back(load);
    while (!worklist.empty())
      for (Operation *product : leave(worklist.pop_back_val()))
        for (Value operand : product->getOperands())
          if (Operation *load = loadOf(operand))
            worklist.push_back(load);
  }

  void rewrite() {
    for (auto &[load, users] : loads) {
      if (left.contains(load))
        continue;
      pairRemarks.passed(load, "Paired")
          << measure("rows", group)
          << " rows share a partition, for products of 8-bit floats that "
             "take two at once";
      rewrite(load);
    }
    for (Operation *op : products) {
      if (refused.contains(op))
        continue;
      auto product = cast<MatmulOp>(op);
      product.getAMutable().assign(paired(product.getA()));
      product.getBMutable().assign(paired(product.getB()));
    }
    for (Operation *op : llvm::reverse(replaced))
      if (op->use_empty())
        op->erase();
  }

  /// Why products of 8-bit floats stay as they are.
  void tell(func::FuncOp function) const {
    function.walk([&](MatmulOp op) {
      const TileType a = tensorOf(op.getA()), b = tensorOf(op.getB());
      if (a.getRank() != 2 || op.getAScales() ||
          !a.getElementType().isFloat(8) || !b.getElementType().isFloat(8))
        return;
      StringRef why = reasons.lookup(op);
      if (why.empty())
        why = a.getDimSize(0) % group != 0
                  ? "it contracts an odd number of rows"
                  : "it contracts so few rows that it would take more products";
      pairRemarks.missed(op, "NotPaired")
          << "the product takes one row of 8-bit floats of a partition at a "
             "time, at half of the rate: "
          << why;
    });
  }

private:
  /// Rows in groups: elements of `base`, [K / group, ..], from `offset` on, of
  /// which those of a group and of a row are so far apart.
  struct Groups {
    Value base;
    AffineMap offset;
    SmallVector<Value> indices;
    int64_t row = 0, column = 0;
  };

  bool onlyProductsUse(Value value) const {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (auto slice = dyn_cast<SliceOp>(user))
        return isWindow(slice) && onlyProductsUse(slice.getResult());
      return products.contains(user);
    });
  }

  bool refuse(Operation *product, StringRef why) {
    if (!refused.insert(product))
      return false;
    reasons[product] = why;
    return true;
  }

  /// The load does not change, and neither do the products that use it. Returns
  /// the products that were not known to stay.
  SmallVector<Operation *> leave(Operation *load) {
    const StringRef why =
        !hasGroups(load, group)
            ? "neighbouring rows of an operand are not side by side in HBM"
        : !onlyProductsUse(load->getResult(0))
            ? "something else uses an operand, with a row in each partition"
            : "an operand is shared with a product that stays as it is";
    SmallVector<Operation *> fresh;
    if (left.insert(load).second)
      for (Operation *product : loads[load])
        if (refuse(product, why))
          fresh.push_back(product);
    return fresh;
  }

  void rewrite(Operation *op) {
    OpBuilder builder(op);
    const TileType type = tensorOf(op->getResult(0));
    const int64_t rows = type.getDimSize(0) / group,
                  columns = type.getDimSize(1);
    Groups &made = groups[op->getResult(0)];
    made.offset = zeroOffset(builder.getContext());
    if (auto load = dyn_cast<LoadOp>(op)) {
      const int64_t step = load.getStrides()[0];
      const int64_t sizes[] = {rows, group, columns},
                    strides[] = {group * step, step, load.getStrides()[1]};
      made.base = LoadOp::create(
          builder, load.getLoc(), TileType::get(sizes, type.getElementType()),
          load.getBase(), load.getIndices(), load.getRow(), load.getOffset(),
          sizes, strides);
      made.row = columns;
      made.column = 1;
    } else {
      auto turned = cast<LoadTransposedOp>(op);
      const int64_t sizes[] = {rows, columns, group};
      made.base = LoadTransposedOp::create(
          builder, turned.getLoc(), TileType::get(sizes, type.getElementType()),
          turned.getBase(), turned.getIndices(), turned.getRow(),
          turned.getOffset(), turned.getSizes(), turned.getStrides());
      made.row = 1;
      made.column = group;
    }
    replaced.push_back(op);
  }

  /// The value, put together from its windows.
  const Groups &groupsOf(Value value) {
    if (auto it = groups.find(value); it != groups.end())
      return it->second;
    auto slice = value.getDefiningOp<SliceOp>();
    Groups whole = groupsOf(slice.getBase());
    const unsigned dims = whole.offset.getNumDims();
    const unsigned more = slice.getOffset().getNumDims();
    whole.offset = AffineMap::get(
        dims + more, 0,
        whole.offset.getResult(0) +
            slice.getOffset().getResult(0).shiftDims(more, dims) *
                whole.column);
    whole.indices.append(slice.getIndices().begin(), slice.getIndices().end());
    replaced.push_back(slice);
    return groups[value] = std::move(whole);
  }

  Value paired(Value value) {
    auto [it, isNew] = shown.try_emplace(value);
    if (!isNew)
      return it->second;
    const Groups from = groupsOf(value);
    const TileType type = tensorOf(value);
    const int64_t rows = type.getDimSize(0) / group,
                  columns = type.getDimSize(1);
    const int64_t sizes[] = {rows, group, columns},
                  strides[] = {1, from.row, from.column};
    const auto shape = TileType::get(sizes, type.getElementType());
    Value result = from.base;
    // As many columns as rows of a partition have one type in either order.
    if (!isWhole(tensorOf(result), shape, 0, from.offset, strides) ||
        value.getDefiningOp<SliceOp>()) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      result = SliceOp::create(builder, value.getLoc(), shape, from.base,
                               from.indices, uint64_t(0), from.offset, sizes,
                               strides);
    }
    return shown[value] = result;
  }

  int64_t group; ///< Rows of a partition.
  llvm::MapVector<Operation *, SmallVector<Operation *>> loads;
  llvm::SetVector<Operation *> products, refused;
  llvm::DenseMap<Operation *, StringRef> reasons; ///< Of those refused.
  llvm::DenseSet<Operation *> left;               ///< Loads that stay.
  llvm::DenseMap<Value, Groups> groups;
  llvm::DenseMap<Value, Value> shown;
  SmallVector<Operation *> replaced;
};

struct TilePairPass : tile::impl::TilePairBase<TilePairPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!kiln::machine::transposesByDma(nc::targetOf(function)))
      return;
    // Four rows are elements of 32 bits to the DMA engines, half as many
    // transfers as two.
    for (const int64_t group : {4, 2}) {
      Pairing pairing(group);
      pairing.find(function);
      pairing.rewrite();
      if (group == 2)
        pairing.tell(function);
    }
  }
};

} // namespace
