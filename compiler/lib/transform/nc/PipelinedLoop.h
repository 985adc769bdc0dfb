//===- PipelinedLoop.h - The code of a modulo schedule --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_PIPELINEDLOOP_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_PIPELINEDLOOP_H

#include "LoopProblem.h"
#include "PipelineLayout.h"
#include "SharedBanks.h"

namespace kiln::compiler::nc {

/// Where another loop may begin: at the time at which this one would start one
/// iteration more.
struct PipelineEnd {
  int64_t number = 0;              ///< Of the loop from whose end time counts.
  int64_t next = 0;                ///< ps from there.
  llvm::SmallVector<BankUse> held; ///< Its PSUM.
  bool isHeldKnown = true;
  int64_t sbuf = 0; ///< Bytes per partition of its copies.
};

/// Replaces the loop, which runs `trips` times, by the prologue, the steady
/// state and the epilogue of its schedule. `number` is that of the loop in the
/// function. What runs in front of the new loop begins beside the end of the
/// one before it, if that is given and there are banks for both. Fails, and
/// says so, if what was made is not the loop.
mlir::FailureOr<PipelineEnd>
emitPipelined(mlir::scf::ForOp loop, const LoopProblem &body,
              const problems::ModuloSolution &solution,
              const PipelineLayout &layout, uint64_t trips, int64_t number,
              std::optional<PipelineEnd> before);

/// The same in front of a loop that runs any number of times. It keeps the
/// iterations for which there is no trip of the new loop.
mlir::LogicalResult emitForAnyTrips(mlir::scf::ForOp loop,
                                    const LoopProblem &body,
                                    const problems::ModuloSolution &solution,
                                    const PipelineLayout &layout,
                                    int64_t number);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_PIPELINEDLOOP_H
