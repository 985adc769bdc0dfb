//===- StreamMoves.cpp - What may be computed at a store ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamMoves.h"

#include "kiln/compiler/dialect/nc/WrittenMemory.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

bool tile::mayMove(StoreOp store, const StreamPlan::Cone &cone) {
  nc::WrittenMemory written;
  size_t left = cone.size();
  bool barrier = false;
  for (Operation *op = store->getPrevNode(); op && left;
       op = op->getPrevNode()) {
    if (cone.contains(op)) {
      --left;
      Value base;
      if (auto load = dyn_cast<LoadOp>(op))
        base = load.getBase();
      else if (auto load = dyn_cast<LoadTransposedOp>(op))
        base = load.getBase();
      if (base && (barrier || written.contains(base)))
        return false;
      continue;
    }
    written.add(op);
    op->walk([&](Operation *inner) {
      barrier |= inner->getName().getDialectNamespace() != "tile" &&
                 inner->getNumRegions() == 0 &&
                 !inner->hasTrait<OpTrait::IsTerminator>() &&
                 !isMemoryEffectFree(inner);
    });
  }
  return true;
}

bool tile::canMoveTo(StoreOp store, StoreOp other) {
  if (other->getBlock() != store->getBlock() ||
      other.getBase() == store.getBase())
    return false;
  const bool isEarlier = other->isBeforeInBlock(store);
  Operation *first = isEarlier ? other : store,
            *last = isEarlier ? store : other;
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
    if (op->getNumRegions() != 0 ||
        (op->getName().getDialectNamespace() != "tile" &&
         !isMemoryEffectFree(op)))
      return false;
  for (Operation *user : other.getBase().getUsers())
    if (user != other)
      return false;
  return true;
}
