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
/// iteration, so all that is done for one iteration must look at one copy of
/// it, as far apart in the copy as in the buffer; and all other memory must be
/// looked at where the loop does in that iteration.
///
/// That two iterations do not disturb each other in one copy is another
/// matter, which the proof of the streams settles by addresses.
///
/// Reports an internal error (KILN-C900) at the operation. A loop that was not
/// numbered (see SourceOrder.h) says nothing of its copies: it passes.
mlir::LogicalResult checkRenaming(mlir::scf::ForOp loop,
                                  mlir::Operation *before);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_PROVE_RENAMING_H
