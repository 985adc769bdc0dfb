//===- QuarterProducts.h - Products of each fourth column -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_QUARTERPRODUCTS_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_QUARTERPRODUCTS_H

#include "kiln/compiler/dialect/tile/Tile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::compiler::tile {

/// [K, N] that one operation wants as [K / 4, 4, N], with the four rows of an
/// element on one partition. If it is computed from products alone, element by
/// element, and their first operands are contracted by rows, each fourth column
/// of these gives a fourth of it, on the right partitions.
class QuarterProducts {
public:
  QuarterProducts(mlir::Value value, mlir::Operation *user);

  bool isPossible() const { return possible; }

  /// Computes it before the user: a value of [K / 4, 4, N]. What it was made
  /// of has no user any more, and is left.
  mlir::Value make();

private:
  bool collect(mlir::Value value);
  mlir::Value quarter(mlir::Value value, int64_t q);
  mlir::Value quarterOf(LoadOp load, int64_t q);
  mlir::Value columnsOf(mlir::Value value, int64_t q);

  mlir::Value root;
  mlir::Operation *user;
  bool possible = false;
  llvm::SmallSetVector<mlir::Operation *, 8> operations;
  llvm::DenseMap<mlir::Value, mlir::Value> made; ///< Of the present quarter.
  llvm::DenseMap<LoadOp, mlir::Value> loaded;    ///< All four of a column.
};

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_QUARTERPRODUCTS_H
