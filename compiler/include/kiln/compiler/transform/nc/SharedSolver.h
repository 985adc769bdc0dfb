//===- SharedSolver.h - Loops that are solved once ------*- C++ -*---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_NC_SHAREDSOLVER_H
#define KILN_COMPILER_TRANSFORM_NC_SHAREDSOLVER_H

#include "kiln/compiler/solve/ModuloSolver.h"
#include "kiln/compiler/transform/nc/Passes.h"

namespace kiln::compiler::nc {

/// A solver that passes on one thread share.
using SharedSolver = std::shared_ptr<problems::ModuloSolver>;

/// nc-pipeline-loops with a solver that also serves other runs of the pass.
std::unique_ptr<mlir::Pass>
createNcPipelineLoops(NcPipelineLoopsOptions options, SharedSolver solver);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORM_NC_SHAREDSOLVER_H
