//===- WrittenBytes.h - Memory that tiles need as written -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_WRITTENBYTES_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_WRITTENBYTES_H

#include "StreamPlan.h"

namespace kiln::compiler::tile {

/// Bytes of a partition that a result takes, also turned round for a product.
int64_t bytesOf(mlir::Value value);

/// Bytes of a partition that the tiles of a block need at once, in the order in
/// which it is written.
int64_t bytesAsWritten(mlir::Block &block);
/// The same of a store and what it stores, `cone`.
int64_t bytesAsWritten(StoreOp store, const StreamPlan::Cone &cone);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_WRITTENBYTES_H
