//===- Cost.cpp - How long an instruction takes ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Cost.h"

#include "kiln/compiler/dialect/nc/Registers.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

/// What `value` is computed from: operands, the bounds of the loop that counts
/// it, the values that a loop or a branch hands on.
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

/// Is `index` computed from what a register load reads?
bool Costs::comesFromMemory(Value index) {
  auto [known, isNew] = fromMemory.try_emplace(index, false);
  if (!isNew)
    return known->second;
  SmallVector<Value> work{index};
  llvm::SmallDenseSet<Value> seen;
  bool found = false;
  while (!work.empty() && !found) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    found = llvm::isa_and_present<RegisterLoadOp>(value.getDefiningOp());
    pushSources(value, work);
  }
  fromMemory[index] = found;
  return found;
}

machine::InstructionTimes Costs::of(const BuiltInstruction &instruction,
                                    isa::Engine engine) {
  const bool addressIsData =
      llvm::any_of(instruction.accesses, [&](const MemoryAccess &access) {
        ViewOp view = access.view;
        return llvm::any_of(view.getIndices(), [&](Value index) {
          return comesFromMemory(index);
        });
      });
  constexpr size_t most = 8;
  Recent &some = recent[instruction.body.index()];
  for (const Known &entry : some.known)
    if (entry.engine == engine && entry.addressIsData == addressIsData &&
        entry.body == instruction.body)
      return entry.times;
  Known made{
      instruction.body, engine, addressIsData,
      machine::timesOf(instruction.body, engine, ofTarget, addressIsData)};
  if (some.known.size() < most)
    some.known.push_back(made);
  else
    some.known[some.next++ % most] = made;
  return made.times;
}
