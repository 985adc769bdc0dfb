//===- LongRows.h - A stored value as one row per partition ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_TILE_LONGROWS_H
#define KILN_COMPILER_LIB_TRANSFORM_TILE_LONGROWS_H

#include "StreamPlan.h"

namespace kiln::compiler::tile {

/// Whether the rows of what is stored, without gaps, leave partitions or DMA
/// engines idle.
bool hasUnevenRows(StoreOp store);
/// Whether the value is computed element by element from what lies in HBM in
/// the same order, without gaps. Then other rows of these elements give the
/// same value. `cone` is what it is made of.
bool mayHaveOtherRows(StoreOp store, const StreamPlan::Cone &cone);

/// In front of such a store: stores of the elements that do not fill a row, if
/// there are any, and of the others as 128 long rows, which is the last one.
llvm::SmallVector<StoreOp, 2> storesOfLongRows(StoreOp store,
                                               const StreamPlan::Cone &cone);

} // namespace kiln::compiler::tile

#endif // KILN_COMPILER_LIB_TRANSFORM_TILE_LONGROWS_H
