//===- RankModules.cpp - The modules of a rank and what they share --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankModules.h"

#include "checks/OperandTypes.h"

#include <algorithm>
#include <utility>

namespace kiln::sim {

PlannedModule::Stream::Stream(const std::vector<isa::Instruction> &instructions,
                              const isa::Module &module)
    : plan(instructions) {
  unsigned depth = 0;
  bool touches = false; // In the outermost body that is open.
  for (const isa::Instruction &instruction : instructions) {
    firstOperand.push_back(static_cast<std::uint32_t>(operands.size()));
    isa::collectAccesses(instruction.body, operands);
    const auto own = std::span(operands).subspan(firstOperand.back());
    appendTypes(instruction.body, module, own, types);
    touches |= std::any_of(own.begin(), own.end(), [](const auto &operand) {
      return operand.access->space != isa::Space::hbm;
    });
    const isa::Nesting nesting =
        isa::info(isa::opcode(instruction.body)).nesting;
    depth += nesting == isa::Nesting::opens ? 1 : 0;
    depth -= nesting == isa::Nesting::closes && depth > 0 ? 1 : 0;
    if (depth == 0 && std::exchange(touches, false))
      onChipEnd = static_cast<std::uint32_t>(firstOperand.size());
  }
  firstOperand.push_back(static_cast<std::uint32_t>(operands.size()));
}

PlannedModule::PlannedModule(const isa::Module &module) : module(module) {
  // Cursors point at the plans: no reallocation.
  streams.reserve(isa::numEngines);
  for (const auto &instructions : module.streams)
    streams.emplace_back(instructions, module);
}

RankModules::RankModules(std::span<const isa::Module> modules) {
  cores.reserve(modules.size());
  for (const isa::Module &module : modules)
    cores.emplace_back(module);
  for (unsigned c = 0; c < cores.size(); ++c) {
    std::vector<Home> &row = homes.emplace_back();
    const std::vector<isa::Tensor> &mine = module(c).tensors;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      row.push_back({c, i});
      const std::vector<isa::Tensor> &first = module(0).tensors;
      for (std::size_t j = 0;
           c > 0 && isShared(mine[i].kind) && j < first.size(); ++j)
        if (first[j].name == mine[i].name && isShared(first[j].kind))
          row[i] = {0, j};
    }
  }
}

} // namespace kiln::sim
