//===- FromMemory.cpp - What only memory decides --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Nc.h"
#include "kiln/compiler/dialect/nc/Registers.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln::compiler::nc;

/// What `value` is computed from: operands, the bounds of the loop that counts
/// it, the values that a loop or a branch carries.
static void pushSources(Value value, SmallVectorImpl<Value> &sources) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (llvm::isa<FunctionOpInterface>(op))
    return;
  llvm::append_range(sources, op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(sources, block.getTerminator()->getOperands());
}

bool kiln::compiler::nc::comesFromMemory(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value source = work.pop_back_val();
    if (!seen.insert(source).second)
      continue;
    if (llvm::isa_and_present<RegisterLoadOp>(source.getDefiningOp()))
      return true;
    pushSources(source, work);
  }
  return false;
}

bool kiln::compiler::nc::isBoundByData(scf::ForOp loop) {
  return comesFromMemory(loop.getLowerBound()) ||
         comesFromMemory(loop.getUpperBound());
}
