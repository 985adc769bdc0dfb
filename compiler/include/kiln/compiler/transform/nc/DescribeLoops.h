//===- DescribeLoops.h - What each loop takes, and why --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_NC_DESCRIBELOOPS_H
#define KILN_COMPILER_TRANSFORM_NC_DESCRIBELOOPS_H

#include "kiln/compiler/schedule_report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::compiler::nc {

/// Appends the loops of `func` as they are after nc-allocate, whichever passes
/// made them. Changes nothing.
void describeLoops(mlir::func::FuncOp func, ScheduleReport &report);

/// Moves the problems that nc-pipeline-loops was to keep to `texts`.
void takeLoopProblems(mlir::func::FuncOp func, std::vector<std::string> &texts);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORM_NC_DESCRIBELOOPS_H
