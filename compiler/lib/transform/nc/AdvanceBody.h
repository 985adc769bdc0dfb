//===- AdvanceBody.h - Parts of a body around a loop ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_ADVANCEBODY_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_ADVANCEBODY_H

#include "kiln/compiler/dialect/nc/Nc.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace kiln::compiler::nc {

/// Of a body: what the head loads, the rest of the head, the inner loop or what
/// became of it, what comes behind it, and what finishes the iteration.
enum class Part : uint8_t {
  loads = 1,
  head = 2,
  middle = 4,
  tail = 8,
  finish = 16,
  rest = middle | tail | finish
};

/// The body around one loop without loops in it.
class AdvanceBody {
public:
  explicit AdvanceBody(mlir::scf::ForOp loop) : loop(loop) {}

  /// Empty if the next iteration may begin beside the end of this one, else
  /// the reason, as a clause, why it may not.
  llvm::StringRef whyNot();

  /// Whether nc-pipeline-loops made the inner loop.
  bool isPipelined() const { return pipelined.has_value(); }

  /// Whether some work runs one iteration later.
  bool finishesLater() const { return !finish.empty(); }

  /// Buffers of the body that the head and something else use, or what finishes
  /// the iteration and something else.
  llvm::SmallVector<AllocOp> handedOn() const;

  /// Copies a part, or several, for iteration `index`: that of the loop around
  /// it and `turn`, or, if `absolute`, `turn` itself. `map` says which memory
  /// stands for that of the body.
  void copy(mlir::OpBuilder &builder, Part part, mlir::Value index,
            bool absolute, int64_t turn, mlir::IRMapping map = {}) const;

private:
  Part partOf(mlir::Operation &op) const;

  /// What stands behind all that the pipelined loop has left, if the next
  /// iteration may begin before it: nothing outside of the body, no PSUM and no
  /// copy that goes round is shared with what comes before it then.
  void findFinish();
  bool isOneTurn() const;

  /// Transfers of the head that nothing in the loop has to come before: from
  /// tensors that it does not write to buffers that nothing else writes.
  void findLoads();

  mutable mlir::scf::ForOp loop;
  mlir::scf::ForOp inner;
  std::optional<int64_t> pipelined; ///< The number of that loop.
  llvm::SmallDenseSet<mlir::Operation *> head;
  llvm::SmallDenseSet<mlir::Operation *> finish;
  llvm::SmallDenseSet<mlir::Operation *> loads;  ///< Of the head.
  llvm::SmallDenseSet<mlir::Operation *> loaded; ///< The buffers they fill.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_ADVANCEBODY_H
