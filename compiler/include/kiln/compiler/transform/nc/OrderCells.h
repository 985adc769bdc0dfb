//===- OrderCells.h - Order that no data requires, as data ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edge "later starts when earlier is complete" is modelled as a cell of
// memory: the earlier operation writes it and the later one reads it, with one
// cell per iteration of the loops around both. The synchroniser therefore
// orders the edge like any other flow of data, in loops too, and its verifier
// checks it. No such memory exists.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_TRANSFORM_NC_ORDERCELLS_H
#define KILN_COMPILER_TRANSFORM_NC_ORDERCELLS_H

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/problem/SyncProblem.h"

#include <vector>

namespace kiln::compiler::nc {

class OrderCells {
public:
  /// Cells are tensors from `firstTensor` on.
  OrderCells(mlir::func::FuncOp func, std::uint32_t firstTensor);

  using LoopIds = llvm::DenseMap<mlir::Operation *, problems::LoopId>;
  /// Adds the accesses of `op` to cells.
  void addAccesses(NcInstruction op, const LoopIds &loops,
                   std::vector<problems::SyncAccess> &accesses) const;

private:
  struct Term {
    mlir::scf::ForOp loop;
    int64_t bytes = 0;
  };
  struct Use {
    std::uint32_t tensor = 0;
    bool write = false;
    int64_t offset = 0;
    std::uint64_t run = 1;
    llvm::SmallVector<Term, 2> terms;
  };
  using Group = llvm::SmallVector<NcInstruction, 2>;

  void addEdge(llvm::ArrayRef<NcInstruction> sources,
               llvm::ArrayRef<NcInstruction> targets);
  void addPacing(mlir::func::FuncOp func);
  void addMeetings(mlir::func::FuncOp func);

  std::uint32_t next;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Use, 1>> uses;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_TRANSFORM_NC_ORDERCELLS_H
