//===- JamProfit.h - What side by side would cost and gain ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_JAMPROFIT_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_JAMPROFIT_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <string>

namespace kiln::compiler::tile {

/// `loop` assigns and reads a buffer from around it: a chain of iterations.
bool carriesValue(mlir::scf::ForOp loop);

bool isInnermost(mlir::scf::ForOp loop);

/// Bytes per partition of all values of one iteration, at worst.
int64_t bytesOf(mlir::scf::ForOp loop);

/// PSUM banks that one iteration of a body could use at once, at worst.
int64_t banksOf(mlir::scf::ForOp loop);

/// PSUM banks of the products of one iteration that wait for no other one, and
/// that products which do are made of. nc-rotate keeps all of them while the
/// rest of the iteration before runs.
int64_t firstBanksOf(mlir::scf::ForOp loop);

/// nc-pipeline-loops has iterations enough of `chain` to overlap, and
/// nc-keep-loads the room for what they load, at most `budget` bytes of a
/// partition: several iterations of `loop`, around it, would take the banks of
/// the copies that this needs.
bool overlapsAlone(mlir::scf::ForOp chain, mlir::scf::ForOp loop,
                   int64_t budget);

/// Why `chain` stays a loop in the body of `loop`; empty if it does not.
/// Nothing if it has too many iterations to consider, or is not a chain.
std::optional<std::string> whyNotUnrolled(mlir::scf::ForOp chain,
                                          mlir::scf::ForOp loop);

/// `chain` is over before several of its iterations overlap, and in one body
/// with all of them iterations of `loop`, around it, overlap instead.
bool unrolls(mlir::scf::ForOp chain, mlir::scf::ForOp loop);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_JAMPROFIT_H
