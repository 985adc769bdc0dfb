//===- OrderPlay.h - Accesses in the order of the final program -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROVE_ORDER_ORDERPLAY_H
#define KILN_COMPILER_LIB_PROVE_ORDER_ORDERPLAY_H

#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/prove/OrderRecord.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace kiln::compiler::nc {

/// A memory operand of an instruction, read from what is built of it.
struct PlayedOperand {
  mutable ViewOp view; ///< A handle.
  isa::Effect effect = isa::Effect::none;
  isa::Access shape;
  bool isIndexed = false;
};
llvm::SmallVector<PlayedOperand, 4> operandsOf(NcInstruction op);

/// Nothing that was recorded is lost; buffers are still written first.
mlir::LogicalResult checkWhole(mlir::func::FuncOp func,
                               const OrderRecord &record);

/// When the source does something: the numbers of the loops around it, each
/// followed by the value of its counter, and its own number. Compared by words.
using SourceTime = llvm::SmallVector<int64_t, 4>;

/// Bytes of one memory: in each partition `run` of them from `offset` on, at
/// each sum of strides, all of which are positive and the largest comes first.
/// What registers add to the offset is `unknown` (see PlayedIndices).
struct PlayedBytes {
  struct Stride {
    int64_t bytes = 0, count = 1;
    friend bool operator==(const Stride &, const Stride &) = default;
  };
  bool anywhere = false;
  uint32_t partition = 0, partitionEnd = 1;
  int64_t offset = 0, run = 1;
  uint32_t unknown = 0;
  int64_t low = 0, high = 0; ///< Of the sum, if something is unknown.
  llvm::SmallVector<Stride, 3> strides;
  friend bool operator==(const PlayedBytes &, const PlayedBytes &) = default;
};

/// True if a common byte is possible; halves the one that spans more.
bool meet(const PlayedBytes &a, const PlayedBytes &b);

/// One access of one execution. A read that was merged or moved out of a loop
/// stands for a span of times, a write has one.
struct PlayedAccess {
  mlir::Operation *op = nullptr;
  SourceTime first, last;
  PlayedBytes bytes;
  bool writes = false, reads = false;
};

/// The accesses to one memory so far, by the times that they stand for. They
/// arrive nearly sorted: a new access is compared only with those that stand
/// for later times.
class PlayedMemory {
public:
  /// An earlier access that the source has after this one, or null.
  const PlayedAccess *add(const PlayedAccess &access);

private:
  static const PlayedAccess *later(const std::vector<PlayedAccess> &list,
                                   const SourceTime &time,
                                   const PlayedAccess &access);
  static void insert(std::vector<PlayedAccess> &list,
                     const PlayedAccess &access);
  std::vector<PlayedAccess> reads, writes; ///< By `last`, ascending.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_LIB_PROVE_ORDER_ORDERPLAY_H
