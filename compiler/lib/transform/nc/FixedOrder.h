//===- FixedOrder.h - What keeps iterations from overlapping --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_FIXEDORDER_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_FIXEDORDER_H

#include "kiln/compiler/dialect/nc/Nc.h"

namespace kiln::compiler::nc {

/// The reason, as a clause, why copies of an operation for several iterations
/// may not change places with the rest of their loop's body; empty if they may.
/// Regions are not looked into.
llvm::StringRef whyOrderIsFixed(mlir::Operation *op);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_FIXEDORDER_H
