//===- StreamMoves.h - What may be computed at a store ----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMMOVES_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMMOVES_H

#include "StreamPlan.h"

namespace kiln::compiler::tile {

/// Whether the loads in the cone of `store` may run at it: nothing between a
/// load and the store writes what it reads, or may synchronise with something
/// that does.
bool mayMove(StoreOp store, const StreamPlan::Cone &cone);

/// Whether `other` may run at `store`: nothing between the two, and nothing
/// that `store` is made of, uses the tensor that `other` writes, or
/// synchronises.
bool canMoveTo(StoreOp store, StoreOp other);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_STREAMMOVES_H
