//===- BufferLifetimes.h - From when to when buffers are used -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_BUFFERLIFETIMES_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_BUFFERLIFETIMES_H

#include "AllocatedCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::nc {

/// Numbers the operations of a function, and describes its buffers by these
/// numbers.
class BufferLifetimes {
public:
  explicit BufferLifetimes(mlir::func::FuncOp func);

  Buffer describe(AllocOp alloc) const;

private:
  std::uint32_t number(mlir::Operation *op, std::uint32_t next);
  Steps rangeIn(mlir::Block *block, mlir::Operation *user) const;

  mlir::func::FuncOp func;
  /// Every operation has a number, but views and index arithmetic are never
  /// looked up, so only the others are kept.
  llvm::DenseMap<mlir::Operation *, Steps> positions;
  llvm::DenseSet<mlir::Block *> withLoops; ///< Blocks that hold loops.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_BUFFERLIFETIMES_H
