//===- InstructionTimes.cpp - An instruction alone ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/instruction_times.h"

#include "Terms.h"
#include "kiln/isa/info.h"
#include "kiln/isa/meeting.h"
#include "kiln/machine/sequencer_times.h"
#include "kiln/machine/topology.h"

#include <algorithm>

namespace kiln::machine {
namespace {

/// For how long `cores` that do the same occupy their HBM stack.
Picoseconds hbmTime(const DmaPlan &plan, const isa::Target &target,
                    unsigned cores) {
  const auto traffic =
      static_cast<double>((plan.hbmRead + plan.hbmWritten) * cores);
  return static_cast<Picoseconds>(traffic / hbmRate(target, cores));
}

InstructionTimes timesOfTransfer(const DmaPlan &plan,
                                 const isa::Target &target) {
  InstructionTimes times;
  times.issue = std::max(plan.generation, issueTime(target));
  // Each engine begins the next transfer when this one has ended, there or on
  // the HBM stack.
  const Picoseconds longest = *std::ranges::max_element(plan.work);
  times.occupancy = std::max(nanoseconds(target.dma_queue_gap_ns),
                             std::max(longest, hbmTime(plan, target, 1)) +
                                 nanoseconds(target.dma_queue_turnaround_ns));
  times.pace = times.occupancy;
  times.latency = nanoseconds(target.dma_start_ns) + movingTime(plan, target) +
                  nanoseconds(target.dma_done_ns);
  times.moving =
      std::max<Picoseconds>(0, times.latency - emptyTransferLatency(target));
  return times;
}

/// Its stream does nothing else meanwhile.
InstructionTimes timesOfStream(Picoseconds time) {
  InstructionTimes times;
  times.issue = times.occupancy = times.latency = times.pace = time;
  return times;
}

InstructionTimes timesOfMeeting(const isa::Body &body, isa::Engine engine,
                                const isa::Target &target,
                                unsigned coresOfRank) {
  InstructionTimes times;
  times.issue = issueTime(target);
  for (const Meeting &meeting : meetingsOf(body, engine, target, coresOfRank)) {
    const DmaPlan &touch = meeting.cost.longestTouch();
    const Picoseconds moving = movingTime(touch, target, meeting.cores);
    const Picoseconds carried = meeting.cost.carried(coresOfRank);
    // While an engine is acknowledged, the others have its share of the stack.
    const Picoseconds occupancy =
        std::max(*std::ranges::max_element(touch.work) +
                     nanoseconds(target.dma_queue_turnaround_ns),
                 hbmTime(touch, target, meeting.cores));
    times.occupancy = std::max(times.occupancy, occupancy);
    times.pace = std::max({times.pace, occupancy, carried});
    times.latency = std::max(times.latency,
                             meeting.cost.launch + carried + meeting.cost.hops +
                                 moving + nanoseconds(target.dma_done_ns));
    times.moving =
        std::max(times.moving, moving - nanoseconds(target.dma_skew_ns));
  }
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

std::vector<Meeting> meetingsOf(const isa::Body &body, isa::Engine engine,
                                const isa::Target &target,
                                unsigned coresOfRank) {
  const DmaPlan own = planOfMember(body, engine, target);
  std::vector<MeetingRanks> all;
  if (std::holds_alternative<isa::Sendrecv>(body))
    all.push_back({{0}, 2, 0}); // The cores of one rank.
  else
    for (std::vector<unsigned> &members : isa::meetingsOf(body))
      all.push_back({std::move(members), coresOfRank, 0});
  std::vector<Meeting> meetings;
  for (const MeetingRanks &ranks : all)
    meetings.push_back(
        {costOfMeeting(body, own, ranks, target), coresOnStack(ranks, target)});
  return meetings;
}

InstructionTimes timesOf(const isa::Body &body, isa::Engine engine,
                         const isa::Target &target,
                         const InstructionSetting &setting) {
  const isa::InstructionInfo &facts = isa::info(opcode(body));
  if (facts.isControl)
    return timesOfStream(
        controlTime(body, engine, target, setting.goesBack).time);
  if (isa::meetsAsTransfer(body))
    return timesOfMeeting(body, engine, target, setting.coresOfRank);
  if (facts.state == isa::HiddenState::peers)
    return timesOfStream(nanoseconds(target.core_barrier_ns));
  if (facts.isDma)
    return timesOfTransfer(planDma(body, engine, target), target);
  const InstructionCost cost =
      costOf(body, engine, target, setting.addressIsData);
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
