//===- Binary.cpp - The instructions of a binary, numbered ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Binary.h"

#include "Labels.h"

#include "kiln/isa/info.h"
#include "kiln/machine/data_registers.h"
#include "kiln/machine/dma_shares.h"

#include <algorithm>

namespace kiln::profile {

std::string_view kindOf(const isa::Instruction &instruction,
                        isa::Engine engine) {
  const isa::Opcode opcode = isa::opcode(instruction.body);
  const isa::InstructionInfo &info = isa::info(opcode);
  if (info.state == isa::HiddenState::peers)
    return "collective";
  if (info.isControl)
    return "control";
  if (info.isDma) {
    std::vector<isa::OperandAccess> accesses;
    collectAccesses(instruction.body, accesses);
    bool reads = false, writes = false;
    for (const isa::OperandAccess &entry : accesses)
      if (entry.access->space == isa::Space::hbm)
        (entry.effect == isa::Effect::read ? reads : writes) = true;
    return writes ? "dma_out" : reads ? "dma_in" : "dma_local";
  }
  if (opcode == isa::Opcode::NcTranspose)
    return "transpose";
  if (const auto *product = std::get_if<isa::NcMatmul>(&instruction.body))
    return product->is_transpose ? "transpose" : "matmul";
  if (engine == isa::Engine::tensor)
    return "matmul";
  switch (opcode) {
  case isa::Opcode::Activation:
  case isa::Opcode::ActivationReduce:
  case isa::Opcode::Activate2:
  case isa::Opcode::Exponential:
    return "activation";
  default:
    break;
  }
  return info.group == "Data movement"                   ? "move"
         : info.group == "Reductions, scans, statistics" ? "reduction"
         : info.group == "Element-wise"                  ? "elementwise"
                                                         : "other";
}

Sums &Sums::operator+=(const Sums &other) {
  for (std::size_t i = 0; i < busy.size(); ++i)
    busy[i] += other.busy[i];
  for (std::size_t i = 0; i < stalls.size(); ++i)
    stalls[i] += other.stalls[i];
  bytes += other.bytes;
  hbmBytes += other.hbmBytes;
  flops += other.flops;
  runs += other.runs;
  critical += other.critical;
  return *this;
}

Binary::Binary(const isa::Module &module, const isa::Target &target,
               const sim::Timing &timing, const Causes &causes)
    : module(module) {
  for (unsigned e = 0; e < isa::numEngines; ++e) {
    first[e] = static_cast<std::uint32_t>(all.size());
    const auto &stream = module.streams[e];
    const machine::DataRegisters dataRegisters(stream);
    for (std::uint32_t i = 0; i < stream.size(); ++i) {
      Executed one;
      one.engine = e;
      one.index = i;
      one.instruction = &stream[i];
      const auto engine = static_cast<isa::Engine>(e);
      one.kind = kindOf(stream[i], engine);
      const isa::Body &body = stream[i].body;
      collectAccesses(body, one.accesses);
      if (isa::info(isa::opcode(body)).isDma && one.kind != "collective") {
        one.transfer = machine::planDma(body, engine, target);
        one.dmaShares = machine::dmaShares(body, engine, target);
      } else if (one.kind != "control" && one.kind != "collective")
        one.cost =
            machine::costOf(body, engine, target, dataRegisters.place(body));
      all.push_back(std::move(one));
    }
  }
  first[isa::numEngines] = static_cast<std::uint32_t>(all.size());
  addRuns(timing, causes);
}

void Binary::addRuns(const sim::Timing &timing, const Causes &causes) {
  for (std::size_t e = 0; e < timing.events.size(); ++e) {
    const sim::TraceEvent &event = timing.events[e];
    if (event.track == sim::weightsTrack)
      continue; // In the background of products.
    Executed &one = all[numberOf(event.engine, event.index)];
    const bool onQueue = event.track >= isa::numEngines;
    one.sums.busy[onQueue ? isa::numEngines : event.track] +=
        event.end - event.start;
    one.first = one.first < 0 ? event.start : one.first;
    one.last = std::max(one.last, event.end);
    if (onQueue || event.track == event.engine)
      one.slack = one.slack < 0 ? causes.slack[e]
                                : std::min(one.slack, causes.slack[e]);
  }
  for (const PathStep &step : causes.path)
    if (step.run != sim::Producer::noRun) {
      const sim::TraceRun &run = timing.runs[step.run];
      all[numberOf(run.engine, run.index)].sums.critical +=
          step.end - step.start;
    }
  for (const sim::StallSite &site : timing.stallSites) {
    if (numberOf(site.engine, site.index) >= first[site.engine + 1])
      continue;
    Sums &sums = all[numberOf(site.engine, site.index)].sums;
    sums.stalls[static_cast<std::size_t>(site.reason)] += site.time;
    if (isLost(site.reason))
      sums.busy[site.engine] -= site.time;
  }
  for (Executed &one : all) {
    const std::uint64_t runs = timing.executions[one.engine][one.index];
    one.sums.runs = runs;
    one.sums.flops = runs * one.cost.flops;
    if (!one.transfer)
      continue;
    one.sums.bytes = runs * one.transfer->bytes;
    one.hbmRead = runs * one.transfer->hbmRead;
    one.hbmWritten = runs * one.transfer->hbmWritten;
    for (std::size_t e = 0; e < one.dmaWork.size(); ++e)
      one.dmaWork[e] =
          static_cast<sim::Picoseconds>(runs) * one.transfer->work[e];
  }
  for (const sim::TraceMeeting &meeting : timing.meetings) {
    Executed &one = all[numberOf(meeting.engine, meeting.index)];
    if (one.transfer)
      continue;
    one.sums.bytes += meeting.bytes;
    one.hbmRead += meeting.hbmRead;
    one.hbmWritten += meeting.hbmWritten;
    for (std::size_t e = 0; e < one.dmaWork.size(); ++e)
      one.dmaWork[e] += meeting.work[e];
  }
  for (Executed &one : all)
    one.sums.hbmBytes = one.hbmRead + one.hbmWritten;
}

} // namespace kiln::profile
