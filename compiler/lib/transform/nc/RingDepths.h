//===- RingDepths.h - Copies that let a schedule run as predicted *- C++ -*-==//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_RINGDEPTHS_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_RINGDEPTHS_H

#include "LoopProblem.h"
#include "PipelineLayout.h"

namespace kiln::compiler::nc {

/// More copies of buffers in SBUF than the start times ask for, where a replay
/// of all iterations takes less time with them. A ring that is just deep enough
/// passes each delay of its readers on to its writer. If engines take turns,
/// the replay knows which one runs each iteration.
void deepenRings(const LoopProblem &body, problems::ModuloSolution &solution,
                 uint64_t trips);

/// The shift of the iterations that another engine runs (see ModuloTurns) with
/// which all iterations take less time in a replay.
int64_t shiftOfTurns(const LoopProblem &body,
                     const problems::ModuloSolution &solution,
                     const PipelineLayout &layout, uint64_t trips);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_RINGDEPTHS_H
