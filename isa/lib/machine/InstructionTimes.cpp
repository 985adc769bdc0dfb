//===- InstructionTimes.cpp - An instruction alone ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/instruction_times.h"

#include "kiln/isa/info.h"
#include "kiln/machine/dma_plan.h"

#include <algorithm>

namespace kiln::machine {
namespace {

InstructionTimes timesOfTransfer(const DmaPlan &plan,
                                 const isa::Target &target) {
  InstructionTimes times;
  times.issue =
      std::max(plan.generation, nanoseconds(target.control_instruction_ns));
  // Each engine begins the next transfer when this one has ended, there or on
  // the HBM stack.
  const Picoseconds longest = *std::ranges::max_element(plan.work);
  const auto traffic = static_cast<double>(plan.hbmRead + plan.hbmWritten);
  const Picoseconds moving =
      std::max(longest, static_cast<Picoseconds>(traffic / hbmRate(target, 1)));
  times.occupancy =
      std::max(nanoseconds(target.dma_queue_gap_ns),
               moving + nanoseconds(target.dma_queue_turnaround_ns));
  times.pace = times.occupancy;
  times.latency = nanoseconds(target.dma_start_ns) + movingTime(plan, target) +
                  nanoseconds(target.dma_done_ns);
  return times;
}

/// Nobody knows when the others come: as long as an empty transfer.
InstructionTimes timesOfMeeting(const isa::Target &target) {
  InstructionTimes times;
  times.latency =
      nanoseconds(target.dma_start_ns) + nanoseconds(target.dma_done_ns);
  times.issue = times.occupancy = times.pace = times.latency;
  return times;
}

InstructionTimes timesOfProduct(const InstructionCost &cost,
                                const isa::Target &target) {
  InstructionTimes times;
  // The next stationary operand is loaded as soon as there is a shadow buffer.
  times.occupancy = std::max(cost.interval, cost.shadowFree + cost.weights);
  times.latency = cost.weights + cost.latency;
  const bool hides = cost.transposes && target.pe_background_transpose;
  times.pace =
      hides ? std::max(cost.weights, times.occupancy / 2) : times.occupancy;
  return times;
}

} // namespace

InstructionTimes timesOf(const isa::Body &body, isa::Engine engine,
                         const isa::Target &target, bool addressIsData) {
  const isa::InstructionInfo &facts = isa::info(opcode(body));
  if (facts.isControl)
    return {};
  if (facts.state == isa::HiddenState::peers)
    return timesOfMeeting(target);
  if (facts.isDma)
    return timesOfTransfer(planDma(body, engine, target), target);
  const InstructionCost cost = costOf(body, engine, target, addressIsData);
  if (engine == isa::Engine::tensor)
    return timesOfProduct(cost, target);
  InstructionTimes times;
  times.occupancy = times.pace = cost.interval;
  times.latency = cost.latency;
  return times;
}

Picoseconds handOver(const InstructionTimes &first, isa::Engine engine,
                     isa::Engine next, bool flows, const isa::Target &target) {
  if (engine != next)
    return std::max(first.latency, first.occupancy) +
           nanoseconds(target.semaphore_ns);
  if (!flows || engine == isa::Engine::tensor)
    return first.occupancy;
  return first.latency +
         cyclesToTime(target.dependent_issue_cycles, target.ghz(engine));
}

} // namespace kiln::machine
