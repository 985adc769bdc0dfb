//===- Legalize.cpp - Only operations that an engine has ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/MemoryScopes.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Remark.h"
#include "kiln/compiler/dialect/tile/Tile.h"
#include "kiln/compiler/transform/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::tile {
#define GEN_PASS_DEF_TILELEGALIZE
#include "kiln/compiler/transform/tile/Passes.h.inc"
} // namespace kiln::compiler::tile

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
namespace isa = kiln::isa;

static constexpr Remarks legalizeRemarks("tile-legalize");

namespace {

TileType withShape(TileType type, ArrayRef<int64_t> shape) {
  return TileType::get(shape, type.getElementType());
}

/// Rewrites one operation after the other, in program order.
class Legalizer {
public:
  explicit Legalizer(MLIRContext *context) : builder(context) {}

  LogicalResult run(Operation *op) {
    builder.setInsertionPoint(op);
    location = op->getLoc();
    if (auto unary = dyn_cast<UnaryOp>(op))
      return replace(op, activate(unary.getOp(), unary.getInput(),
                                  tensorOf(unary.getResult())));
    if (auto scalar = dyn_cast<ScalarOp>(op))
      return replace(op, this->scalar(scalar.getOp(), scalar.getInput(),
                                      scalar.getValue().convertToDouble(),
                                      scalar.getReverse(),
                                      tensorOf(scalar.getResult())));
    if (auto binary = dyn_cast<BinaryOp>(op))
      return this->binary(binary);
    if (auto compare = dyn_cast<CompareOp>(op)) {
      TileType type = tensorOf(compare.getResult());
      if (comparesWide(compare))
        return this->compareIntegers(compare);
      if (compare.getValue())
        return replace(op, scalar(compare.getOp(), compare.getLhs(),
                                  compare.getValue()->convertToDouble(),
                                  compare.getReverse(), type));
      return replace(op, elementwise(compare.getOp(), compare.getLhs(),
                                     compare.getRhs(), type));
    }
    if (auto select = dyn_cast<SelectOp>(op))
      return this->select(select);
    if (auto keep = dyn_cast<KeepOp>(op))
      return this->keep(keep);
    if (auto matmul = dyn_cast<MatmulOp>(op))
      return this->matmul(matmul);
    return success();
  }

private:
  /// Bytes of each partition that a row on all partitions takes for a loop.
  static constexpr int64_t mostKept = 16 * 1024;

  OpBuilder builder;
  Location location = builder.getUnknownLoc();
  /// By row and number of partitions. Only looked up.
  DenseMap<std::pair<Value, int64_t>, Value> kept;

  static LogicalResult replace(Operation *op, Value value) {
    if (value.getDefiningOp() == op)
      return success();
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  Value activate(isa::ActivationFunction function, Value input, TileType type) {
    return ActivateOp::create(
               builder, location, type, Type(),
               nc::ActivationFunctionAttr::get(builder.getContext(), function),
               input, Value(), Value(), builder.getF32FloatAttr(1.0f),
               builder.getF32FloatAttr(0.0f), nc::AluOpAttr())
        .getResult();
  }

  Value cast(Value value, Type element) {
    TileType type = tensorOf(value);
    if (type.getElementType() == element)
      return value;
    return CastOp::create(builder, location,
                          TileType::get(type.getShape(), element), value);
  }

  Value chain(isa::AluOp op, Value input, Value operand, double value,
              bool reverse, TileType type) {
    if (operand)
      operand = cast(operand, builder.getF32Type());
    return ChainOp::create(builder, location, type, input, operand, Value(),
                           nc::AluOpAttr::get(builder.getContext(), op),
                           builder.getF32FloatAttr(static_cast<float>(value)),
                           reverse ? builder.getUnitAttr() : UnitAttr(),
                           nc::AluOpAttr(), builder.getF32FloatAttr(0.0f),
                           UnitAttr());
  }

  /// Integers of 32 bits: their arithmetic is exact, on GpSimd.
  static bool isWide(TileType type) {
    return type.getElementType().isInteger(32);
  }

  /// The operators that only a whole tile is legal for.
  static bool needsTiles(Operator op, TileType type) {
    return isWide(type) || op == isa::AluOp::power;
  }

  Value fill(double value, TileType type) {
    return FillOp::create(builder, location, type,
                          builder.getF64FloatAttr(value));
  }

  /// The integer that has the same 32 bits and that the type holds.
  static double wrapped(double value, TileType type) {
    if (!isWide(type))
      return value;
    auto bits = static_cast<uint32_t>(static_cast<int64_t>(value));
    return type.getElementType().isUnsignedInteger()
               ? static_cast<double>(bits)
               : static_cast<double>(static_cast<int32_t>(bits));
  }

  /// A tile of floats makes it a comparison of floats.
  static bool comparesWide(CompareOp op) {
    auto isInteger = [](TileType type) {
      return !mlir::isa_and_nonnull<FloatType>(type.getElementType());
    };
    TileType lhs = tensorOf(op.getLhs());
    if (!op.getRhs())
      return isWide(lhs);
    TileType rhs = tensorOf(op.getRhs());
    return isInteger(lhs) && isInteger(rhs) && (isWide(lhs) || isWide(rhs));
  }

  LogicalResult compareIntegers(CompareOp op) {
    TileType type = tensorOf(op.getResult());
    TileType lhs = tensorOf(op.getLhs());
    Type element = isWide(lhs) ? lhs.getElementType()
                               : tensorOf(op.getRhs()).getElementType();
    auto wide = TileType::get(type.getShape(), element);
    Value result =
        op.getValue()
            ? scalar(op.getOp(), op.getLhs(), op.getValue()->convertToDouble(),
                     op.getReverse(), wide)
            : elementwise(op.getOp(), op.getLhs(), op.getRhs(), wide);
    return replace(op, cast(result, type.getElementType()));
  }

  Value scalar(Operator op, Value input, double value, bool reverse,
               TileType type) {
    if (needsTiles(op, type)) {
      Value tile = cast(input, operandType(type));
      Value other = fill(wrapped(value, tensorOf(tile)), tensorOf(tile));
      if (reverse)
        std::swap(tile, other);
      return BinaryOp::create(builder, location, type, op, tile, other);
    }
    if (!op.isDivision())
      return chain(op.aluOp(), input, Value(), value, reverse, type);
    if (!reverse)
      return chain(isa::AluOp::multiply, input, Value(), 1.0 / value, false,
                   type);
    Value inverse =
        activate(isa::ActivationFunction::reciprocal, input,
                 TileType::get(type.getShape(), builder.getF32Type()));
    return chain(isa::AluOp::multiply, inverse, Value(), value, false, type);
  }

  /// Repeats extents of 1 until the tile has this shape.
  Value expand(Value value, ArrayRef<int64_t> shape) {
    TileType type = tensorOf(value);
    if (type.getShape() == shape)
      return value;
    if (std::optional<double> splat = splatOf(value))
      return FillOp::create(builder, location, withShape(type, shape),
                            builder.getF64FloatAttr(*splat));
    if (type.getDimSize(0) != shape[0])
      value = expandRows(value, shape[0]);
    type = tensorOf(value);
    if (type.getShape() == shape)
      return value;
    SmallVector<int64_t> strides = denseStrides(type.getShape(), true);
    for (size_t i = 1; i < shape.size(); ++i)
      if (type.getDimSize(i) != shape[i])
        strides[i] = 0;
    return SliceOp::create(builder, location, withShape(type, shape), value,
                           ValueRange(), uint64_t(0),
                           zeroOffset(builder.getContext()), shape, strides);
  }

  /// One row on every partition: only DMA and the tensor engine can do that.
  Value expandRows(Value value, int64_t rows) {
    TileType type = tensorOf(value);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = rows;
    if (auto load = value.getDefiningOp<LoadOp>()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfter(load);
      auto wide = mlir::cast<LoadOp>(builder.clone(*load));
      SmallVector<int64_t> strides(load.getStrides());
      strides[0] = 0;
      legalizeRemarks.passed(load, "BroadcastLoad")
          << "the row is loaded once for each of " << count("rows", rows)
          << " rows: its descriptor repeats it";
      wide.setSizes(shape);
      wide.setStrides(strides);
      wide.getResult().setType(withShape(type, shape));
      return wide;
    }
    if (auto inner = value.getDefiningOp<CastOp>()) {
      Value wide = expandRows(inner.getInput(), rows);
      return cast(wide, type.getElementType());
    }
    if (isWide(type))
      return RepeatOp::create(builder, location, withShape(type, shape), value);
    if (isKept(value, shape))
      return keptRows(value, shape);
    if (Operation *definition = value.getDefiningOp())
      legalizeRemarks.passed(definition, "BroadcastProduct")
          << "a product with a column of ones repeats the row on "
          << count("rows", rows) << " partitions";
    return multiplied(value, shape);
  }

  /// It is the same in all iterations of the loop around its user, and takes
  /// little room on chip.
  bool isKept(Value value, ArrayRef<int64_t> shape) const {
    Operation *definition = value.getDefiningOp();
    Operation *around = builder.getInsertionBlock()->getParentOp();
    if (!definition ||
        !definition->getBlock()->getParentOp()->isProperAncestor(around))
      return false;
    const int64_t slots =
        llvm::divideCeil(shape[0], int64_t{isa::maxPartitions});
    const TileType type = tensorOf(value);
    return slots * freeElements(type) * 4 <= mostKept &&
           !nc::isPromised(definition) &&
           nc::memoryScopeAt(definition->getLoc()) ==
               nc::memoryScopeAt(location);
  }

  /// Once, behind its definition, and in SBUF: loops need the banks of PSUM.
  Value keptRows(Value value, ArrayRef<int64_t> shape) {
    Value &known = kept[{value, shape[0]}];
    if (known)
      return known;
    Operation *definition = value.getDefiningOp();
    const OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(definition);
    legalizeRemarks.passed(definition, "BroadcastOnce")
        << "a product with a column of ones repeats the row on "
        << count("rows", shape[0])
        << " partitions before the loop that needs it";
    Value wide = multiplied(value, shape);
    const TileType type = tensorOf(wide);
    const SmallVector<int64_t> strides = denseStrides(shape, true);
    const AffineMap zero = zeroOffset(builder.getContext());
    auto buffer = DeclareOp::create(
        builder, definition->getLoc(),
        MemRefType::get(
            shape, type.getElementType(), MemRefLayoutAttrInterface(),
            nc::SpaceAttr::get(builder.getContext(), nc::Space::sbuf)),
        IntegerAttr(), IntegerAttr(), IntegerAttr(), StringAttr());
    AssignOp::create(builder, definition->getLoc(), buffer, wide, ValueRange(),
                     uint64_t(0), zero, shape, strides);
    return known =
               ReadOp::create(builder, definition->getLoc(), type, buffer,
                              ValueRange(), uint64_t(0), zero, shape, strides);
  }

  /// The row times a column of ones.
  Value multiplied(Value value, ArrayRef<int64_t> shape) {
    const int64_t rows = shape[0];
    const TileType type = tensorOf(value);
    auto f32 = builder.getF32Type();
    int64_t free = freeElements(type);
    Value flat = cast(value, f32);
    flat = reshape(flat, {1, free});
    Value ones =
        FillOp::create(builder, location, TileType::get({1, rows}, f32),
                       builder.getF64FloatAttr(1.0));
    Value wide =
        MatmulOp::create(builder, location, TileType::get({rows, free}, f32),
                         ones, flat, builder.getUnitAttr(), UnitAttr());
    return cast(reshape(wide, shape), type.getElementType());
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    TileType type = tensorOf(value);
    if (type.getShape() == shape)
      return value;
    return SliceOp::create(builder, location, withShape(type, shape), value,
                           ValueRange(), uint64_t(0),
                           zeroOffset(builder.getContext()), shape,
                           denseStrides(shape, true));
  }

  Type operandType(TileType type) {
    return isWide(type) ? type.getElementType() : Type(builder.getF32Type());
  }

  Value elementwise(isa::AluOp op, Value lhs, Value rhs, TileType type) {
    if (needsTiles(op, type)) {
      Type element = operandType(type);
      // The type through which the language repeats integers.
      if (op == isa::AluOp::add && isWide(type) && splatOf(rhs) == 0.0)
        return expand(cast(lhs, element), type.getShape());
      return BinaryOp::create(builder, location, type, op,
                              expand(cast(lhs, element), type.getShape()),
                              expand(cast(rhs, element), type.getShape()));
    }
    if (std::optional<double> value = splatOf(rhs))
      return chain(op, expand(lhs, type.getShape()), Value(), *value, false,
                   type);
    if (std::optional<double> value = splatOf(lhs))
      return chain(op, expand(rhs, type.getShape()), Value(), *value, true,
                   type);
    int64_t rows = type.getDimSize(0);
    auto perRow = [&](Value value) {
      TileType t = tensorOf(value);
      return isColumn(t) && t.getDimSize(0) == rows;
    };
    // [1, 1] against many rows counts as one value per row.
    auto column = [&](Value value) {
      TileType t = tensorOf(value);
      if (isColumn(t) && t.getDimSize(0) != rows) {
        SmallVector<int64_t> shape(t.getShape());
        shape[0] = rows;
        return expand(value, shape);
      }
      return value;
    };
    lhs = column(lhs);
    rhs = column(rhs);
    if (perRow(rhs))
      return chain(op, expand(lhs, type.getShape()), rhs, 0, false, type);
    if (perRow(lhs))
      return chain(op, expand(rhs, type.getShape()), lhs, 0, true, type);
    return BinaryOp::create(builder, location, type, op,
                            expand(lhs, type.getShape()),
                            expand(rhs, type.getShape()));
  }

  LogicalResult binary(BinaryOp op) {
    TileType type = tensorOf(op.getResult());
    if (!op.getOp().isDivision())
      return replace(
          op, elementwise(op.getOp().aluOp(), op.getLhs(), op.getRhs(), type));
    if (std::optional<double> value = splatOf(op.getRhs()))
      return replace(op,
                     scalar(op.getOp(), expand(op.getLhs(), type.getShape()),
                            *value, false, type));
    legalizeRemarks.passed(op, "Division")
        << "no engine divides by a tile: it multiplies by the reciprocal";
    TileType divisor = tensorOf(op.getRhs());
    Value inverse =
        activate(isa::ActivationFunction::reciprocal, op.getRhs(),
                 TileType::get(divisor.getShape(), builder.getF32Type()));
    return replace(
        op, elementwise(isa::AluOp::multiply, op.getLhs(), inverse, type));
  }

  LogicalResult select(SelectOp op) {
    TileType type = tensorOf(op.getResult());
    for (OpOperand &operand : op->getOpOperands())
      operand.set(expand(operand.get(), type.getShape()));
    return success();
  }

  /// affine_select writes an fp32 number. An integer that fp32 does not hold
  /// is selected by a mask.
  LogicalResult keep(KeepOp op) {
    TileType type = tensorOf(op.getResult());
    double otherwise = op.getOtherwise().convertToDouble();
    if (!isWide(type) || otherwise == static_cast<float>(otherwise))
      return success();
    auto byte = TileType::get(type.getShape(),
                              builder.getIntegerType(8, /*isSigned=*/false));
    Value mask = KeepOp::create(
        builder, location, byte, fill(1.0, byte), op.getIndices(),
        op.getRowStepAttr(), op.getColStepAttr(), op.getOffsetAttr(),
        op.getCompareAttr(), builder.getF64FloatAttr(0.0));
    return replace(op, SelectOp::create(builder, location, type, mask,
                                        op.getInput(), fill(otherwise, type)));
  }

  LogicalResult matmul(MatmulOp op) {
    Type a = tensorOf(op.getA()).getElementType();
    Type b = tensorOf(op.getB()).getElementType();
    if (op.getAScales())
      return success();
    // The array multiplies f32 with f32, and 16-bit types with each other.
    if (a.isF32() != b.isF32()) {
      op.getAMutable().assign(cast(op.getA(), builder.getF32Type()));
      op.getBMutable().assign(cast(op.getB(), builder.getF32Type()));
    }
    return success();
  }
};

struct TileLegalizePass : tile::impl::TileLegalizeBase<TileLegalizePass> {
  void runOnOperation() override {
    Legalizer legalizer(&getContext());
    SmallVector<Operation *> worklist;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getName().getDialectNamespace() == "tile")
        worklist.push_back(op);
    });
    for (Operation *op : worklist)
      if (failed(legalizer.run(op)))
        return signalPassFailure();
    // Values that became immediates have no use left.
    SmallVector<Operation *> fills = allFills();
    for (Operation *op : fills)
      if (op->use_empty())
        op->erase();
  }

  SmallVector<Operation *> allFills() {
    SmallVector<Operation *> fills;
    getOperation().walk([&](FillOp fill) { fills.push_back(fill); });
    return fills;
  }
};

} // namespace
