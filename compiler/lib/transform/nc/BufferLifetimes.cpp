//===- BufferLifetimes.cpp - From when to when buffers are used -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferLifetimes.h"

#include "kiln/compiler/dialect/nc/Analysis.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace kiln::compiler::nc;
namespace isa = kiln::isa;

/// Whether a DMA reads or writes it, through views.
static bool isTransferred(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    if (auto instruction = dyn_cast<NcInstruction>(user))
      return infoOf(instruction).isDma;
    return llvm::any_of(user->getResults(), isTransferred);
  });
}

static bool writes(NcInstruction instruction, AllocOp alloc) {
  return llvm::any_of(accessesOf(instruction), [&](const MemoryAccess &a) {
    return a.writes() && a.base == alloc.getMemory();
  });
}

/// Whether it is a transfer that writes the buffer.
static bool fills(Operation *user, AllocOp alloc) {
  auto instruction = dyn_cast<NcInstruction>(user);
  return instruction && infoOf(instruction).isDma && writes(instruction, alloc);
}

static bool writesByTensorEngine(Operation *user, AllocOp alloc) {
  auto instruction = dyn_cast<NcInstruction>(user);
  return instruction &&
         instruction.getAssignedEngine() == isa::Engine::tensor &&
         writes(instruction, alloc);
}

BufferLifetimes::BufferLifetimes(func::FuncOp func) : func(func) {
  number(func, 0);
  func.walk([&](scf::ForOp loop) { withLoops.insert(loop->getBlock()); });
}

std::uint32_t BufferLifetimes::number(Operation *op, std::uint32_t next) {
  std::uint32_t begin = next++;
  for (Region &region : op->getRegions())
    for (Operation &child : region.getOps())
      next = number(&child, next);
  if (op->getNumRegions() != 0 || llvm::isa<NcInstruction>(op))
    positions[op] = {begin, next - 1};
  return next;
}

/// The range of the operation of `block` that is or holds `user`.
Steps BufferLifetimes::rangeIn(Block *block, Operation *user) const {
  Operation *ancestor = block->findAncestorOpInBlock(*user);
  auto found = positions.find(ancestor ? ancestor : user);
  // As long as the kernel, if it is not an instruction.
  return found == positions.end() ? positions.lookup(func) : found->second;
}

Buffer BufferLifetimes::describe(AllocOp alloc) const {
  Buffer buffer;
  buffer.op = alloc;
  buffer.slots = static_cast<std::uint32_t>(alloc.getRing());
  buffer.transferred = isTransferred(alloc.getMemory());
  Block *block = alloc->getBlock();
  buffer.loop = buffer.nest = positions.lookup(block->getParentOp());
  buffer.aroundLoops = withLoops.contains(block);
  for (Operation *loop = block->getParentOp(); llvm::isa<scf::ForOp>(loop);
       loop = loop->getParentOp())
    buffer.nest = positions.lookup(loop);
  bool first = true; // An unused buffer gets memory at the beginning.
  for (Operation *view : alloc.getMemory().getUsers())
    for (Operation *user : view->getUsers()) {
      Steps range = rangeIn(block, user);
      buffer.uses.begin =
          first ? range.begin : std::min(buffer.uses.begin, range.begin);
      buffer.uses.end = std::max(buffer.uses.end, range.end);
      first = false;
      if (buffer.transferred && !buffer.filled)
        buffer.filled = fills(user, alloc);
      // Only PSUM has banks.
      if (alloc.getSpace() == Space::psum)
        buffer.tensorEngineWrites |= writesByTensorEngine(user, alloc);
    }
  return buffer;
}
