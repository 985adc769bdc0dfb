//===- KeptOperands.h - Tiles that a loop only reads, in PSUM -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VectorE has a read port for each memory. Two tiles of SBUF pass one by one,
// or in a fast mode that takes turns with GpSimd. If one of them is in PSUM,
// both pass together, and GpSimd has SBUF to itself.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_KEPTOPERANDS_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_KEPTOPERANDS_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::nc {

/// The operand of an instruction of a loop that is always the same tile.
struct KeptOperand {
  NcInstruction op;
  ViewOp view;
};

/// Of the instructions on two tiles in SBUF, those of which one tile is written
/// in front of all loops around `loop`, and nowhere in them; in program order.
/// No more than have room in `bytes` of a partition, and `most`.
llvm::SmallVector<KeptOperand> keptOperandsOf(mlir::scf::ForOp loop,
                                              int64_t bytes, size_t most);

/// Copies in PSUM, in front of all loops around the operands.
class KeptCopies {
public:
  /// Makes each of `operands` read a copy.
  void make(llvm::ArrayRef<KeptOperand> operands);
  /// Erases the copies, whose readers are gone.
  void erase();

private:
  llvm::SmallVector<AllocOp> allocs;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_KEPTOPERANDS_H
