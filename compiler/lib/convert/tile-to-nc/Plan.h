//===- Plan.h - Which tile values share memory with buffers ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_PLAN_H
#define KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_PLAN_H

#include "kiln/compiler/dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::compiler {

/// Decides, before anything is lowered, * which tile.read may use its buffer
/// instead of copying it: nothing
///    writes the buffer until the last use of the value;
///  * which tile.assign needs no copy because the producer of its value may
///    write into the buffer at once: nothing looks at the buffer between the
///    producer and the assignment.
/// Positions are compared inside one block; what happens in a nested loop
/// counts as happening at the loop. Cost is O(accesses * log * nesting).
class BufferPlan {
public:
  explicit BufferPlan(mlir::func::FuncOp function);

  bool aliases(tile::ReadOp read) const { return aliased.contains(read); }
  bool isForwarded(tile::AssignOp assign) const {
    return forwarded.contains(assign);
  }
  /// The assignment that gives `value` its memory, if one does.
  tile::AssignOp destinationOf(mlir::Value value) const {
    return destinations.lookup(value);
  }
  /// The last operation of `value`'s block that uses it, views included.
  mlir::Operation *lastUse(mlir::Value value) const;
  /// Products of the tensor engine that start before `op`.
  int64_t productsBefore(mlir::Operation *op) const {
    return places.lookup(op).products;
  }

private:
  struct Access {
    int64_t position;
    mlir::Operation *op; ///< The user; its ancestor is at `position`.
    bool writes;
    bool operator<(const Access &other) const {
      return position < other.position;
    }
  };
  using Key = std::pair<mlir::Value, mlir::Block *>;

  /// Pinned buffers may share bytes, so all of one memory count as one.
  mlir::Value placeOf(mlir::Value buffer);

  void number(mlir::Region &region, int64_t &seen);
  void addAccess(mlir::Value buffer, mlir::Operation *op, bool writes);
  void addUses(mlir::Value buffer, mlir::Value value);
  bool canAlias(tile::ReadOp read);
  bool canForward(tile::AssignOp assign);
  int64_t lastUsePosition(mlir::Value value, mlir::Block *block) const;

  struct Place {
    int64_t position = 0; ///< In its block.
    int64_t products = 0; ///< That start before it.
  };
  int64_t positionOf(mlir::Operation *op) const {
    return places.lookup(op).position;
  }
  llvm::DenseMap<mlir::Operation *, Place> places;
  /// Writes and, once known, looks, by buffer and block, sorted on demand.
  llvm::DenseMap<Key, std::vector<Access>> accesses;
  llvm::DenseSet<mlir::Operation *> aliased, forwarded;
  llvm::DenseMap<mlir::Value, tile::AssignOp> destinations;
  mlir::Value firstPinned[3]; ///< By Space.
};

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_TILE_TO_NC_PLAN_H
