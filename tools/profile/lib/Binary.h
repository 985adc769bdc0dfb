//===- Binary.h - The instructions of a binary, numbered -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_BINARY_H
#define KILN_PROFILE_LIB_BINARY_H

#include "kiln/isa/module.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/profile/causes.h"
#include "kiln/sim/trace.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace kiln::profile {

/// The kind of work of an instruction: "matmul", "dma_in", ...; see the schema.
std::string_view kindOf(const isa::Instruction &instruction,
                        isa::Engine engine);

/// Sums over executions; a parent has the sum of its children.
struct Sums {
  std::array<sim::Picoseconds, isa::numEngines + 1> busy{}; ///< Then dma.
  std::array<sim::Picoseconds, sim::numStallReasons> stalls{};
  std::uint64_t bytes = 0, hbmBytes = 0, flops = 0, runs = 0;
  sim::Picoseconds critical = 0;
  Sums &operator+=(const Sums &other);
};

/// One instruction of the binary, with what a run says of it.
struct Executed {
  unsigned engine = 0;
  std::uint32_t index = 0;
  const isa::Instruction *instruction = nullptr;
  std::string_view kind;
  machine::InstructionCost cost;
  std::optional<machine::DmaPlan> transfer;
  std::vector<isa::OperandAccess> accesses;
  Sums sums;
  /// Of all runs: what went through HBM, and the time of each DMA engine; of a
  /// collective, this core's part.
  std::uint64_t hbmRead = 0, hbmWritten = 0;
  std::array<sim::Picoseconds, machine::maxDmaEngines> dmaWork{};
  /// Of a transfer: the part of its bytes that each DMA engine moves.
  std::array<double, machine::maxDmaEngines> dmaShares{};
  sim::Picoseconds slack = -1; ///< The least; -1: it never ran.
  sim::Picoseconds first = -1, last = 0;
};

/// The streams one after the other, and the sums of a traced run.
class Binary {
public:
  Binary(const isa::Module &module, const isa::Target &target,
         const sim::Timing &timing, const Causes &causes);

  const isa::Module &module;
  std::vector<Executed> all;
  std::uint32_t numberOf(unsigned engine, std::uint32_t index) const {
    return first[engine] + index;
  }

private:
  void addRuns(const sim::Timing &timing, const Causes &causes);
  std::array<std::uint32_t, isa::numEngines + 1> first{};
};

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_BINARY_H
