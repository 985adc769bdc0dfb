//===- Renaming.h - Copies of a loop's buffers ------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_PROVE_RENAMING_H
#define KILN_COMPILER_PROVE_RENAMING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::nc {

/// Checks the operands of the copies of `loop` that stand before it and
/// after `before` (null: from the start of the block on), against the loop
/// itself. A buffer that is allocated in the loop is a new one in each
/// iteration. So the operands of one iteration must be in one copy of it, at
/// the same distances as in the buffer. Operands in other memory must be where
/// the loop has them in that iteration.
///
/// This does not show that two iterations in one copy leave each other alone.
/// The proof of the streams shows that, by addresses.
///
/// Reports an internal error (KILN-C900) at the operation. A loop without
/// numbers (see SourceOrder.h) has nothing to compare: it passes.
mlir::LogicalResult checkRenaming(mlir::scf::ForOp loop,
                                  mlir::Operation *before);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_PROVE_RENAMING_H
