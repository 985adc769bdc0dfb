//===- AdvanceBody.cpp - Parts of a body around a loop -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AdvanceBody.h"

#include "FixedOrder.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Mutation.h"
#include "kiln/compiler/dialect/nc/Registers.h"
#include "kiln/compiler/dialect/nc/SourceOrder.h"
#include "kiln/compiler/dialect/nc/WrittenMemory.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

static bool includes(Part parts, Part part) {
  return (static_cast<unsigned>(parts) & static_cast<unsigned>(part)) != 0;
}

static bool isMiddle(Operation &op) {
  return llvm::isa<scf::ForOp>(op) || op.hasAttr(scheduledAttrName);
}

static StringRef whyFixed(Operation &op) {
  if (op.getNumRegions() != 0)
    return "the inner loop contains another loop or a branch";
  if (llvm::isa<RegisterLoadOp>(op))
    return "it loads a register";
  return whyOrderIsFixed(&op);
}
static bool isScheduled(scf::ForOp nested) {
  return llvm::all_of(*nested.getBody(), [](Operation &op) {
    return !llvm::isa<NcInstruction>(op) || op.hasAttr(scheduledAttrName);
  });
}
static StringRef whyFixed(scf::ForOp nested) {
  for (Operation &op : nested.getBody()->without_terminator())
    if (StringRef why = whyFixed(op); !why.empty())
      return why;
  return "";
}

StringRef AdvanceBody::whyNot() {
  bool multiplies = false, isBehind = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<scf::ForOp>(op)) {
      if (inner)
        return "it contains several loops";
      if (StringRef why = whyFixed(nested); !why.empty())
        return why;
      inner = nested;
      isBehind = true;
      continue;
    }
    if (StringRef why = whyFixed(op); !why.empty())
      return why;
    if (!llvm::isa<NcInstruction>(op))
      continue;
    if (auto start = op.getAttrOfType<DenseI64ArrayAttr>(startAttrName)) {
      if (start.size() > 2 || (pipelined && *pipelined != start[0]))
        return "it contains several loops";
      pipelined = start[0];
    }
    isBehind |= op.hasAttr(scheduledAttrName);
    if (!isBehind) {
      head.insert(&op);
      multiplies |=
          infoOf(cast<NcInstruction>(op)).opcode == isa::Opcode::NcMatmul;
    }
  }
  // Another loop would run while the copies of the pipelined one are held.
  if (pipelined && inner && !isScheduled(inner))
    return "it contains several loops";
  if (pipelined) {
    findLoads();
    findFinish();
  }
  return multiplies || pipelined ? "" : "no product precedes the inner loop";
}

SmallVector<AllocOp> AdvanceBody::handedOn() const {
  SmallVector<AllocOp> result;
  for (AllocOp alloc : scf::ForOp(loop).getBody()->getOps<AllocOp>()) {
    bool inHead = false, inFinish = false, inRest = false;
    for (Operation *view : alloc.getMemory().getUsers())
      for (Operation *user : view->getUsers())
        (head.contains(user)     ? inHead
         : finish.contains(user) ? inFinish
                                 : inRest) = true;
    if ((inHead + inFinish + inRest > 1 || loaded.contains(alloc)) &&
        !isMutated(Mutation::handOn))
      result.push_back(alloc);
  }
  return result;
}

void AdvanceBody::copy(OpBuilder &builder, Part part, Value index,
                       bool absolute, int64_t turn, IRMapping map) const {
  map.map(scf::ForOp(loop).getInductionVar(), index);
  SmallVector<Operation *> helpers;
  for (Operation &op : scf::ForOp(loop).getBody()->without_terminator()) {
    bool works = llvm::isa<NcInstruction, scf::ForOp>(op);
    if (works && !includes(part, partOf(op)))
      continue;
    Operation *made = builder.clone(op, map);
    if (!works)
      helpers.push_back(made);
    else if (absolute || turn != 0)
      noteTurn(made, loop, absolute, turn);
  }
  for (Operation *helper : llvm::reverse(helpers))
    if (helper->use_empty())
      helper->erase();
}

Part AdvanceBody::partOf(Operation &op) const {
  return loads.contains(&op)    ? Part::loads
         : head.contains(&op)   ? Part::head
         : finish.contains(&op) ? Part::finish
         : isMiddle(op)         ? Part::middle
                                : Part::tail;
}

void AdvanceBody::findFinish() {
  SmallVector<Operation *> last;
  for (Operation &op : llvm::reverse(*loop.getBody())) {
    if (isMiddle(op) || op.hasAttr(startAttrName) || head.contains(&op))
      break;
    if (llvm::isa<NcInstruction>(op))
      last.push_back(&op);
  }
  finish.insert(last.begin(), last.end());
  llvm::SmallDenseSet<Value> read, written;
  for (Operation *op : last)
    for (const MemoryAccess &access : accessesOf(cast<NcInstruction>(op)))
      (access.writes() ? written : read).insert(access.base);
  WrittenMemory others, own;
  for (Operation *op : last)
    own.add(op);
  for (Operation &op : loop.getBody()->without_terminator())
    if (!finish.contains(&op))
      others.add(&op);
  bool isFree = true;
  loop.getBody()->walk([&](NcInstruction op) {
    if (finish.contains(op))
      return;
    for (const MemoryAccess &access : accessesOf(op)) {
      auto alloc = Value(access.base).getDefiningOp<AllocOp>();
      const bool isOwn =
          alloc && loop.getBodyRegion().isAncestor(alloc->getParentRegion());
      const bool isShared =
          read.contains(access.base) || written.contains(access.base);
      if (isOwn && !alloc.getPinByte())
        isFree &= !isShared || (alloc.getSpace() == Space::sbuf &&
                                !alloc->hasAttr(copyAttrName));
      else
        isFree &= !own.contains(access.base) &&
                  !(isShared && others.contains(access.base));
    }
  });
  if (!isFree || !isOneTurn())
    finish.clear();
}

/// Whether the inner loop, or what became of it, stands in one piece. Several
/// iterations of a loop inside, one behind the other, have several.
bool AdvanceBody::isOneTurn() const {
  bool hasMiddle = false, isBehind = false;
  for (Operation &op : scf::ForOp(loop).getBody()->without_terminator()) {
    if (isMiddle(op)) {
      if (isBehind)
        return false;
      hasMiddle = true;
    } else if (llvm::isa<NcInstruction>(op)) {
      isBehind = hasMiddle;
    }
  }
  return true;
}

void AdvanceBody::findLoads() {
  WrittenMemory written;
  written.add(loop);
  llvm::SmallDenseMap<Value, unsigned> writers;
  loop.getBody()->walk([&](NcInstruction op) {
    for (const MemoryAccess &access : accessesOf(op))
      writers[access.base] += access.writes();
  });
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto instruction = dyn_cast<NcInstruction>(op);
    if (!instruction || !head.contains(&op) || op.hasAttr(startAttrName) ||
        !infoOf(instruction).isDma)
      continue;
    AllocOp target;
    bool isLoad = true;
    for (const MemoryAccess &access : accessesOf(instruction)) {
      auto alloc = Value(access.base).getDefiningOp<AllocOp>();
      if (!access.writes())
        isLoad &= access.shape.space == isa::Space::hbm &&
                  !written.contains(access.base);
      else if (access.reads() || !alloc || alloc->getBlock() != op.getBlock() ||
               alloc.getSpace() != Space::sbuf || writers[access.base] != 1)
        isLoad = false;
      else
        target = alloc;
    }
    if (!isLoad || !target)
      continue;
    loads.insert(&op);
    loaded.insert(target);
  }
}
