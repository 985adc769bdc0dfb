//===- Tile.h - The tile dialect ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_TILE_TILE_H
#define KILN_COMPILER_DIALECT_TILE_TILE_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::compiler::tile {

/// The operator of tile.binary and tile.scalar: one of the instruction set, or
/// division.
class Operator {
public:
  Operator(isa::AluOp op) : alu(op) {} // NOLINT: it is one.
  static Operator division() { return Operator(); }
  bool isDivision() const { return !alu; }
  /// Unless it is division.
  isa::AluOp aluOp() const { return *alu; }

  friend bool operator==(Operator, Operator) = default;
  friend llvm::hash_code hash_value(Operator op) {
    return llvm::hash_value(op.alu);
  }

private:
  Operator() = default;
  std::optional<isa::AluOp> alu;
};

} // namespace kiln::compiler::tile

#include "kiln/compiler/dialect/tile/TileDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "kiln/compiler/dialect/tile/TileAttributes.h.inc"
#define GET_OP_CLASSES
#include "kiln/compiler/dialect/tile/TileOps.h.inc"

namespace kiln::compiler::tile {

using TileType = mlir::RankedTensorType;

/// The state of an engine between draws of random numbers; it is not memory.
struct GeneratorState : mlir::SideEffects::Resource::Base<GeneratorState> {
  llvm::StringRef getName() final { return "generator"; }
};

/// The type of a tile value.
inline TileType tensorOf(mlir::Value value) {
  return mlir::cast<TileType>(value.getType());
}

/// A bare operator in the text of the IR, and how it is spelled.
mlir::FailureOr<Operator> parseOperator(mlir::AsmParser &parser);
llvm::StringRef textOf(Operator op);

/// Product of all extents but the first.
int64_t freeElements(TileType type);

/// Slots of 128 partitions that `rows` take.
inline int64_t slotsOf(int64_t rows) {
  return llvm::divideCeil(rows, static_cast<int64_t>(isa::maxPartitions));
}

/// Bytes that a tile takes in each partition.
int64_t bytesPerPartition(TileType type);

/// Elements that a memory has if its bytes are seen as those of `tile`.
int64_t elementsSeen(mlir::Value memory, mlir::Type tile);

/// [R, 1]: one value per row.
bool isColumn(TileType type);

/// The constant that `value` holds everywhere, if it is a tile.fill.
std::optional<double> splatOf(mlir::Value value);

/// Row-major strides; on chip, the stride of the rows is 1.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape,
                                        bool onChip);

/// True if the window shows a whole tile, so that nothing needs to be sliced.
bool isWhole(TileType source, TileType window, uint64_t row,
             mlir::AffineMap offset, llvm::ArrayRef<int64_t> strides);

/// offset = 0, no indices.
mlir::AffineMap zeroOffset(mlir::MLIRContext *context);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_DIALECT_TILE_TILE_H
