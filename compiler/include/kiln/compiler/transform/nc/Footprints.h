//===- Footprints.h - An nc kernel as a SyncProblem ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_NC_FOOTPRINTS_H
#define KILN_COMPILER_TRANSFORM_NC_FOOTPRINTS_H

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/problem/SyncProblem.h"

#include <vector>

namespace kiln::compiler::nc {

/// HBM tensors in the order of the module's table: arguments, then nc.allocs.
class TensorNumbers {
public:
  explicit TensorNumbers(mlir::func::FuncOp func);
  unsigned operator[](mlir::Value base) const { return numbers.lookup(base); }
  llvm::ArrayRef<mlir::Value> values() const { return order; }
  /// Those without a result that were seen: about as many as there are
  /// instructions.
  size_t operationsForEffect() const { return effects; }

private:
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<mlir::Value> order;
  size_t effects = 0;
};

/// The problem, and the operations that its numbers stand for.
struct SyncInstance {
  problems::SyncProblem problem;
  std::vector<NcInstruction> instructions;
  std::vector<mlir::scf::ForOp> loops;
};

/// Needs engines, queues and addresses; if one is missing, it says which.
mlir::FailureOr<SyncInstance> buildSyncInstance(mlir::func::FuncOp func);

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORM_NC_FOOTPRINTS_H
