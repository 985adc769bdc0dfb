//===- QueueChoice.h - Streams and queues of transfers --------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_TRANSFORM_NC_QUEUECHOICE_H
#define KILN_COMPILER_LIB_TRANSFORM_NC_QUEUECHOICE_H

#include "kiln/compiler/dialect/nc/Analysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <map>

namespace kiln::compiler::nc {

/// Which stream issues a transfer of a kernel, and on which DMA queue.
class QueueChoice {
public:
  /// Queues `first` to `first` + `count` - 1.
  struct Range {
    unsigned first, count;
  };

  explicit QueueChoice(mlir::func::FuncOp function);

  /// One stream feeds a queue: that of the first transfer on it whose stream
  /// the user names, else that of the first.
  isa::Engine streamOf(NcInstruction op, llvm::ArrayRef<MemoryAccess> accesses);

  static bool hasUserQueue(NcInstruction op);

  /// In the order of the program.
  void add(NcInstruction transfer) { transfers.push_back(transfer); }

  /// Gives all transfers queues; they have engines.
  llvm::LogicalResult assign();

private:
  llvm::LogicalResult takeQueues();
  void countInLoops();
  static unsigned evenQueues(unsigned transfers, unsigned queues);
  llvm::LogicalResult assignQueue(NcInstruction op);
  Range usualQueuesOf(NcInstruction op, isa::Engine stream) const;
  isa::Engine streamOfTransfer(NcInstruction op,
                               llvm::ArrayRef<MemoryAccess> accesses);
  bool isLateCopy(NcInstruction op, llvm::ArrayRef<MemoryAccess> accesses);
  bool isBesideLoops(NcInstruction op);
  bool feeds(size_t engine) const {
    return hasMeetings[engine] || hasCopies[engine];
  }

  /// Of a stream in a block.
  using StreamPlace = std::pair<mlir::Block *, unsigned>;
  static StreamPlace placeOf(NcInstruction op) {
    return {op->getBlock(), static_cast<unsigned>(*op.getAssignedEngine())};
  }
  /// The transfers of a loop's body: all, and those that have a queue.
  struct InLoop {
    unsigned count = 0, begun = 0;
    bool loadsOnly = true; ///< They read nothing that is on chip.
  };

  mlir::func::FuncOp function;
  llvm::DenseMap<StreamPlace, InLoop> inLoops; ///< Only looked up.
  std::array<unsigned, isa::numEngines> nextQueue{};
  /// By stream, among its transfers.
  std::array<bool, isa::numEngines> hasMeetings{}, hasCopies{};
  llvm::SmallVector<NcInstruction> transfers;
  /// By queue: the first transfer of the user's on it.
  std::array<NcInstruction, isa::dmaQueues> owners;
  std::map<int64_t, isa::Engine> namedStreams;
  llvm::DenseMap<mlir::Block *, bool> besideLoops; ///< See isBesideLoops().
  mlir::Operation *lastLoad = nullptr;
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_TRANSFORM_NC_QUEUECHOICE_H
