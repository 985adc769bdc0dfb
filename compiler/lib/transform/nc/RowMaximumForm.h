//===- RowMaximumForm.h - Maxima of rows by two engines -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ROWMAXIMUMFORM_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ROWMAXIMUMFORM_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// True for an activate2 that multiplies a tile by a number and takes the
/// maximum or minimum of each row: two instructions can do it, each for some of
/// the columns. The compiler chose it, and its tile is wide.
bool isDivisibleMaximum(NcInstruction op);

/// ScalarE does that for the first columns and VectorE for the last ones, so
/// many sixteenths of them. A third instruction, of one column, takes the
/// larger of both results. A maximum is the same in any order, so all bits are
/// as before.
void divideMaximum(NcInstruction op, size_t sixteenths);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ROWMAXIMUMFORM_H
