//===- PlannedStream.cpp - A stream with everything static worked out ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlannedStream.h"

#include "../peers/PeerGroup.h"
#include "kiln/isa/info.h"
#include "kiln/machine/data_registers.h"
#include "kiln/machine/meeting_cost.h"
#include "kiln/machine/ports.h"
#include "kiln/machine/sequencer_times.h"

namespace kiln::sim::timing {

namespace {

OpKind kindOf(const isa::Body &body, isa::Engine engine) {
  const isa::InstructionInfo &facts = isa::info(opcode(body));
  if (std::holds_alternative<isa::Semaphore>(body))
    return OpKind::semaphore;
  if (std::holds_alternative<isa::CoreBarrier>(body))
    return OpKind::barrier;
  if (meetsAsTransfer(body))
    return OpKind::peers;
  if (facts.isControl)
    return OpKind::control;
  if (facts.isDma)
    return OpKind::dma;
  return engine == isa::Engine::tensor ? OpKind::tensor : OpKind::lane;
}

} // namespace

PlannedStream::PlannedStream(std::span<const isa::Instruction> stream,
                             isa::Engine engine, const isa::Target &target) {
  ops.reserve(stream.size());
  const machine::DataRegisters dataRegisters(stream);
  for (const isa::Instruction &instruction : stream) {
    PlannedOp op;
    op.kind = kindOf(instruction.body, engine);
    op.isLoopEnd = std::holds_alternative<isa::LoopEnd>(instruction.body);
    op.isLoad = std::holds_alternative<isa::RegisterLoad>(instruction.body);
    op.waits = !instruction.waits.empty();
    op.signals = !instruction.signals.empty();
    op.opcode = static_cast<std::uint8_t>(opcode(instruction.body));
    if (op.kind == OpKind::control || op.kind == OpKind::semaphore) {
      op.control = machine::controlTime(instruction.body, engine, target).time;
    } else if (op.kind == OpKind::dma) {
      op.dma = static_cast<std::uint32_t>(dmas.size());
      dmas.push_back(machine::planDma(instruction.body, engine, target));
      addOperands(op, instruction.body);
    } else if (op.kind == OpKind::peers) {
      op.dma = static_cast<std::uint32_t>(dmas.size());
      dmas.push_back(machine::planOfMember(instruction.body, engine, target));
      addOperands(op, instruction.body);
    } else if (op.kind == OpKind::barrier) {
      addOperands(op, instruction.body);
    } else if (op.kind == OpKind::tensor || op.kind == OpKind::lane) {
      op.cost = machine::costOf(instruction.body, engine, target,
                                dataRegisters.place(instruction.body));
      addOperands(op, instruction.body);
      if (op.kind == OpKind::lane) {
        const machine::PortUse use =
            machine::portsOf(instruction.body, engine, op.cost.mode, target);
        op.ports = use.ports;
        op.movesBanks = use.movesBanks;
      }
    }
    ops.push_back(op);
  }
}

void PlannedStream::addOperands(PlannedOp &op, const isa::Body &body) {
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  op.firstOperand = static_cast<std::uint32_t>(allOperands.size());
  for (const isa::OperandAccess &entry : accesses) {
    PlannedOperand operand;
    operand.inHbm = entry.access->space == isa::Space::hbm;
    operand.tensor = entry.access->tensor;
    operand.box = machine::makeBox(*entry.access);
    operand.dynamic =
        entry.access->numTerms > 0 && !operand.inHbm ? entry.access : nullptr;
    op.movesOperands |= operand.dynamic != nullptr;
    operand.reads = entry.effect != isa::Effect::write;
    operand.writes = entry.effect != isa::Effect::read;
    allOperands.push_back(operand);
  }
  op.operands =
      static_cast<std::uint32_t>(allOperands.size()) - op.firstOperand;
}

std::uint16_t PlannedStream::usedPorts() const {
  std::uint16_t used = 0;
  for (const PlannedOp &op : ops)
    used |= static_cast<std::uint16_t>(
        op.ports | (op.movesBanks ? machine::psumBankPorts : 0));
  return used;
}

void PlannedStream::keepPorts(std::uint16_t ports) {
  for (PlannedOp &op : ops) {
    op.ports &= ports;
    op.movesBanks &= (ports & machine::psumBankPorts) != 0;
  }
}

} // namespace kiln::sim::timing
