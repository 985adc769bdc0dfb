//===- Orient.cpp - Contractions on rows ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEORIENT
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks remarks("tile-orient");

static TileType transposed(TileType type) {
  return TileType::get({type.getDimSize(1), type.getDimSize(0)},
                       type.getElementType());
}

static UnitAttr flag(OpBuilder &builder, bool value) {
  return value ? builder.getUnitAttr() : UnitAttr();
}

/// transpose(a * b) = bᵀ * aᵀ: the same product with its operands swapped.
static bool swapProduct(TransposeOp op, OpBuilder &builder) {
  auto matmul = op.getInput().getDefiningOp<MatmulOp>();
  if (!matmul || !matmul->hasOneUse())
    return false;
  remarks.passed(op, "SwappedProduct")
      << "the transpose of a product is the product of its operands, "
         "transposed and swapped: no transpose is left";
  builder.setInsertionPoint(matmul);
  Value swapped = MatmulOp::create(
      builder, matmul.getLoc(), op.getResult().getType(), matmul.getB(),
      matmul.getA(), flag(builder, !matmul.getTransposeB()),
      flag(builder, !matmul.getTransposeA()));
  op.getResult().replaceAllUsesWith(swapped);
  op.erase();
  matmul.erase();
  return true;
}

namespace {

/// Gives each operand of a product the orientation that the array needs.
class Orienter {
public:
  explicit Orienter(MLIRContext *context) : builder(context) {}

  void run(MatmulOp op) {
    if (!op.getTransposeA()) {
      op.getAMutable().assign(turn(op.getA(), op));
      op.setTransposeA(true);
    }
    if (op.getTransposeB()) {
      op.getBMutable().assign(turn(op.getB(), op));
      op.setTransposeB(false);
    }
  }

private:
  OpBuilder builder;
  /// Each value is transposed once, at its definition, for all its users.
  DenseMap<Value, Value> turned;

  Value turn(Value value, MatmulOp user) {
    if (auto inner = value.getDefiningOp<TransposeOp>())
      return inner.getInput();
    auto [it, isNew] = turned.try_emplace(value);
    if (!isNew)
      return it->second;
    Value result = makeTurned(value, user);
    turned[value] = result;
    return result;
  }

  Value makeTurned(Value value, MatmulOp user) {
    Operation *definition = value.getDefiningOp();
    if (definition)
      builder.setInsertionPointAfter(definition);
    else
      builder.setInsertionPoint(user);
    TileType type = transposed(tensorOf(value));
    if (mlir::isa_and_nonnull<LoadOp>(definition))
      remarks.passed(definition, "TransposingLoad")
          << "the operand of a product is loaded transposed";
    if (auto load = value.getDefiningOp<LoadOp>();
        load && load.getSizes().size() == 2)
      return LoadTransposedOp::create(
          builder, load.getLoc(), type, load.getBase(), load.getIndices(),
          load.getRow(), load.getOffset(), load.getSizes(), load.getStrides());
    if (auto load = value.getDefiningOp<LoadTransposedOp>())
      return LoadOp::create(builder, load.getLoc(), type, load.getBase(),
                            load.getIndices(), load.getRow(), load.getOffset(),
                            load.getSizes(), load.getStrides());
    if (auto fill = value.getDefiningOp<FillOp>())
      return FillOp::create(builder, fill.getLoc(), type, fill.getValueAttr());
    // A cast commutes, and transposing before it may meet a load.
    if (auto inner = value.getDefiningOp<CastOp>();
        inner && mlir::isa_and_nonnull<LoadOp, LoadTransposedOp>(
                     inner.getInput().getDefiningOp())) {
      Value source = turn(inner.getInput(), user);
      builder.setInsertionPointAfter(definition);
      return CastOp::create(builder, inner.getLoc(), type, source);
    }
    // It stands at the value, not in the place that the product was promised.
    Location where = user.getLoc();
    remarks.analysis(user, "Transposed")
        << "an operand of the product is transposed on chip: "
        << measure("rows", type.getDimSize(1)) << " x "
        << measure("columns", type.getDimSize(0))
        << " elements that no load brings";
    return TransposeOp::create(
        builder, nc::withNotes(where, nc::notesAt(where)), type, value);
  }
};

struct TileOrientPass : tile::impl::TileOrientBase<TileOrientPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<TransposeOp> transposes;
    getOperation().walk([&](TransposeOp op) { transposes.push_back(op); });
    for (TransposeOp op : transposes)
      swapProduct(op, builder);
    Orienter orienter(&getContext());
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) { products.push_back(op); });
    for (MatmulOp op : products)
      orienter.run(op);
    // What the turned forms replaced.
    SmallVector<Operation *> dead;
    getOperation().walk([&](Operation *op) {
      if (mlir::isa<LoadOp, LoadTransposedOp, TransposeOp, CastOp, FillOp>(op))
        dead.push_back(op);
    });
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
  }
};

} // namespace
