//===- RotateStages.cpp - A body in two stages ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotateStages.h"

#include "AttachedSchedule.h"
#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Promises.h"
#include "kiln/compiler/dialect/nc/Registers.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

bool RotateStages::find() {
  if (!collect())
    return false;
  taint();
  if (!chooseProducts())
    return false;
  if (!obstacle.empty())
    return decline(obstacle);
  closeBackwards();
  if (!closeForwards())
    return decline("work that needs nothing but the products, such as a "
                   "mask, would have to move with them");
  auto products = first;
  addStatistics();
  if (isLegal())
    return true;
  first = products;
  return isLegal() || decline("what the products need may touch the memory "
                              "of the rest of the iteration");
}

SmallVector<AllocOp> RotateStages::handedOn() const {
  SmallVector<AllocOp> result;
  for (Operation &op : *scf::ForOp(loop).getBody())
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      bool inFirst = false, inRest = false;
      for (const Item &item : items)
        for (const MemoryAccess &access : item.accesses)
          if (access.base == alloc.getMemory())
            (isFirst(item.op) ? inFirst : inRest) = true;
      if (inFirst && inRest && !isMutated(Mutation::handOn))
        result.push_back(alloc);
    }
  return result;
}

int64_t RotateStages::psumBytes() const {
  const SmallVector<AllocOp> kept = handedOn();
  std::vector<const Item *> order;
  for (const bool inFirst : {false, true})
    for (const Item &item : items)
      if (isFirst(item.op) == inFirst)
        order.push_back(&item);
  llvm::MapVector<Operation *, std::pair<size_t, size_t>> lives;
  for (auto [i, item] : llvm::enumerate(order))
    for (const MemoryAccess &access : item->accesses)
      if (auto alloc = access.base.getDefiningOp<AllocOp>();
          alloc && alloc.getSpace() == Space::psum) {
        auto [place, isNew] = lives.insert({alloc, {i, i}});
        place->second.second = i;
      }
  std::vector<int64_t> change(order.size() + 1);
  for (auto &[alloc, life] : lives) {
    const bool always = !isLocal(alloc->getResult(0)) ||
                        llvm::is_contained(kept, cast<AllocOp>(alloc));
    const int64_t bytes = cast<AllocOp>(alloc).getBytesPerPartition();
    change[always ? 0 : life.first] += bytes;
    change[always ? order.size() : life.second + 1] -= bytes;
  }
  int64_t live = 0, most = 0;
  for (const int64_t step : change)
    most = std::max(most, live += step);
  return most;
}

bool RotateStages::collect() {
  for (Operation &op : scf::ForOp(loop).getBody()->without_terminator()) {
    if (op.getNumRegions() != 0 || llvm::isa<RegisterLoadOp, WhileOp>(op))
      return false;
    if (op.hasAttr(scheduledAttrName))
      return false;
    if (obstacle.empty())
      obstacle = whyOrderIsFixed(&op);
    auto instruction = dyn_cast<NcInstruction>(op);
    if (!instruction)
      continue;
    Item item;
    item.op = instruction;
    BuiltInstruction made = built(instruction);
    item.accesses = std::move(made.accesses);
    for (MemoryAccess &access : item.accesses)
      access.base = spaces.placeOf(access.base);
    item.keepsState = usesAccumulator(made.body);
    const isa::InstructionInfo &info = infoOf(instruction);
    item.multiplies = info.opcode == isa::Opcode::NcMatmul;
    item.reduces = info.opcode == isa::Opcode::TensorReduce ||
                   info.opcode == isa::Opcode::TensorCopy;
    item.isDma = info.isDma;
    for (const MemoryAccess &access : item.accesses)
      if (access.writes())
        item.isColumn &= access.shape.elements() == 1;
    items.push_back(std::move(item));
  }
  return true;
}

void RotateStages::taint() {
  for (const Item &item : items)
    for (const MemoryAccess &access : item.accesses)
      if (access.writes() && !isLocal(access.base))
        carried.insert(access.base);
  for (Item &item : items) {
    item.tainted = llvm::any_of(item.accesses, [&](const MemoryAccess &a) {
      return carried.contains(a.base);
    });
    if (item.tainted)
      for (const MemoryAccess &access : item.accesses)
        if (access.writes())
          carried.insert(access.base);
  }
}

bool RotateStages::chooseProducts() {
  bool again = false;
  for (auto [i, item] : llvm::enumerate(items)) {
    if (!item.multiplies || item.tainted)
      continue;
    llvm::SmallDenseSet<Value> reached;
    for (const MemoryAccess &access : item.accesses)
      if (access.writes())
        reached.insert(access.base);
    bool leads = false;
    for (const Item &later : ArrayRef(items).drop_front(i + 1)) {
      bool follows = llvm::any_of(later.accesses, [&](const auto &access) {
        return access.reads() && reached.contains(access.base);
      });
      if (!follows)
        continue;
      leads |= later.multiplies && later.tainted;
      for (const MemoryAccess &access : later.accesses)
        if (access.writes())
          reached.insert(access.base);
    }
    if (leads) {
      first.insert(item.op);
      again = true;
    }
  }
  return again;
}

void RotateStages::closeBackwards() {
  for (auto [i, item] : llvm::enumerate(llvm::reverse(items))) {
    if (first.contains(item.op))
      continue;
    bool needed =
        llvm::any_of(ArrayRef(items).take_back(i), [&](const Item &later) {
          return first.contains(later.op) &&
                 llvm::any_of(later.accesses, [&](const auto &access) {
                   return access.reads() && isLocal(access.base) &&
                          item.writes(access.base);
                 });
        });
    if (needed)
      first.insert(item.op);
  }
}

bool RotateStages::closeForwards() {
  llvm::SmallDenseSet<Value> made;
  for (const Item &item : items) {
    if (!first.contains(item.op) && !item.isDma && !item.tainted) {
      bool some = false, all = true;
      for (const MemoryAccess &access : item.accesses)
        if (access.reads()) {
          some |= made.contains(access.base);
          all &= made.contains(access.base) || !isLocal(access.base);
        }
      if (some && all) {
        if (!item.reduces)
          return false;
        first.insert(item.op);
      }
    }
    if (first.contains(item.op))
      for (const MemoryAccess &access : item.accesses)
        if (access.writes())
          made.insert(access.base);
  }
  return true;
}

void RotateStages::addStatistics() {
  auto writesFirst = [&](Value base) {
    return llvm::any_of(items, [&](const Item &item) {
      return first.contains(item.op) && item.writes(base);
    });
  };
  llvm::SmallDenseSet<Value> wanted, made;
  SmallVector<const Item *> chosen;
  for (const Item &item : llvm::reverse(items)) {
    if (first.contains(item.op) || item.isDma)
      continue;
    bool column =
        item.isColumn && llvm::all_of(item.accesses, [&](const auto &access) {
          return access.reads() ||
                 (isLocal(access.base) && wanted.contains(access.base));
        });
    if (column) {
      chosen.push_back(&item);
      for (const MemoryAccess &access : item.accesses)
        if (access.reads() && isLocal(access.base))
          wanted.insert(access.base);
    } else if (llvm::any_of(item.accesses, [&](const auto &access) {
                 return access.reads() && isLocal(access.base) &&
                        writesFirst(access.base);
               })) {
      for (const MemoryAccess &access : item.accesses)
        if (access.reads() && isLocal(access.base))
          wanted.insert(access.base);
    }
  }
  for (const Item &item : items)
    if (first.contains(item.op))
      for (const MemoryAccess &access : item.accesses)
        if (access.writes())
          made.insert(access.base);
  for (const Item *item : llvm::reverse(chosen)) {
    bool ready = llvm::all_of(item->accesses, [&](const auto &access) {
      return !access.reads() || !isLocal(access.base) ||
             made.contains(access.base);
    });
    if (!ready)
      continue;
    first.insert(item->op);
    for (const MemoryAccess &access : item->accesses)
      if (access.writes())
        made.insert(access.base);
  }
}

bool RotateStages::mayPass(const Item &item, ArrayRef<Item> before) const {
  for (const Item &other : before) {
    if (first.contains(other.op))
      continue;
    // The engines are not known yet.
    if (item.keepsState && other.keepsState)
      return false;
    for (const MemoryAccess &access : item.accesses)
      if (other.writes(access.base) ||
          (access.writes() && other.reads(access.base)))
        return false;
  }
  return true;
}

bool RotateStages::isLegal() const {
  bool rest = false;
  for (auto [i, item] : llvm::enumerate(items)) {
    if (!first.contains(item.op)) {
      rest |= item.multiplies;
      continue;
    }
    if (!mayPass(item, ArrayRef(items).take_front(i)) &&
        !isMutated(Mutation::rotateLegality))
      return false;
  }
  return rest;
}
