//===- Orient.cpp - Contractions on rows ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuarterProducts.h"

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"
#include "kiln/isa/shapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILEORIENT
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

static constexpr Remarks orientRemarks("tile-orient");
using kiln::isa::packedRows;

static TileType transposed(TileType type) {
  return TileType::get({type.getDimSize(1), type.getDimSize(0)},
                       type.getElementType());
}

static UnitAttr flag(OpBuilder &builder, bool value) {
  return value ? builder.getUnitAttr() : UnitAttr();
}

namespace {

/// Transposes values that are computed from products alone, element by element:
/// transpose(a * b) = bᵀ * aᵀ, and element-wise operations do not depend on the
/// place of an element.
class ProductTurner {
public:
  explicit ProductTurner(Value value) : root(value) {
    turns = collect(value) && llvm::all_of(operations, [&](Operation *op) {
              return op == root.getDefiningOp() ||
                     llvm::all_of(op->getUsers(), [&](Operation *user) {
                       return operations.contains(user);
                     });
            });
  }

  /// The parts have no users but those that want the transpose.
  bool isPossible() const { return turns; }
  /// A product is part of it.
  bool multiplies() const {
    return llvm::any_of(operations,
                        [](Operation *op) { return mlir::isa<MatmulOp>(op); });
  }

  Value turn() { return turn(root); }

private:
  /// Operations that are turned with products, at most.
  static constexpr size_t mostTurned = 64;

  bool collect(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || tensorOf(value).getRank() != 2 ||
        operations.size() == mostTurned)
      return false;
    if (!operations.insert(op))
      return true;
    // A product of scaled tiles has an even number of rows.
    if (auto matmul = dyn_cast<MatmulOp>(op))
      return !matmul.getAScales() || tensorOf(value).getDimSize(1) % 2 == 0;
    if (!mlir::isa<ActivateOp, UnaryOp, BinaryOp, ScalarOp, CastOp>(op))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return tensorOf(operand).getShape() == tensorOf(value).getShape() &&
             collect(operand);
    });
  }

  Value turn(Value value) {
    if (Value known = turned.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    const TileType type = transposed(tensorOf(value));
    OpBuilder builder(op->getContext());
    Value result;
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      builder.setInsertionPoint(op);
      result = MatmulOp::create(builder, op->getLoc(), type, matmul.getB(),
                                matmul.getA(), matmul.getBScales(),
                                matmul.getAScales(),
                                flag(builder, !matmul.getTransposeB()),
                                flag(builder, !matmul.getTransposeA()));
    } else {
      IRMapping map;
      for (Value operand : op->getOperands())
        map.map(operand, turn(operand));
      builder.setInsertionPoint(op);
      result = builder.clone(*op, map)->getResult(0);
      result.setType(type);
    }
    return turned[value] = result;
  }

  Value root;
  bool turns = false;
  llvm::SmallSetVector<Operation *, 8> operations;
  DenseMap<Value, Value> turned;
};

} // namespace

/// Without unused ones.
static void eraseUnused(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->use_empty())
    return;
  const SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands)
    if (Operation *inner = operand.getDefiningOp();
        inner &&
        mlir::isa<ActivateOp, UnaryOp, BinaryOp, ScalarOp, CastOp, MatmulOp>(
            inner))
      eraseUnused(operand);
}

static bool swapProducts(TransposeOp op) {
  Value value = op.getInput();
  ProductTurner turner(value);
  if (!value.hasOneUse() || !turner.isPossible()) {
    if (turner.multiplies())
      orientRemarks.missed(op, "NotSwapped")
          << "the product is transposed on chip, "
          << measure("rows", tensorOf(value).getDimSize(0)) << " x "
          << measure("columns", tensorOf(value).getDimSize(1))
          << " elements, instead of being computed transposed: "
          << (value.hasOneUse() ? "it is not computed from products alone, "
                                  "element by element, for this use"
                                : "it is also used as it is");
    return false;
  }
  orientRemarks.passed(op, "SwappedProduct")
      << "the transpose of a product is the product of its operands, "
         "transposed and swapped: no transpose is left";
  op.getResult().replaceAllUsesWith(turner.turn());
  op.erase();
  eraseUnused(value);
  return true;
}

/// Whether the product contracts the columns of this operand.
static bool wantsTurned(OpOperand &use) {
  auto matmul = dyn_cast<MatmulOp>(use.getOwner());
  return matmul && (use.getOperandNumber() == 0 ? !matmul.getTransposeA()
                                                : matmul.getTransposeB());
}

static void swapOperands(Value value) {
  ProductTurner turner(value);
  if (value.getDefiningOp<TransposeOp>() ||
      !llvm::all_of(value.getUses(), wantsTurned) || !turner.isPossible())
    return;
  orientRemarks.passed(value.getDefiningOp(), "SwappedProduct")
      << "only products read it, and they contract its columns: its inputs are "
         "computed transposed, and no transpose is left";
  Value result = turner.turn();
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    auto matmul = cast<MatmulOp>(use.getOwner());
    if (use.getOperandNumber() == 0)
      matmul.setTransposeA(true);
    else
      matmul.setTransposeB(false);
    use.set(result);
  }
  eraseUnused(value);
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

  /// The four rows that share an element come to one partition.
  void run(QuantizeOp op) {
    TileType type = tensorOf(op.getInput());
    if (type.getRank() != 2 || op.getTurned())
      return;
    auto load = op.getInput().getDefiningOp<LoadOp>();
    if (!load || load.getSizes().size() != 2) {
      if (QuarterProducts parts(op.getInput(), op); parts.isPossible()) {
        orientRemarks.passed(op, "QuarterProducts")
            << "four rows share an element: the product is computed in four "
               "parts, each fourth row in one, and no transpose is left";
        Value whole = op.getInput();
        op.getInputMutable().assign(parts.make());
        eraseUnused(whole);
        return;
      }
      op.getInputMutable().assign(turn(op.getInput(), op));
      op.setTurned(true);
      return;
    }
    const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    const int64_t sizes[] = {rows / packedRows, packedRows, columns};
    const int64_t step = load.getStrides()[0];
    const int64_t strides[] = {packedRows * step, step, load.getStrides()[1]};
    builder.setInsertionPointAfter(load);
    op.getInputMutable().assign(LoadOp::create(
        builder, load.getLoc(), TileType::get(sizes, type.getElementType()),
        load.getBase(), load.getIndices(), load.getRow(), load.getOffset(),
        sizes, strides));
  }

private:
  OpBuilder builder;
  /// Each value is transposed once, at its definition, for all its users whose
  /// memory lies in the same memory scope.
  DenseMap<std::pair<Value, Attribute>, Value> turned;

  Value turn(Value value, Operation *user) {
    if (auto inner = value.getDefiningOp<TransposeOp>())
      return inner.getInput();
    const std::pair key(value, nc::memoryScopeAt(user->getLoc()));
    auto [it, isNew] = turned.try_emplace(key);
    if (!isNew)
      return it->second;
    Value result = makeTurned(value, user);
    turned[key] = result;
    return result;
  }

  Value makeTurned(Value value, Operation *user) {
    Operation *definition = value.getDefiningOp();
    if (definition)
      builder.setInsertionPointAfter(definition);
    else
      builder.setInsertionPoint(user);
    TileType type = transposed(tensorOf(value));
    if (mlir::isa_and_nonnull<LoadOp>(definition))
      orientRemarks.passed(definition, "TransposingLoad")
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
    Location where = user->getLoc();
    orientRemarks.analysis(user, "Transposed")
        << "an operand of the product is transposed on chip: "
        << measure("rows", type.getDimSize(1)) << " x "
        << measure("columns", type.getDimSize(0))
        << " elements that do not come from a load";
    return TransposeOp::create(
        builder, nc::withWishes(where, where, nc::notesAt(where)), type, value);
  }
};

struct TileOrientPass : tile::impl::TileOrientBase<TileOrientPass> {
  void runOnOperation() override {
    SmallVector<TransposeOp> transposes;
    getOperation().walk([&](TransposeOp op) { transposes.push_back(op); });
    for (TransposeOp op : transposes)
      swapProducts(op);
    // Transposes for later operations may transpose earlier ones.
    llvm::SetVector<Value> operands;
    getOperation().walk([&](MatmulOp op) {
      for (OpOperand &use : op->getOpOperands())
        if (wantsTurned(use))
          operands.insert(use.get());
    });
    for (Value value : llvm::reverse(operands))
      swapOperands(value);
    Orienter orienter(&getContext());
    SmallVector<Operation *> users;
    getOperation().walk([&](Operation *op) {
      if (mlir::isa<MatmulOp, QuantizeOp>(op))
        users.push_back(op);
    });
    for (Operation *op : users)
      if (auto product = dyn_cast<MatmulOp>(op))
        orienter.run(product);
      else
        orienter.run(cast<QuantizeOp>(op));
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
