//===- WrittenMemory.cpp - What code may write ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/WrittenMemory.h"

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/compiler/dialect/nc/Registers.h"

using namespace mlir;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

std::optional<Space> kiln::compiler::nc::pinnedSpace(Value base) {
  // tile.declare and nc.alloc call it so.
  Operation *definition = base.getDefiningOp();
  auto type = dyn_cast<MemRefType>(base.getType());
  if (!definition || !type ||
      !definition->getInherentAttr("pin_byte").value_or(Attribute()))
    return std::nullopt;
  return spaceOf(type);
}

void WrittenMemory::addBase(Value base) {
  bases.insert(base);
  if (std::optional<Space> space = pinnedSpace(base))
    pinned |= 1u << static_cast<unsigned>(*space);
}

bool WrittenMemory::contains(Value base) const {
  if (everything || bases.contains(base))
    return true;
  std::optional<Space> space = pinned ? pinnedSpace(base) : std::nullopt;
  return space && (pinned >> static_cast<unsigned>(*space) & 1);
}

void WrittenMemory::add(Operation *op) {
  op->walk([&](Operation *inner) { addOne(inner); });
}

void WrittenMemory::addOne(Operation *op) {
  if (auto instruction = dyn_cast<NcInstruction>(op)) {
    for (const MemoryAccess &access : accessesOf(instruction))
      if (access.writes())
        addBase(access.base);
    return;
  }
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<SideEffects::EffectInstance<MemoryEffects::Effect>> list;
    effects.getEffects(list);
    for (const auto &effect : list) {
      if (!llvm::isa<MemoryEffects::Write>(effect.getEffect()) ||
          effect.getResource() != SideEffects::DefaultResource::get())
        continue;
      if (Value base = effect.getValue())
        addBase(base);
      else
        everything = true;
    }
    return;
  }
  // The walk visits the contents of a loop separately. New memory has no users
  // yet, and conditions are registers.
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      llvm::isa<AllocOp, WhileOp, WhileEntryOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return;
  everything = true;
}
