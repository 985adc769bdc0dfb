//===- Pins.h - Buffers that have their places ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_PINS_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_PINS_H

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/problem/SpaceProblem.h"
#include "kiln/isa/target.h"

namespace kiln::compiler::nc {

/// What is wrong with the place that the user gave, alone.
mlir::LogicalResult checkPin(AllocOp op, const problems::SpaceRectangle &tile,
                             const isa::Target &target);

/// What pinned buffers alone do to each other.
problems::Problem collision(const problems::SpaceProblem &problem);

/// Gives the rectangle the limits of the memory scope of its buffer. A bank
/// that is only wished for gives way.
void limit(problems::SpaceRectangle &rectangle, AllocOp op);

/// The memory scope of the buffer is in the memory, and a pin in the scope.
mlir::LogicalResult checkScope(AllocOp op, const problems::SpaceRectangle &tile,
                               const isa::Target &target);

/// A memory scope has too little room for its tiles.
mlir::InFlightDiagnostic reportScope(AllocOp op,
                                     const problems::SpaceProblem &problem,
                                     const problems::SpaceFailure &failure);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_PINS_H
