//===- WrittenBytes.cpp - Memory that tiles need as written ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBytes.h"

using namespace mlir;
using namespace kiln::compiler::tile;

int64_t kiln::compiler::tile::bytesOf(Value value) {
  if (mlir::isa<SliceOp, FillOp, ReadOp>(value.getDefiningOp()))
    return 0;
  TileType type = tensorOf(value);
  int64_t bytes = bytesOfTile(type);
  for (Operation *user : value.getUsers())
    if (auto matmul = dyn_cast<MatmulOp>(user))
      if ((matmul.getA() == value && !matmul.getTransposeA()) ||
          (matmul.getB() == value && matmul.getTransposeB()))
        bytes = std::max(bytes, bytesTurned(type));
  return bytes;
}

int64_t kiln::compiler::tile::bytesAsWritten(Block &block) {
  DenseMap<Operation *, int64_t> freed;
  int64_t live = 0, most = 0;
  for (Operation &op : block) {
    int64_t beside = 0;
    for (Value result : op.getResults()) {
      if (!mlir::isa<TileType>(result.getType()) ||
          op.getName().getDialectNamespace() != "tile")
        continue;
      const int64_t bytes = bytesOf(result);
      beside = bytesBeside(&op, tensorOf(result));
      Operation *last = &op;
      SmallVector<Value> values{result};
      while (!values.empty())
        for (Operation *user : values.pop_back_val().getUsers()) {
          Operation *here = block.findAncestorOpInBlock(*user);
          if (here && last->isBeforeInBlock(here))
            last = here;
          if (mlir::isa<SliceOp>(user) && here == user)
            values.push_back(user->getResult(0));
        }
      live += bytes;
      freed[last] += bytes;
    }
    most = std::max(most, live + beside);
    if (auto found = freed.find(&op); found != freed.end())
      live -= found->second;
  }
  return most;
}

/// In the block, also by way of slices.
static Operation *lastUser(Operation *op, StoreOp store,
                           const StreamPlan::Cone &cone) {
  Operation *last = op;
  for (Operation *user : op->getUsers()) {
    if (!cone.contains(user) && user != store)
      continue;
    Operation *end =
        mlir::isa<SliceOp>(user) ? lastUser(user, store, cone) : user;
    if (last->isBeforeInBlock(end))
      last = end;
  }
  return last;
}

int64_t kiln::compiler::tile::bytesAsWritten(StoreOp store,
                                             const StreamPlan::Cone &cone) {
  const auto bytesOfAll = [](Operation *op) {
    int64_t bytes = 0;
    for (Value result : op->getResults())
      bytes += bytesOf(result);
    return bytes;
  };
  DenseMap<Operation *, int64_t> freed;
  Operation *first = store;
  for (Operation *op : cone) {
    freed[lastUser(op, store, cone)] += bytesOfAll(op);
    if (op->isBeforeInBlock(first))
      first = op;
  }
  int64_t live = 0, most = 0;
  for (Operation *op = first;; op = op->getNextNode()) {
    int64_t beside = 0;
    if (cone.contains(op)) {
      live += bytesOfAll(op);
      beside = bytesBeside(op, tensorOf(op->getResult(0)));
    }
    most = std::max(most, live + beside);
    live -= freed.lookup(op);
    if (op == store)
      return most;
  }
}
