//===- DataRegisters.cpp - Registers that hold data -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/data_registers.h"

#include <type_traits>
#include <vector>

namespace kiln::machine {
namespace {

std::uint64_t bit(isa::Register reg) {
  return std::uint64_t{1} << (reg.index % isa::registersPerEngine);
}

/// Calls `visitor` for each operand that is a T.
template <class T, class Visitor>
void visitFields(const isa::Body &body, Visitor visitor) {
  std::visit(
      [&](const auto &instruction) {
        forEachOperand(instruction, [&](std::string_view, const auto &field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, T>)
            visitor(field);
        });
      },
      body);
}

bool readsOneOf(std::uint64_t mask, const isa::Body &body) {
  bool found = false;
  visitFields<isa::RegisterOrInt>(body, [&](const isa::RegisterOrInt &operand) {
    const auto *reg = std::get_if<isa::Register>(&operand.value);
    found |= reg && (mask & bit(*reg)) != 0;
  });
  return found;
}

} // namespace

DataRegisters::DataRegisters(std::span<const isa::Instruction> stream) {
  // Control instructions name the register that they write in a field of type
  // Register; those they read are of type RegisterOrInt.
  for (std::uint64_t before = ~mask; before != mask;) {
    before = mask;
    for (const isa::Instruction &instruction : stream)
      if (std::holds_alternative<isa::RegisterLoad>(instruction.body) ||
          readsOneOf(mask, instruction.body))
        visitFields<isa::Register>(
            instruction.body, [this](isa::Register reg) { mask |= bit(reg); });
  }
}

bool DataRegisters::place(const isa::Body &body) const {
  if (mask == 0)
    return false;
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  for (const isa::OperandAccess &entry : accesses)
    for (unsigned i = 0; i < entry.access->numTerms; ++i)
      if ((mask & bit(entry.access->terms[i].reg)) != 0)
        return true;
  return false;
}

} // namespace kiln::machine
