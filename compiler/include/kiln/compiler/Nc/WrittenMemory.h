//===- WrittenMemory.h - What code may write ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_NC_WRITTENMEMORY_H
#define KILN_COMPILER_NC_WRITTENMEMORY_H

#include "kiln/compiler/Nc/Nc.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::compiler::nc {

/// Buffers and tensors that code may write, by its memory effects: what an
/// instruction does to its operands, whatever it is called and wherever its
/// views stand; what other operations declare. An operation that declares
/// nothing may write everything.
class WrittenMemory {
public:
  /// All that `op` and the operations in it may write.
  void add(mlir::Operation *op);

  /// Pinned buffers count as written together with others pinned in the same
  /// memory: they may share bytes.
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

#endif // KILN_COMPILER_NC_WRITTENMEMORY_H
