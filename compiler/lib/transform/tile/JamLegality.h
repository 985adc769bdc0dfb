//===- JamLegality.h - Iterations that may run side by side ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_JAMLEGALITY_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_JAMLEGALITY_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::compiler::tile {

/// The iterations of `loop` in groups of `factor`.
struct JamGroup {
  mutable mlir::scf::ForOp loop; ///< A handle.
  int64_t begin = 0, step = 1, factor = 1;

  /// The value is the same in all iterations of each group.
  bool invariant(mlir::Value value) const;

private:
  /// `expr` over dimension `dim` alone is the same in all of each group.
  bool sameInGroup(mlir::AffineExpr expr, unsigned dims, unsigned dim) const;
};

/// Iterations of `loop` neither pass values to each other nor write where
/// another one writes or reads.
bool iterationsAreIndependent(mlir::scf::ForOp loop);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_JAMLEGALITY_H
