//===- Plan.cpp - Which tile values share memory with buffers -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"

#include <algorithm>

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::tile;

BufferPlan::BufferPlan(func::FuncOp function) {
  int64_t seen = 0;
  number(function.getBody(), seen);
  SmallVector<ReadOp> reads;
  SmallVector<AssignOp> assigns;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      reads.push_back(read);
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      assigns.push_back(assign);
      addAccess(assign.getBase(), assign, /*writes=*/true);
    } else if (auto view = dyn_cast<nc::ViewOp>(op)) {
      // The user's instructions: any operand may be a destination.
      for (Operation *user : view->getUsers())
        addAccess(view.getBase(), user, /*writes=*/true);
    }
  });
  for (auto &[key, list] : accesses)
    llvm::sort(list);
  for (ReadOp read : reads)
    if (canAlias(read) || isMutated(Mutation::aliasLegality))
      aliased.insert(read);
  for (ReadOp read : reads)
    if (aliases(read))
      addUses(read.getBase(), read.getResult());
    else
      addAccess(read.getBase(), read, /*writes=*/false);
  for (auto &[key, list] : accesses)
    llvm::sort(list);
  for (AssignOp assign : assigns) {
    if (!canForward(assign))
      continue;
    forwarded.insert(assign);
    destinations[assign.getValue()] = assign;
    // The value lives in the buffer from now on: its users read it there.
    addUses(assign.getBase(), assign.getValue());
    for (Block *block = assign->getBlock(); block;
         block = block->getParentOp() ? block->getParentOp()->getBlock()
                                      : nullptr) {
      auto it = accesses.find({placeOf(assign.getBase()), block});
      if (it != accesses.end() &&
          !std::is_sorted(it->second.begin(), it->second.end()))
        llvm::sort(it->second);
    }
  }
}

/// `seen` products start before the region.
void BufferPlan::number(Region &region, int64_t &seen) {
  for (Block &block : region)
    for (auto [i, op] : llvm::enumerate(block)) {
      places[&op] = {static_cast<int64_t>(i), seen};
      seen += mlir::isa<MatmulOp, TransposeOp>(op);
      for (Region &inner : op.getRegions())
        number(inner, seen);
    }
}

Value BufferPlan::placeOf(Value buffer) {
  std::optional<nc::Space> space = nc::pinnedSpace(buffer);
  if (!space)
    return buffer;
  Value &first = firstPinned[static_cast<size_t>(*space)];
  if (!first)
    first = buffer;
  return first;
}

/// One entry in each block from the access out to the buffer's own.
void BufferPlan::addAccess(Value buffer, Operation *op, bool writes) {
  Operation *ancestor = op;
  const bool isPinned = nc::pinnedSpace(buffer).has_value();
  const Value place = placeOf(buffer);
  while (ancestor && places.contains(ancestor)) {
    Block *block = ancestor->getBlock();
    accesses[{place, block}].push_back({positionOf(ancestor), op, writes});
    if (!isPinned && block == buffer.getParentBlock())
      break;
    ancestor = block->getParentOp();
  }
}

void BufferPlan::addUses(Value buffer, Value value) {
  for (Operation *user : value.getUsers()) {
    addAccess(buffer, user, /*writes=*/false);
    if (auto slice = dyn_cast<SliceOp>(user))
      addUses(buffer, slice.getResult());
  }
}

int64_t BufferPlan::lastUsePosition(Value value, Block *block) const {
  int64_t last = -1;
  for (Operation *user : value.getUsers()) {
    if (Operation *ancestor = block->findAncestorOpInBlock(*user))
      last = std::max(last, positionOf(ancestor));
    if (auto slice = dyn_cast<SliceOp>(user))
      last = std::max(last, lastUsePosition(slice.getResult(), block));
  }
  return last;
}

Operation *BufferPlan::lastUse(Value value) const {
  Block *block = value.getParentBlock();
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *candidate = block->findAncestorOpInBlock(*user);
    if (auto slice = dyn_cast<SliceOp>(user);
        slice && slice->getBlock() == block)
      if (Operation *later = lastUse(slice.getResult()))
        candidate = later;
    if (!last || positionOf(last) < positionOf(candidate))
      last = candidate;
  }
  return last;
}

bool BufferPlan::canAlias(ReadOp read) {
  auto it = accesses.find({placeOf(read.getBase()), read->getBlock()});
  if (it == accesses.end())
    return true;
  int64_t from = positionOf(read);
  int64_t last = lastUsePosition(read.getResult(), read->getBlock());
  // An assignment of the very value that is read changes nothing before it.
  auto next = std::upper_bound(it->second.begin(), it->second.end(),
                               Access{from, nullptr, false});
  return next == it->second.end() || next->position > last;
}

/// May write over an input that is the same window, in one pass.
static bool worksInPlace(Operation *op, Value result) {
  return mlir::isa<ActivateOp, ChainOp, ScalarTensorOp, BinaryOp>(op) &&
         result == op->getResult(0);
}

static bool sameWindow(AssignOp assign, Value operand) {
  auto read = operand.getDefiningOp<ReadOp>();
  return read && read.getBase() == assign.getBase() &&
         tensorOf(operand).getElementType() ==
             tensorOf(assign.getValue()).getElementType() &&
         read.getRow() == assign.getRow() &&
         read.getOffset() == assign.getOffset() &&
         llvm::equal(read.getIndices(), assign.getIndices()) &&
         read.getSizes() == assign.getSizes() &&
         read.getStrides() == assign.getStrides();
}

bool BufferPlan::canForward(AssignOp assign) {
  Value value = assign.getValue();
  Operation *producer = value.getDefiningOp();
  if (!producer || producer->getBlock() != assign->getBlock() ||
      mlir::isa<ReadOp, SliceOp, FillOp>(producer) ||
      // Scales are made where the tensor engine reads them.
      (mlir::isa<QuantizeOp>(producer) && value != producer->getResult(0)) ||
      destinations.contains(value) ||
      assign.getRow() % kiln::isa::maxPartitions != 0 ||
      nc::spaceOf(cast<MemRefType>(assign.getBase().getType())) !=
          nc::Space::sbuf)
    return false;
  Block *block = assign->getBlock();
  int64_t from = positionOf(producer), to = positionOf(assign);
  // The address must be known where the producer writes.
  for (Value index : assign.getIndices())
    if (Operation *def = index.getDefiningOp();
        def && def->getBlock() == block && positionOf(def) >= from)
      return false;
  int64_t last = lastUsePosition(value, block);
  const Value place = placeOf(assign.getBase());
  auto it = accesses.find({place, block});
  if (it == accesses.end())
    return true;
  const std::vector<Access> &list = it->second;
  auto at =
      std::lower_bound(list.begin(), list.end(), Access{from, nullptr, false});
  for (; at != list.end() && at->position <= std::max(to, last); ++at) {
    if (at->op == assign)
      continue;
    if (at->position == from) {
      if (!worksInPlace(producer, value))
        return false;
      for (Value operand : producer->getOperands())
        if (auto read = operand.getDefiningOp<ReadOp>();
            read && placeOf(read.getBase()) == place &&
            !sameWindow(assign, operand))
          return false;
        else if (auto slice = operand.getDefiningOp<SliceOp>())
          return false;
        else if (AssignOp other = destinations.lookup(operand);
                 other && placeOf(other.getBase()) == place)
          return false;
      continue;
    }
    // Between them, nothing may read the buffer; after them, nothing may write
    // it while it is used.
    if ((at->position <= to || at->writes) &&
        !isMutated(Mutation::forwardLegality))
      return false;
  }
  return true;
}
