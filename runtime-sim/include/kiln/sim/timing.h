//===- timing.h - How long a kernel takes ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time part of the executor: events over engines, DMA engines, queues and
// semaphores. It never touches tensor data. docs/timing.md says what is
// modelled, what is not, and how far it is from published figures.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_TIMING_H
#define KILN_SIM_TIMING_H

#include "kiln/isa/diagnostic.h"
#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/machine/instruction_cost.h"
#include "kiln/sim/trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::sim {

/// Changes the cost of one instruction, to learn what it costs a kernel. Such a
/// run only times: it may break the order that semaphores keep.
struct CostChange {
  unsigned core = 0; ///< Within a rank.
  isa::Engine engine = isa::Engine::tensor;
  std::uint32_t index = 0;
  std::optional<machine::InstructionCost> cost;
  /// The plan of a DMA, which stays in its queue.
  std::optional<machine::DmaPlan> transfer;
  /// It does not wait for buffers: where a semaphore is signalled only by
  /// readers of what it overwrites, it acts at once and owes the tokens.
  bool ignoresBuffers = false;
};

struct TimingOptions {
  bool trace = false; ///< Keep one event per instruction and transfer.
  /// The values that register_load reads, per engine, in the order in which
  /// they execute. Only kernels whose control flow depends on data need them;
  /// the function part can record them.
  std::array<std::vector<std::int32_t>, isa::numEngines> registerLoads;
  std::uint64_t maxSteps = 4'000'000'000;
  /// Simulated time that may pass while a core executes nothing but register
  /// and loop instructions.
  Picoseconds patience = 1'000'000'000'000;
};

/// Runs `module` in time only. Fails on a deadlock (KILN-X201), on more than
/// `maxSteps` instructions or `patience` without progress (KILN-X202), on a
/// register_load without a value (KILN-X203) and on inconsistent streams
/// (KILN-X204).
isa::Expected<Timing> simulateTiming(const isa::Module &module,
                                     const isa::Target &target,
                                     const TimingOptions &options = {});

} // namespace kiln::sim

#endif // KILN_SIM_TIMING_H
