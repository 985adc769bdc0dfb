//===- LoopProblem.h - A loop body as a modulo problem --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_LOOPPROBLEM_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_LOOPPROBLEM_H

#include "kiln/compiler/dialect/nc/Cost.h"
#include "kiln/compiler/problem/ModuloProblem.h"
#include "kiln/compiler/transform/nc/ByteAccesses.h"

#include <string>

namespace kiln::compiler::nc {

/// The instructions of an innermost loop, the buffers that each iteration has
/// of its own, and the problem that numbers them in this order. After them, it
/// has operations for other engines that take turns with them.
struct LoopProblem {
  /// An instruction that two engines run in turns.
  struct Turns {
    uint32_t operation = 0;
    isa::Engine other = isa::Engine::vector;
    int64_t own = 0, others = 0; ///< ps that it takes on each.
    double share = 0;            ///< Of the iterations, for the other engine.
    uint32_t placeholder = 0;    ///< The operation for the other engine.

    /// In so many of `period` iterations the other engine runs it, so that
    /// neither has much more to do than the other.
    int64_t countIn(int64_t period,
                    const problems::ModuloProblem &problem) const;
    /// The same, for a body after which the order repeats.
    problems::ModuloTurns in(int64_t period,
                             const problems::ModuloProblem &problem,
                             int64_t shift) const {
      return {operation, placeholder, other,
              own,       others,      countIn(period, problem),
              period,    shift};
    }
  };

  llvm::SmallVector<NcInstruction> operations;
  llvm::SmallVector<AllocOp> buffers;
  llvm::SmallVector<Turns, 1> turns;
  problems::ModuloProblem problem;
};

/// Bytes per partition from one copy of a buffer to the next one in its bank.
inline int64_t pitchOf(AllocOp alloc) {
  return static_cast<int64_t>(llvm::alignTo(alloc.getBytesPerPartition(), 64));
}

/// The purpose of the problem. A finished loop is described with the copies
/// that its buffers have, whichever pass set them, and in whatever order.
enum class LoopPurpose : uint8_t { schedule, describe };

/// No other loop stands beside it, nor did before it was software pipelined:
/// one iteration of the loop around it may begin beside the end of another.
bool standsAlone(mlir::Operation *loop);

/// Nothing, with the reason in `why`, if iterations of the loop cannot overlap:
/// it has loops or registers in it, memory or an order that the program fixed,
/// or it meets other cores. Every instruction must have its engine.
std::optional<LoopProblem>
loopProblem(mlir::scf::ForOp loop, Costs &costs, const PinnedSpaces &spaces,
            std::string &why, LoopPurpose purpose = LoopPurpose::schedule);

/// Whatever takes longest in an iteration, as a clause.
std::string bindingResource(const problems::ModuloProblem &problem,
                            const problems::ModuloBounds &bounds);

/// On a function, by nc-pipeline-loops: the problems of its loops as texts.
inline constexpr llvm::StringLiteral loopProblemsAttrName = "nc.loop_problems";

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_LOOPPROBLEM_H
