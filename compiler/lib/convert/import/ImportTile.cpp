//===- ImportTile.cpp - Tile operations -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;
using program::OpKind;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

TileType Importer::resultType(const Op &op) {
  if (op.result == program::none)
    return TileType();
  const program::Value &value = program.values[op.result];
  return TileType::get(value.shape, nc::elementType(&context, value.dtype));
}

/// The memref behind a view of a buffer or an HBM tensor.
Value Importer::memory(const View &view) {
  Value value = view.value < values.size() ? values[view.value] : Value();
  if (value && mlir::isa_and_nonnull<MemRefType>(value.getType()))
    return value;
  error("KILN-P106", "operand %" + Twine(view.value) +
                         " is not a memory: it must be a tensor, or a buffer "
                         "declared before its use");
  return Value();
}

/// The value that a view shows at this point of the program.
Value Importer::read(const View &view) {
  Value base = view.value < values.size() ? values[view.value] : Value();
  if (!base) {
    error("KILN-P101",
          "operand %" + Twine(view.value) + " is used before it is defined");
    return Value();
  }
  std::optional<Offset> at = offset(view.offset);
  if (!at)
    return Value();
  Type element = nc::elementType(&context, program.values[view.value].dtype);
  auto type = TileType::get(view.sizes, element);
  auto row = static_cast<uint64_t>(view.row);
  if (mlir::isa<MemRefType>(base.getType()))
    return ReadOp::create(builder, location, type, base, at->operands, row,
                          at->map, view.sizes, view.strides);
  if (isWhole(tensorOf(base), type, row, at->map, view.strides))
    return base;
  return SliceOp::create(builder, location, type, base, at->operands, row,
                         at->map, view.sizes, view.strides);
}

Value Importer::operand(const Op &op, size_t number) {
  if (number < op.operands.size())
    return read(op.operands[number]);
  error("KILN-P107", "operation needs operand " + Twine(number) + ", it has " +
                         Twine(op.operands.size()));
  return Value();
}

Value Importer::castTo(Value value, Type element) {
  TileType type = tensorOf(value);
  if (type.getElementType() == element)
    return value;
  return CastOp::create(builder, location,
                        TileType::get(type.getShape(), element), value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult Importer::importMemory(const Op &op) {
  if (op.kind == OpKind::declare) {
    const program::Value &value = program.values[op.result];
    bool psum = value.space == isa::Space::psum;
    auto optional = [&](StringRef name, int64_t scale = 1) {
      return find(op, name)
                 ? builder.getI64IntegerAttr(integer(op, name) * scale)
                 : IntegerAttr();
    };
    IntegerAttr byte = optional("byte");
    if (!byte)
      byte = optional("bank", isa::psumBankBytes);
    auto label =
        value.name.empty() ? StringAttr() : builder.getStringAttr(value.name);
    values[op.result] = DeclareOp::create(
        builder, location,
        MemRefType::get(value.shape, nc::elementType(&context, value.dtype),
                        MemRefLayoutAttrInterface(),
                        nc::SpaceAttr::get(&context, psum ? nc::Space::psum
                                                          : nc::Space::sbuf)),
        optional("ring"), optional("partition"), byte, label);
    return success();
  }
  if (op.operands.empty())
    return error("KILN-P107", "operation needs an operand, it has 0");
  const View &view = op.operands[0];
  bool loads = op.kind == OpKind::load || op.kind == OpKind::loadTransposed;
  // Operand before memory: its reads come first.
  Value value = loads ? Value() : operand(op, 1);
  Value base = memory(view);
  std::optional<Offset> at = offset(view.offset);
  if (!base || !at || (!loads && !value))
    return failure();
  auto row = static_cast<uint64_t>(view.row);
  if (op.kind == OpKind::load)
    values[op.result] =
        LoadOp::create(builder, location, resultType(op), base, at->operands,
                       row, at->map, view.sizes, view.strides);
  else if (op.kind == OpKind::loadTransposed)
    values[op.result] = LoadTransposedOp::create(
        builder, location, resultType(op), base, at->operands, row, at->map,
        view.sizes, view.strides);
  else {
    value = castTo(value, cast<MemRefType>(base.getType()).getElementType());
    if (op.kind == OpKind::store)
      StoreOp::create(builder, location, base, value, at->operands, row,
                      at->map, view.sizes, view.strides);
    else
      AssignOp::create(builder, location, base, value, at->operands, row,
                       at->map, view.sizes, view.strides);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult Importer::importKeep(const Op &op) {
  Value input = operand(op, 0);
  if (!input)
    return failure();
  Offset at{zeroOffset(&context), {}};
  if (const program::Attribute *attribute = find(op, "offset")) {
    if (const auto *index = std::get_if<program::IndexRef>(attribute)) {
      std::optional<Offset> found = offset(index->index);
      if (!found)
        return failure();
      at = *found;
    } else {
      at.map = AffineMap::get(
          0, 0, builder.getAffineConstantExpr(integer(op, "offset")));
    }
  }
  auto compare = choice<isa::AluOp>(op, "compare");
  if (!compare)
    return failure();
  values[op.result] = KeepOp::create(
      builder, location, resultType(op), input, at.operands,
      builder.getI64IntegerAttr(integer(op, "row_step")),
      builder.getI64IntegerAttr(integer(op, "col_step")),
      AffineMapAttr::get(at.map), nc::AluOpAttr::get(&context, *compare),
      builder.getF64FloatAttr(number(op, "otherwise")));
  return success();
}

LogicalResult Importer::importTile(const Op &op) {
  SmallVector<Value> in;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    in.push_back(operand(op, i));
    if (!in.back())
      return failure();
  }
  size_t needed = op.kind == OpKind::fill                                  ? 0
                  : op.kind == OpKind::select                              ? 3
                  : op.kind == OpKind::matmul || op.kind == OpKind::binary ? 2
                                                                           : 1;
  if (in.size() < needed || op.result == program::none)
    return error("KILN-P107", "operation needs " + Twine(needed) +
                                  " operands and a result, it has " +
                                  Twine(in.size()) + " operands");
  TileType type = resultType(op);
  const bool mayDivide = op.kind == OpKind::binary || op.kind == OpKind::scalar;
  const bool divides = mayDivide && text(op, "op") == "divide";
  std::optional<isa::AluOp> alu;
  std::optional<isa::ActivationFunction> function;
  if (op.kind == OpKind::unary &&
      !(function = choice<isa::ActivationFunction>(op, "op")))
    return failure();
  if ((mayDivide || op.kind == OpKind::compare || op.kind == OpKind::reduce) &&
      !divides && !(alu = choice<isa::AluOp>(op, "op")))
    return failure();
  auto operatorAttr = [&] {
    return OperatorAttr::get(&context,
                             divides ? Operator::division() : Operator(*alu));
  };
  auto value = [&] { return builder.getF64FloatAttr(number(op, "value")); };
  auto flag = [&](StringRef key) {
    return integer(op, key) ? builder.getUnitAttr() : UnitAttr();
  };
  Value &result = values[op.result];
  switch (op.kind) {
  case OpKind::fill:
    result = FillOp::create(builder, location, type, value());
    break;
  case OpKind::matmul:
    result = MatmulOp::create(builder, location, type, in[0], in[1],
                              flag("transpose_a"), flag("transpose_b"));
    break;
  case OpKind::transpose:
    result = TransposeOp::create(builder, location, type, in[0]);
    break;
  case OpKind::unary:
    result = UnaryOp::create(builder, location, type, *function, in[0]);
    break;
  case OpKind::binary:
    result =
        BinaryOp::create(builder, location, type, operatorAttr(), in[0], in[1]);
    break;
  case OpKind::scalar:
    result = ScalarOp::create(builder, location, type, operatorAttr(), in[0],
                              value(), flag("reverse"));
    break;
  case OpKind::compare:
    result = CompareOp::create(
        builder, location, type, nc::AluOpAttr::get(&context, *alu), in[0],
        in.size() > 1 ? in[1] : Value(), in.size() > 1 ? FloatAttr() : value(),
        flag("reverse"));
    break;
  case OpKind::select:
    result = SelectOp::create(builder, location, type, in[0], in[1], in[2]);
    break;
  case OpKind::reduce:
    result = ReduceOp::create(builder, location, type, *alu, in[0]);
    break;
  case OpKind::cast:
    result = CastOp::create(builder, location, type, in[0]);
    break;
  case OpKind::copy:
    result = castTo(in[0], type.getElementType());
    break;
  default:
    return error("KILN-P108", "operation kind " +
                                  Twine(static_cast<unsigned>(op.kind)) +
                                  " is not known");
  }
  return success();
}
