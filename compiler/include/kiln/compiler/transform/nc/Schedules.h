//===- Schedules.h - Schedules between a compilation and its caller -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_NC_SCHEDULES_H
#define KILN_COMPILER_TRANSFORM_NC_SCHEDULES_H

#include "kiln/schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::compiler::nc {

/// On a function: the text of a schedule for its loops; empty if the user
/// only wants to read the decisions.
inline constexpr llvm::StringLiteral scheduleAttrName = "nc.schedule";
/// The file it came from, for messages.
inline constexpr llvm::StringLiteral scheduleFileAttrName = "nc.schedule_file";

/// Reads from a function, between passes, the decisions for its loops.
class ScheduleWriter {
public:
  /// After nc-choose-engines: reads the instructions and their engines.
  void readEngines(mlir::func::FuncOp func);
  /// After nc-pipeline-loops: reads how it changed the loops.
  void readPipelines(mlir::func::FuncOp func);
  /// After nc-allocate: reads the order and the copies of all others.
  void readOrders(mlir::func::FuncOp func);

  std::vector<schedule::Loop> take() { return std::move(loops); }

private:
  schedule::Loop *find(llvm::StringRef name);
  void dropUndecided();

  std::vector<schedule::Loop> loops;
  /// Where engines may take turns, until the loops are pipelined.
  llvm::StringSet<> undecided;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORM_NC_SCHEDULES_H
