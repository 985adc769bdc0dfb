//===- TransposeGroup.h - Transposes through PSUM that DMA may take -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_TRANSPOSEGROUP_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_TRANSPOSEGROUP_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include <optional>

namespace kiln::compiler::nc {

/// Blocks of 128 by 128 that the tensor engine transposes side by side into a
/// buffer in PSUM, and the one copy that empties it. The DMA engines can take
/// any number of them, from the last one on, without the copy.
class TransposeGroup {
public:
  /// The group that `copy` empties, if all of it is in one block and of a type
  /// that the DMA engines transpose bit for bit.
  static std::optional<TransposeGroup> of(NcInstruction copy);

  NcInstruction copy() const { return emptied; }
  llvm::ArrayRef<NcInstruction> blocks() const { return inOrder; }

  /// In front of the copy: the transfer in place of a block. The caller erases
  /// the block, or what is made.
  NcInstruction makeTransfer(size_t block) const;
  /// In front of the copy: what it is for the first `kept` blocks only.
  NcInstruction makeCopy(size_t kept) const;
  /// The DMA engines take all but the first `kept` blocks.
  void rewrite(size_t kept) const;

private:
  NcInstruction emptied;
  llvm::SmallVector<NcInstruction, 8> inOrder; ///< Of their columns.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_TRANSPOSEGROUP_H
