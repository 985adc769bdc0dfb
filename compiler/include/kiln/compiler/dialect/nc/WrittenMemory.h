//===- WrittenMemory.h - What code may write ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_WRITTENMEMORY_H
#define KILN_COMPILER_DIALECT_NC_WRITTENMEMORY_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::compiler::nc {

/// Buffers and tensors that code may write, by its memory effects. For an
/// instruction, these are its effects on its operands, whatever its name and
/// wherever its views are defined; for other operations, the effects that they
/// declare. An operation that declares nothing may write everything.
class WrittenMemory {
public:
  /// Adds everything that `op` and the operations in it may write.
  void add(mlir::Operation *op);

  /// A pinned buffer counts as written if another one pinned in the same memory
  /// is: they may share bytes.
  bool contains(mlir::Value base) const;

private:
  void addOne(mlir::Operation *op);
  void addBase(mlir::Value base);

  llvm::DenseSet<mlir::Value> bases;
  unsigned pinned = 0; ///< Memories with written pins, a bit for each Space.
  bool everything = false;
};

/// The memory in which the program has pinned `base`, if it has.
std::optional<Space> pinnedSpace(mlir::Value base);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_WRITTENMEMORY_H
