//===- TileOps.cpp - Operations of the tile dialect -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/EnumText.h"
#include "kiln/compiler/dialect/tile/Tile.h"

#include "kiln/isa/info.h"

#include "mlir/IR/AffineExpr.h"

#include <functional>
#include <numeric>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

int64_t tile::freeElements(TileType type) {
  ArrayRef<int64_t> free = type.getShape().drop_front();
  return std::accumulate(free.begin(), free.end(), int64_t(1),
                         std::multiplies<>());
}

int64_t tile::bytesPerPartition(TileType type) {
  auto dtype = nc::dtypeOf(type.getElementType());
  return slotsOf(type.getDimSize(0)) * freeElements(type) *
         (dtype ? kiln::isa::sizeInBytes(*dtype) : 4);
}

int64_t tile::elementsSeen(Value memory, Type tile) {
  auto base = cast<MemRefType>(memory.getType());
  const auto bytesOf = [](Type element) -> int64_t {
    return kiln::isa::sizeInBytes(
        nc::dtypeOf(element).value_or(kiln::isa::DType::f32));
  };
  return base.getNumElements() * bytesOf(base.getElementType()) /
         bytesOf(cast<TileType>(tile).getElementType());
}

bool tile::isColumn(TileType type) { return freeElements(type) == 1; }

std::optional<double> tile::splatOf(Value value) {
  auto fill = value.getDefiningOp<FillOp>();
  if (!fill)
    return std::nullopt;
  // What its elements hold: 0.3 is 0.30078125 in bf16. It comes as f32.
  auto type = dyn_cast<FloatType>(tensorOf(value).getElementType());
  if (!type)
    return fill.getValue().convertToDouble();
  llvm::APFloat element = fill.getValue();
  bool rounds = false;
  for (const llvm::fltSemantics *semantics :
       {&llvm::APFloat::IEEEsingle(), &type.getFloatSemantics(),
        &llvm::APFloat::IEEEdouble()})
    element.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &rounds);
  return element.convertToDouble();
}

SmallVector<int64_t> tile::denseStrides(ArrayRef<int64_t> shape, bool onChip) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  if (onChip && !strides.empty())
    strides[0] = 1;
  return strides;
}

AffineMap tile::zeroOffset(MLIRContext *context) {
  return AffineMap::get(0, 0, getAffineConstantExpr(0, context));
}

void ApplyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa::info(getOpcode()).state == isa::HiddenState::random) {
    effects.emplace_back(MemoryEffects::Read::get(), GeneratorState::get());
    effects.emplace_back(MemoryEffects::Write::get(), GeneratorState::get());
  }
}

bool kiln::compiler::tile::isWhole(TileType source, TileType window,
                                   uint64_t row, AffineMap offset,
                                   ArrayRef<int64_t> strides) {
  auto constant = dyn_cast<AffineConstantExpr>(offset.getResult(0));
  return source == window && row == 0 && constant && constant.getValue() == 0 &&
         llvm::equal(strides, denseStrides(source.getShape(), true));
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (isWhole(tensorOf(getBase()), getResult().getType(), getRow(), getOffset(),
              getStrides()))
    return getBase();
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<TransposeOp>())
    return inner.getInput();
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType())
    return getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// Operators in the text
//===----------------------------------------------------------------------===//

FailureOr<Operator> tile::parseOperator(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("divide")))
    return Operator::division();
  FailureOr<isa::AluOp> op = nc::parseCase<isa::AluOp>(parser);
  if (failed(op))
    return failure();
  return Operator(*op);
}

StringRef tile::textOf(Operator op) {
  return op.isDivision() ? "divide" : nc::textOf(op.aluOp());
}

/// custom<Case>: an operator or a function as a bare word.
template <class AttrT>
static ParseResult parseCase(OpAsmParser &parser, AttrT &attribute) {
  using Value = decltype(attribute.getValue());
  auto value = [&]() -> FailureOr<Value> {
    if constexpr (std::is_same_v<Value, Operator>)
      return parseOperator(parser);
    else
      return nc::parseCase<Value>(parser);
  }();
  if (failed(value))
    return failure();
  attribute = AttrT::get(parser.getContext(), *value);
  return success();
}

template <class AttrT>
static void printCase(OpAsmPrinter &printer, Operation *, AttrT attribute) {
  if constexpr (std::is_same_v<AttrT, OperatorAttr>)
    printer << tile::textOf(attribute.getValue());
  else
    printer << nc::textOf(attribute.getValue());
}

#define GET_OP_CLASSES
#include "kiln/compiler/dialect/tile/TileOps.cpp.inc"
