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
  // Bytes are reinterpreted in memory.
  if (view.dtype != program.values[view.value].dtype &&
      mlir::isa<RankedTensorType>(base.getType()))
    base = memoryOfTile(view.value);
  Type element = nc::elementType(&context, view.dtype);
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

Value Importer::castTo(Value value, Type element) {
  TileType type = tensorOf(value);
  if (type.getElementType() == element)
    return value;
  return CastOp::create(builder, location,
                        TileType::get(type.getShape(), element), value);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// One function for each operation.
class Importer::TileImporter {
public:
  TileImporter(Importer &importer, const Op &op)
      : in(importer), op(op), builder(importer.builder),
        location(importer.location) {}

  //===--- Memory ---------------------------------------------------------===//

  LogicalResult import(const program::Declare &declare) {
    const program::Value &value = in.program.values[op.result];
    auto optional = [&](std::optional<int64_t> given, int64_t scale = 1) {
      return given ? builder.getI64IntegerAttr(*given * scale) : IntegerAttr();
    };
    IntegerAttr byte = optional(declare.byte);
    if (!byte)
      byte = optional(declare.bank, isa::psumBankBytes);
    auto label =
        value.name.empty() ? StringAttr() : builder.getStringAttr(value.name);
    auto space = nc::SpaceAttr::get(&in.context, value.space == isa::Space::psum
                                                     ? nc::Space::psum
                                                     : nc::Space::sbuf);
    return define(DeclareOp::create(
        builder, location,
        MemRefType::get(value.shape, nc::elementType(&in.context, value.dtype),
                        MemRefLayoutAttrInterface(), space),
        optional(declare.ring), optional(declare.partition), byte, label));
  }
  LogicalResult import(const program::Load &load) {
    return fromMemory<LoadOp>(load.source);
  }
  LogicalResult import(const program::LoadTransposed &load) {
    return fromMemory<LoadTransposedOp>(load.source);
  }
  LogicalResult import(const program::Store &store) {
    return toMemory<StoreOp>(store.target, store.source);
  }
  LogicalResult import(const program::Assign &assign) {
    return toMemory<AssignOp>(assign.target, assign.source);
  }

  //===--- Computation ----------------------------------------------------===//

  LogicalResult import(const program::Fill &fill) {
    return define(
        FillOp::create(builder, location, type(), number(fill.value)));
  }
  LogicalResult import(const program::Matmul &matmul) {
    SmallVector<const View *> views{&matmul.a, &matmul.b};
    const bool isScaled = matmul.aScales && matmul.bScales;
    if (isScaled)
      views.append({&*matmul.aScales, &*matmul.bScales});
    return with(views, [&](ArrayRef<Value> x) {
      return MatmulOp::create(builder, location, type(), x[0], x[1],
                              isScaled ? x[2] : Value(),
                              isScaled ? x[3] : Value(),
                              flag(matmul.transposeA), flag(matmul.transposeB));
    });
  }
  LogicalResult import(const program::Quantize &quantize) {
    return with({&quantize.x}, [&](ArrayRef<Value> x) -> Value {
      const isa::DType packed =
          quantize.scalesOf.value_or(in.program.values[op.result].dtype);
      const TileType input = tensorOf(x[0]);
      const auto resultOf = [&](int64_t rows, isa::DType dtype) {
        return TileType::get({input.getDimSize(0) / rows, input.getDimSize(1)},
                             nc::elementType(&in.context, dtype));
      };
      const TileType packedType = resultOf(4, packed);
      const auto resultFor = [&](QuantizeOp made) {
        return quantize.scalesOf ? made.getScales() : made.getData();
      };
      // One operation makes both.
      for (Operation *user : x[0].getUsers())
        if (auto other = dyn_cast<QuantizeOp>(user);
            other && other->getBlock() == builder.getInsertionBlock() &&
            other.getData().getType() == packedType)
          return resultFor(other);
      auto made = QuantizeOp::create(builder, location, packedType,
                                     resultOf(32, isa::DType::f8e8m0), x[0],
                                     /*turned=*/UnitAttr());
      return resultFor(made);
    });
  }
  LogicalResult import(const program::Transpose &transpose) {
    return with({&transpose.x}, [&](ArrayRef<Value> x) {
      return TransposeOp::create(builder, location, type(), x[0]);
    });
  }
  LogicalResult import(const program::Unary &unary) {
    return with({&unary.x}, [&](ArrayRef<Value> x) {
      return UnaryOp::create(builder, location, type(), unary.op, x[0]);
    });
  }
  LogicalResult import(const program::Binary &binary) {
    return with({&binary.x, &binary.y}, [&](ArrayRef<Value> x) {
      return BinaryOp::create(builder, location, type(), operatorOf(binary.op),
                              x[0], x[1]);
    });
  }
  LogicalResult import(const program::Scalar &scalar) {
    return with({&scalar.x}, [&](ArrayRef<Value> x) {
      return ScalarOp::create(builder, location, type(), operatorOf(scalar.op),
                              x[0], number(scalar.value),
                              flag(scalar.reverse.value_or(false)));
    });
  }
  LogicalResult import(const program::Compare &compare) {
    SmallVector<const View *> views{&compare.x};
    if (compare.y)
      views.push_back(&*compare.y);
    return with(views, [&](ArrayRef<Value> x) {
      return CompareOp::create(builder, location, type(),
                               nc::AluOpAttr::get(&in.context, compare.op),
                               x[0], compare.y ? x[1] : Value(),
                               compare.y ? FloatAttr()
                                         : number(compare.value.value_or(0)),
                               flag(compare.reverse.value_or(false)));
    });
  }
  LogicalResult import(const program::Select &select) {
    return with({&select.mask, &select.x, &select.y}, [&](ArrayRef<Value> x) {
      return SelectOp::create(builder, location, type(), x[0], x[1], x[2]);
    });
  }
  LogicalResult import(const program::Keep &keep) {
    return with({&keep.x}, [&](ArrayRef<Value> x) -> Value {
      std::optional<Offset> at = in.offset(keep.offset.index);
      if (!at)
        return Value();
      return KeepOp::create(builder, location, type(), x[0], at->operands,
                            builder.getI64IntegerAttr(keep.rowStep),
                            builder.getI64IntegerAttr(keep.colStep),
                            AffineMapAttr::get(at->map),
                            nc::AluOpAttr::get(&in.context, keep.compare),
                            number(keep.otherwise));
    });
  }
  LogicalResult import(const program::Reduce &reduce) {
    return with({&reduce.x}, [&](ArrayRef<Value> x) {
      return ReduceOp::create(builder, location, type(), reduce.op, x[0]);
    });
  }
  LogicalResult import(const program::Cast &cast) {
    return with({&cast.x}, [&](ArrayRef<Value> x) {
      return CastOp::create(builder, location, type(), x[0]);
    });
  }
  LogicalResult import(const program::Copy &copy) {
    return with({&copy.x}, [&](ArrayRef<Value> x) {
      return in.castTo(x[0], type().getElementType());
    });
  }

  // Import.cpp has handled them.
  LogicalResult import(const program::Loop &) { return failure(); }
  LogicalResult import(const InstructionCall &) { return failure(); }

private:
  TileType type() { return in.resultType(op); }
  FloatAttr number(double value) { return builder.getF64FloatAttr(value); }
  UnitAttr flag(bool isSet) {
    return isSet ? builder.getUnitAttr() : UnitAttr();
  }
  OperatorAttr operatorOf(const program::Operator &given) {
    return OperatorAttr::get(&in.context, given.alu ? Operator(*given.alu)
                                                    : Operator::division());
  }

  LogicalResult define(Value value) {
    in.values[op.result] = value;
    return success(value != Value());
  }
  /// The result of `make` on the values of some views.
  template <class Make>
  LogicalResult with(ArrayRef<const View *> views, Make &&make) {
    SmallVector<Value> values;
    for (const View *view : views) {
      values.push_back(in.read(*view));
      if (!values.back())
        return failure();
    }
    return define(make(values));
  }
  template <class Load> LogicalResult fromMemory(const View &view) {
    Value base = in.memory(view);
    std::optional<Offset> at = in.offset(view.offset);
    if (!base || !at)
      return failure();
    return define(Load::create(builder, location, type(), base, at->operands,
                               static_cast<uint64_t>(view.row), at->map,
                               view.sizes, view.strides));
  }
  template <class Store>
  LogicalResult toMemory(const View &view, const View &source) {
    // Operand before memory: its reads come first.
    Value value = in.read(source);
    Value base = in.memory(view);
    std::optional<Offset> at = in.offset(view.offset);
    if (!base || !at || !value)
      return failure();
    value = in.castTo(value, nc::elementType(&in.context, view.dtype));
    Store::create(builder, location, base, value, at->operands,
                  static_cast<uint64_t>(view.row), at->map, view.sizes,
                  view.strides);
    return success();
  }

  Importer &in;
  const Op &op;
  OpBuilder &builder;
  Location location;
};

LogicalResult Importer::importTile(const Op &op) {
  return std::visit(
      [&](const auto &operation) -> LogicalResult {
        if (operation.result && op.result == program::none)
          return error("KILN-P107",
                       StringRef(operation.name.data(), operation.name.size()) +
                           " needs a result");
        return TileImporter(*this, op).import(operation);
      },
      op.operation);
}
