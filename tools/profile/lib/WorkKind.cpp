//===- WorkKind.cpp - What an instruction is good for ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkKind.h"

#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"

#include <algorithm>

namespace kiln::profile {

namespace {

/// A reduction writes fewer elements than any of its tiles has.
bool writesFewer(const isa::Body &body) {
  std::vector<isa::OperandAccess> accesses;
  isa::collectAccesses(body, accesses);
  std::uint64_t read = 0, written = 0;
  for (const isa::OperandAccess &operand : accesses) {
    const std::uint64_t elements = operand.access->totalElements();
    if (operand.effect == isa::Effect::read)
      read = std::max(read, elements);
    else
      written = std::max(written, elements);
  }
  return written > 0 && written < read;
}

std::string_view kindOfTransfer(const isa::Body &body, isa::Engine engine,
                                const isa::Target &target) {
  const machine::DmaPlan plan = machine::planDma(body, engine, target);
  return plan.hbmWritten > 0 ? "dma_out"
         : plan.hbmRead > 0  ? "dma_in"
                             : "dma_local";
}

} // namespace

std::string_view workKindOf(const isa::Instruction &instruction,
                            isa::Engine engine, const isa::Target &target) {
  const isa::Body &body = instruction.body;
  const isa::InstructionInfo &info = isa::info(isa::opcode(body));
  if (info.state == isa::HiddenState::peers)
    return "collective";
  if (info.isDma)
    return kindOfTransfer(body, engine, target);
  if (info.isControl)
    return "control";
  using enum isa::CostClass;
  switch (info.cost) {
  case matmul:
    return machine::costOf(body, engine, target).transposes ? "transpose"
                                                            : "matmul";
  case transpose:
    return "transpose";
  case activation:
  case exponential:
    return "activation";
  case copy:
    return "move";
  case random:
  case memset:
    return "other";
  default:
    return writesFewer(body) ? "reduction" : "elementwise";
  }
}

} // namespace kiln::profile
