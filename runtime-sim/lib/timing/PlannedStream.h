//===- PlannedStream.h - A stream with everything static worked out ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_PLANNEDSTREAM_H
#define KILN_SIM_LIB_TIMING_PLANNEDSTREAM_H

#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/machine/pattern.h"
#include "kiln/sim/trace.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace kiln::sim::timing {

/// An on-chip operand, prepared for dependence and port checks.
struct PlannedOperand {
  machine::Box box;
  const isa::Access *dynamic = nullptr; ///< Set if registers move it.
  bool reads = false;
  bool writes = false;
  bool inHbm = false; ///< Only for telling what a wait is for.
  std::uint16_t tensor = 0;
  std::int64_t leastShift = 0; ///< Of the registers' contributions so far.
  std::int64_t mostShift = 0;
};

/// `peers` meets other cores and then runs on a DMA queue.
enum class OpKind : std::uint8_t {
  control,
  semaphore,
  barrier,
  dma,
  peers,
  tensor,
  lane
};

struct PlannedOp {
  OpKind kind = OpKind::control;
  bool isLoopEnd = false;
  bool isLoad = false; ///< register_load: needs a value.
  bool waits = false;
  bool signals = false;
  bool ignoresWaits = false; ///< Some of them; see PlannedStream::ignores.
  std::uint8_t opcode = 0;
  /// Fixed part of the ports and PSUM banks held that others hold as well (see
  /// Ports.h); the banks of operands that registers move are added when it
  /// issues.
  std::uint16_t ports = 0;
  bool movesBanks = false;
  bool movesOperands = false;
  std::uint32_t firstOperand = 0;
  std::uint32_t operands = 0;
  std::uint32_t dma = 0;   ///< Index of the DmaPlan.
  Picoseconds control = 0; ///< Of control, which does not go back.
  machine::InstructionCost cost;
};

class PlannedStream {
public:
  PlannedStream(std::span<const isa::Instruction> stream, isa::Engine engine,
                const isa::Target &target);

  const PlannedOp &op(std::uint32_t index) const { return ops[index]; }
  std::span<const PlannedOperand> operands(const PlannedOp &op) const {
    return {allOperands.data() + op.firstOperand, op.operands};
  }
  std::span<PlannedOperand> movableOperands(const PlannedOp &op) {
    return {allOperands.data() + op.firstOperand, op.operands};
  }
  std::size_t size() const { return ops.size(); }
  const machine::DmaPlan &dma(const PlannedOp &op) const {
    return dmas[op.dma];
  }
  /// Ports that some instruction may hold.
  std::uint16_t usedPorts() const;
  /// Forgets all but `ports`.
  void keepPorts(std::uint16_t ports);

  // What is asked for instead of what the instruction takes.

  void setCost(std::uint32_t index, const machine::InstructionCost &cost) {
    ops[index].cost = cost;
  }
  /// Of a transfer; its queue stays.
  void setTransfer(std::uint32_t index, const machine::DmaPlan &plan) {
    machine::DmaPlan &own = dmas[ops[index].dma];
    const unsigned queue = own.queue;
    own = plan;
    own.queue = queue;
  }
  void ignoreWaits(std::uint32_t index, std::vector<std::uint16_t> semaphores) {
    ops[index].ignoresWaits = !semaphores.empty();
    ignored[index] = std::move(semaphores);
  }
  bool ignores(std::uint32_t index, const isa::Wait &wait) const {
    if (!ops[index].ignoresWaits)
      return false;
    const std::vector<std::uint16_t> &all = ignored.at(index);
    return std::find(all.begin(), all.end(), wait.semaphore) != all.end();
  }

private:
  void addOperands(PlannedOp &op, const isa::Body &body);

  std::vector<PlannedOp> ops;
  std::vector<PlannedOperand> allOperands;
  std::vector<machine::DmaPlan> dmas;
  std::map<std::uint32_t, std::vector<std::uint16_t>> ignored;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_PLANNEDSTREAM_H
