//===- Verify.cpp - Verifiers of the tile dialect -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/EnumText.h"
#include "kiln/compiler/dialect/tile/Tile.h"

#include "kiln/isa/info.h"
#include "kiln/isa/instruction.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

//===----------------------------------------------------------------------===//
// Types and operators
//===----------------------------------------------------------------------===//

static LogicalResult checkTile(Operation *op, Value value) {
  TileType type = tensorOf(value);
  if (!type.hasStaticShape() || type.getRank() < 2)
    return op->emitOpError("a tile must have a static shape of at least two "
                           "dimensions, found ")
           << type;
  if (llvm::any_of(type.getShape(), [](int64_t size) { return size < 1; }))
    return op->emitOpError("extents must be positive, found ") << type;
  if (!nc::dtypeOf(type.getElementType()))
    return op->emitOpError("element type ")
           << type.getElementType()
           << " is not an element type of the instruction set";
  return success();
}

static LogicalResult checkTiles(Operation *op) {
  for (Value value : op->getOperands())
    if (mlir::isa_and_nonnull<RankedTensorType>(value.getType()) &&
        failed(checkTile(op, value)))
      return failure();
  for (Value value : op->getResults())
    if (mlir::isa_and_nonnull<RankedTensorType>(value.getType()) &&
        failed(checkTile(op, value)))
      return failure();
  return success();
}

static LogicalResult checkSameShape(Operation *op, Value found, Value other) {
  if (tensorOf(found).getShape() != tensorOf(other).getShape())
    return op->emitOpError("shapes differ: ")
           << found.getType() << " and " << other.getType();
  return checkTiles(op);
}

static LogicalResult checkColumn(Operation *op, StringRef what, Value scalar,
                                 Value tile, bool f32) {
  if (!scalar)
    return success();
  TileType type = tensorOf(scalar);
  if (!isColumn(type) || type.getDimSize(0) != tensorOf(tile).getDimSize(0))
    return op->emitOpError("operand '")
           << what << "' must be [" << tensorOf(tile).getDimSize(0)
           << ", 1], found " << type;
  if (f32 && !type.getElementType().isF32())
    return op->emitOpError("operand '")
           << what << "' must be f32, found " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// `limit` is the number of elements of a row of the base, or of all of it.
template <class OpT>
static LogicalResult checkView(OpT op, ArrayRef<int64_t> base, int64_t limit,
                               bool onChip) {
  ArrayRef<int64_t> sizes = op.getSizes(), strides = op.getStrides();
  if (sizes.empty() || sizes.size() != strides.size())
    return op.emitOpError("has ")
           << sizes.size() << " sizes and " << strides.size() << " strides";
  AffineMap offset = op.getOffset();
  if (offset.getNumResults() != 1 || offset.getNumSymbols() != 0 ||
      offset.getNumDims() != op.getIndices().size())
    return op.emitOpError("offset must map ")
           << op.getIndices().size() << " indices to one value, found "
           << op.getOffsetAttr();
  int64_t row = static_cast<int64_t>(op.getRow());
  if (onChip && (strides[0] != 1 || row < 0 || row + sizes[0] > base[0]))
    return op.emitOpError("touches rows ")
           << row << " to " << row + sizes[0] - 1 << " by " << strides[0]
           << ", but its base has 0 to " << base[0] - 1;
  nc::IndexForm form = nc::analyseIndex(offset, op.getIndices());
  if (!form.isConstant())
    return success();
  int64_t low = form.constant, high = low;
  for (size_t i = onChip ? 1 : 0; i < sizes.size(); ++i)
    (strides[i] < 0 ? low : high) += (sizes[i] - 1) * strides[i];
  if (low < 0 || high >= limit)
    return op.emitOpError("touches elements ")
           << low << " to " << high << ", but its base has 0 to " << limit - 1;
  return checkTiles(op);
}

static int64_t elementsOf(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

/// The tile gives the element type as which the memory is viewed.
template <class OpT>
static LogicalResult checkMemoryView(OpT op, Value tile,
                                     ArrayRef<int64_t> shape, bool hbm) {
  auto base = cast<MemRefType>(op.getBase().getType());
  std::optional<nc::Space> space = nc::spaceOf(base);
  if (!space || (*space == nc::Space::hbm) != hbm)
    return op.emitOpError("needs ")
           << (hbm ? "an HBM tensor" : "a buffer") << ", found " << base;
  if (tensorOf(tile).getShape() != shape)
    return op.emitOpError("moves a view of sizes [")
           << op.getSizes() << "], but the tile is " << tile.getType();
  const auto seen = nc::dtypeOf(tensorOf(tile).getElementType());
  const auto held = nc::dtypeOf(base.getElementType());
  if (!seen || !held)
    return op.emitOpError("moves elements of a type that the instruction set "
                          "does not have: ")
           << tile.getType() << " and " << base;
  const int64_t bytes = elementsOf(base.getShape().drop_front(hbm ? 0 : 1)) *
                        kiln::isa::sizeInBytes(*held);
  if (bytes % kiln::isa::sizeInBytes(*seen) != 0)
    return op.emitOpError("views ") << bytes << " bytes of " << base
                                    << " as elements of " << tile.getType();
  return checkView(op, base.getShape(), bytes / kiln::isa::sizeInBytes(*seen),
                   !hbm);
}

LogicalResult DeclareOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  if (!nc::spaceOf(type) || *nc::spaceOf(type) == nc::Space::hbm)
    return emitOpError(
               "a buffer must be in #nc.space<sbuf> or #nc.space<psum>, "
               "found ")
           << type;
  if (!type.hasStaticShape() || type.getRank() < 2 ||
      !nc::dtypeOf(type.getElementType()))
    return emitOpError("needs a static shape of at least two dimensions and "
                       "an element type of the instruction set, found ")
           << type;
  if (getRing() && static_cast<int64_t>(*getRing()) < 1)
    return emitOpError("ring must be at least 1, found ")
           << static_cast<int64_t>(*getRing());
  return success();
}
LogicalResult ReadOp::verify() {
  return checkMemoryView(*this, getResult(), getSizes(), false);
}
LogicalResult LoadOp::verify() {
  return checkMemoryView(*this, getResult(), getSizes(), true);
}
LogicalResult LoadTransposedOp::verify() {
  if (getSizes().size() != 2)
    return emitOpError("transposes two dimensions, found ")
           << getSizes().size();
  const int64_t rows = getSizes()[0], columns = getSizes()[1];
  const TileType type = tensorOf(getResult());
  if (type.getRank() == 3)
    return checkMemoryView(
        *this, getResult(),
        {columns / type.getDimSize(2), rows,
         columns % type.getDimSize(2) == 0 ? type.getDimSize(2) : 0},
        true);
  return checkMemoryView(*this, getResult(), {columns, rows}, true);
}
LogicalResult AssignOp::verify() {
  return checkMemoryView(*this, getValue(), getSizes(), false);
}
LogicalResult StoreOp::verify() {
  return checkMemoryView(*this, getValue(), getSizes(), true);
}
LogicalResult SliceOp::verify() {
  if (tensorOf(getResult()).getShape() != getSizes() ||
      tensorOf(getResult()).getElementType() !=
          tensorOf(getBase()).getElementType())
    return emitOpError("a view of sizes [")
           << getSizes() << "] of " << getBase().getType() << " is not "
           << getResult().getType();
  ArrayRef<int64_t> base = tensorOf(getBase()).getShape();
  return checkView(*this, base, elementsOf(base.drop_front()), true);
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult FillOp::verify() { return checkTiles(*this); }

/// `scales` of f8e8m0 belong to `data` of a packed type: one for eight rows.
static LogicalResult checkScales(Operation *op, Value data, Value scales) {
  TileType packed = tensorOf(data), shared = tensorOf(scales);
  if (!mlir::isa<VectorType>(packed.getElementType()) ||
      !mlir::isa<Float8E8M0FNUType>(shared.getElementType()) ||
      packed.getRank() != 2 || shared.getRank() != 2 ||
      packed.getDimSize(0) % 32 != 0 ||
      shared.getDimSize(0) * 8 != packed.getDimSize(0) ||
      shared.getDimSize(1) != packed.getDimSize(1))
    return op->emitOpError("scales of ") << packed << " cannot be " << shared;
  return success();
}

LogicalResult QuantizeOp::verify() {
  TileType in = tensorOf(getInput()), data = tensorOf(getData());
  if (failed(checkScales(*this, getData(), getScales())))
    return failure();
  const int64_t rows = data.getDimSize(0), columns = data.getDimSize(1);
  const bool fits =
      getTurned() ? in.getShape() == ArrayRef({columns, 4 * rows})
                  : in.getShape() == ArrayRef({4 * rows, columns}) ||
                        in.getShape() == ArrayRef({rows, int64_t{4}, columns});
  if (!fits || !(in.getElementType().isBF16() || in.getElementType().isF16()))
    return emitOpError("of ") << in << " cannot give " << data;
  return checkTiles(*this);
}

/// Rows of 8-bit floats in groups.
static LogicalResult checkGroups(MatmulOp op, TileType a, TileType b,
                                 TileType result) {
  const auto isGrouped = [&](TileType type) {
    return type.getRank() == 3 && type.getElementType().isFloat(8) &&
           type.getDimSize(0) == a.getDimSize(0) &&
           type.getDimSize(1) == a.getDimSize(1);
  };
  if (!isGrouped(a) || !isGrouped(b) ||
      result.getShape() != ArrayRef({a.getDimSize(2), b.getDimSize(2)}) ||
      op.getAScales() || !op.getTransposeA() || op.getTransposeB())
    return op.emitOpError("of rows in groups needs [K / 2, 2, M] and "
                          "[K / 2, 2, N] of 8-bit floats, found ")
           << a << " and " << b << " for " << result;
  return checkTiles(op);
}

LogicalResult MatmulOp::verify() {
  TileType a = tensorOf(getA()), b = tensorOf(getB());
  TileType result = tensorOf(getResult());
  if (a.getRank() == 3 && (a.getDimSize(1) == 2 || a.getDimSize(1) == 4))
    return checkGroups(*this, a, b, result);
  if (a.getRank() != 2 || b.getRank() != 2 || result.getRank() != 2)
    return emitOpError("multiplies matrices, found ") << a << " and " << b;
  int64_t m = a.getDimSize(getTransposeA() ? 1 : 0);
  int64_t ka = a.getDimSize(getTransposeA() ? 0 : 1);
  int64_t kb = b.getDimSize(getTransposeB() ? 1 : 0);
  int64_t n = b.getDimSize(getTransposeB() ? 0 : 1);
  if (ka != kb)
    return emitOpError("contracts ") << ka << " with " << kb;
  if (result.getDimSize(0) != m || result.getDimSize(1) != n)
    return emitOpError("makes [") << m << ", " << n << "], found " << result;
  if (static_cast<bool>(getAScales()) != static_cast<bool>(getBScales()))
    return emitOpError("has scales for one operand");
  if (getAScales()) {
    if (!getTransposeA() || getTransposeB() || m % 2 != 0)
      return emitOpError("of scaled tiles must contract the rows of both and "
                         "have an even number of rows");
    if (failed(checkScales(*this, getA(), getAScales())) ||
        failed(checkScales(*this, getB(), getBScales())))
      return failure();
    return checkTiles(*this);
  }
  if (!mlir::isa_and_nonnull<FloatType>(a.getElementType()) ||
      !mlir::isa_and_nonnull<FloatType>(b.getElementType()))
    return emitOpError("multiplies floats, found ") << a << " and " << b;
  return checkTiles(*this);
}

LogicalResult TransposeOp::verify() {
  TileType in = tensorOf(getInput()), out = tensorOf(getResult());
  if (in.getRank() != 2 || out.getRank() != 2 ||
      in.getDimSize(0) != out.getDimSize(1) ||
      in.getDimSize(1) != out.getDimSize(0) ||
      in.getElementType() != out.getElementType())
    return emitOpError("of ") << in << " cannot give " << out;
  return checkTiles(*this);
}

LogicalResult UnaryOp::verify() {
  return checkSameShape(*this, getInput(), getResult());
}

static LogicalResult checkBroadcast(Operation *op, Value lhs, Value rhs,
                                    Value result) {
  ArrayRef<int64_t> x = tensorOf(lhs).getShape(), y = tensorOf(rhs).getShape();
  ArrayRef<int64_t> r = tensorOf(result).getShape();
  bool fits = x.size() == y.size() && x.size() == r.size();
  for (size_t i = 0; fits && i < x.size(); ++i)
    fits = (x[i] == y[i] || x[i] == 1 || y[i] == 1) &&
           r[i] == std::max(x[i], y[i]);
  if (!fits)
    return op->emitOpError("cannot broadcast ")
           << lhs.getType() << " and " << rhs.getType() << " to "
           << result.getType();
  return checkTiles(op);
}

LogicalResult BinaryOp::verify() {
  return checkBroadcast(*this, getLhs(), getRhs(), getResult());
}
LogicalResult ScalarOp::verify() {
  return checkSameShape(*this, getInput(), getResult());
}
LogicalResult CompareOp::verify() {
  if (static_cast<bool>(getRhs()) == getValue().has_value())
    return emitOpError("must compare with either a tile or a number");
  if (getRhs())
    return checkBroadcast(*this, getLhs(), getRhs(), getResult());
  return checkSameShape(*this, getLhs(), getResult());
}

LogicalResult SelectOp::verify() {
  ArrayRef<int64_t> shape = tensorOf(getResult()).getShape();
  for (Value operand : getOperands())
    for (auto [have, want] : llvm::zip(tensorOf(operand).getShape(), shape))
      if (have != want && have != 1)
        return emitOpError("cannot broadcast ")
               << operand.getType() << " to " << getResult().getType();
  if (!tensorOf(getMask()).getElementType().isInteger(8))
    return emitOpError("needs a ui8 mask, found ") << getMask().getType();
  return checkTiles(*this);
}

LogicalResult KeepOp::verify() {
  if (getOffset().getNumDims() != getIndices().size() ||
      getOffset().getNumResults() != 1)
    return emitOpError("offset must map ")
           << getIndices().size() << " indices to one value, found "
           << getOffsetAttr();
  return checkSameShape(*this, getInput(), getResult());
}

LogicalResult ApplyOp::verify() {
  const isa::InstructionInfo &info = isa::info(getOpcode());
  if (info.isControl || info.isDma)
    return emitOpError("computes no tile with '")
           << nc::textOf(getOpcode()) << "'";
  if (getNames().size() != getInputs().size())
    return emitOpError("names ")
           << getNames().size() << " operands, has " << getInputs().size();
  for (auto [name, input] :
       llvm::zip(getNames().getAsValueRange<StringAttr>(), getInputs())) {
    const isa::OperandInfo *operand =
        info.operand(std::string_view(name.data(), name.size()));
    if (!operand || operand->effect != isa::Effect::read)
      return emitOpError("reads no operand '") << name << "'";
    if (tensorOf(input).getDimSize(0) != tensorOf(getResult()).getDimSize(0))
      return emitOpError("operand '")
             << name << "' needs the rows of " << getResult().getType()
             << ", found " << input.getType();
  }
  if (!getRowSum())
    return checkTiles(*this);
  if (!info.operand("reduce_res"))
    return emitOpError("adds up no rows, but has a second result");
  if (failed(checkColumn(*this, "row_sum", getRowSum(), getResult(), false)))
    return failure();
  return checkTiles(*this);
}

LogicalResult ReduceOp::verify() {
  if (!llvm::is_contained({isa::AluOp::add, isa::AluOp::multiply,
                           isa::AluOp::maximum, isa::AluOp::minimum},
                          getOp()))
    return emitOpError("reduces with add, multiply, maximum or minimum, "
                       "found '")
           << nc::textOf(getOp()) << "'";
  if (failed(checkColumn(*this, "result", getResult(), getInput(), false)))
    return failure();
  return checkTiles(*this);
}

LogicalResult RepeatOp::verify() {
  TileType row = tensorOf(getInput()), result = tensorOf(getResult());
  if (row.getElementType() != result.getElementType() ||
      row.getDimSize(0) != 1 ||
      row.getShape().drop_front() != result.getShape().drop_front())
    return emitOpError("of ") << row << " cannot give " << result;
  return checkTiles(*this);
}

LogicalResult AppendOp::verify() {
  const TileType from = tensorOf(getInput()), to = tensorOf(getResult());
  if (from.getRank() != 2 || to.getRank() != 2 ||
      from.getDimSize(0) != to.getDimSize(0) ||
      from.getDimSize(1) + 1 != to.getDimSize(1) ||
      from.getElementType() != to.getElementType())
    return emitOpError("the result must have the rows and the element type of "
                       "a two-dimensional input, and one more column; found ")
           << from << " and " << to;
  return checkTiles(*this);
}

LogicalResult CastOp::verify() {
  return checkSameShape(*this, getInput(), getResult());
}

LogicalResult ActivateOp::verify() {
  if (failed(checkColumn(*this, "scale", getScale(), getInput(), true)) ||
      failed(checkColumn(*this, "bias", getBias(), getInput(), false)) ||
      failed(checkColumn(*this, "row_sum", getRowSum(), getInput(), false)))
    return failure();
  if (getRowOp() &&
      (*getRowOp() != isa::AluOp::maximum || !getRowSum() || getScale() ||
       getBias() || getOp() != isa::ActivationFunction::copy ||
       getBiasValue().convertToFloat() != 0.0f))
    return emitOpError(
        "'row_op' must be maximum, on a copy that a number scales");
  return checkSameShape(*this, getInput(), getResult());
}

LogicalResult ChainOp::verify() {
  if (failed(checkColumn(*this, "operand0", getOperand0(), getInput(), true)) ||
      failed(checkColumn(*this, "operand1", getOperand1(), getInput(), true)))
    return failure();
  if (getOperand1() && !getOp1())
    return emitOpError("has operand1 but no op1");
  return checkSameShape(*this, getInput(), getResult());
}

LogicalResult ScalarTensorOp::verify() {
  if (failed(
          checkColumn(*this, "operand0", getOperand0(), getInput(), false)) ||
      failed(checkSameShape(*this, getInput(), getOperand1())))
    return failure();
  return checkSameShape(*this, getInput(), getResult());
}
