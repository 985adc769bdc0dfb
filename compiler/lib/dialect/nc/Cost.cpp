//===- Cost.cpp - How long an instruction takes ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/dialect/nc/Cost.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::compiler;
using namespace kiln::compiler::nc;

Costs::Costs(Operation *op)
    : Costs(targetOf(op),
            static_cast<unsigned>(numberAround(op, coresAttrName, 1))) {}

bool Costs::isFromMemory(Value index) {
  auto [known, isNew] = fromMemory.try_emplace(index, false);
  if (isNew)
    known->second = comesFromMemory(index);
  return known->second;
}

machine::InstructionTimes Costs::of(const BuiltInstruction &instruction,
                                    isa::Engine engine) {
  const bool addressIsData =
      llvm::any_of(instruction.accesses, [&](const MemoryAccess &access) {
        ViewOp view = access.view;
        return llvm::any_of(view.getIndices(),
                            [&](Value index) { return isFromMemory(index); });
      });
  constexpr size_t most = 8;
  Recent &some = recent[instruction.body.index()];
  for (const Known &entry : some.known)
    if (entry.engine == engine && entry.addressIsData == addressIsData &&
        entry.body == instruction.body)
      return entry.times;
  Known made{instruction.body, engine, addressIsData,
             machine::timesOf(instruction.body, engine, ofTarget,
                              {addressIsData, coresOfRank})};
  if (some.known.size() < most)
    some.known.push_back(made);
  else
    some.known[some.next++ % most] = made;
  return made.times;
}
