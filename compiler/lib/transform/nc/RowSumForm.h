//===- RowSumForm.h - Sums of rows on either engine -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ROWSUMFORM_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ROWSUMFORM_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// True for a tensor_reduce of floats that adds each row to one number: an
/// activation that copies the tile adds the same numbers in the same order, in
/// fp32 from 0. The user did not choose its engine.
bool isRowSum(NcInstruction op);

/// Replaces it by that activation, whose copy is not read.
void sumByActivation(NcInstruction op);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ROWSUMFORM_H
