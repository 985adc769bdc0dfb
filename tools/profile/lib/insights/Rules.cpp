//===- Rules.cpp - What findings share -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "kiln/isa/noun.h"

#include <algorithm>

namespace kiln::profile::insights {

namespace {

sim::CostChange changeOf(const Item &item) {
  sim::CostChange change;
  change.core = item.core;
  change.engine = item.engine;
  change.index = item.index;
  return change;
}

Picoseconds part(Picoseconds time, double factor) {
  return static_cast<Picoseconds>(static_cast<double>(time) * factor);
}

} // namespace

void Finding::set(const Item &item, const machine::InstructionCost &cost) {
  sim::CostChange change = changeOf(item);
  change.cost = cost;
  without.changes.push_back(change);
}

void Finding::set(const Item &item, const machine::DmaPlan &transfer) {
  sim::CostChange change = changeOf(item);
  change.transfer = transfer;
  without.changes.push_back(change);
}

void Finding::free(const Item &item) {
  if (item.transfer) {
    machine::DmaPlan none;
    none.work.front() = 1; // It still gives its tokens.
    return set(item, none);
  }
  machine::InstructionCost cost = item.cost;
  cost.lead = cost.stream = cost.weights = cost.weightsLatency =
      cost.shadowFree = 0;
  cost.interval = cost.latency = 1;
  cost.table = 0;
  set(item, cost);
}

void Finding::ignoreBuffers(const Item &item) {
  sim::CostChange change = changeOf(item);
  change.ignoresBuffers = true;
  without.changes.push_back(change);
}

Picoseconds Finding::busy() const {
  Picoseconds sum = 0;
  for (const Item *item : items)
    sum += item->busy();
  return sum;
}

std::uint64_t runsOf(const Finding &finding) {
  std::uint64_t runs = 0;
  for (const Item *item : finding.items)
    runs += item->runs;
  return runs;
}

std::string runsText(const Finding &finding, std::string_view one,
                     std::string_view many) {
  return isa::counted(runsOf(finding), one, many);
}

machine::InstructionCost faster(const machine::InstructionCost &cost,
                                double factor) {
  machine::InstructionCost made = cost;
  made.stream = part(cost.stream, 1 / factor);
  const Picoseconds saved = cost.stream - made.stream;
  made.interval = std::max<Picoseconds>(1, cost.interval - saved);
  made.latency = std::max<Picoseconds>(1, cost.latency - saved);
  return made;
}

machine::InstructionCost merged(const machine::InstructionCost &cost) {
  machine::InstructionCost made = cost;
  const Picoseconds saved = std::max<Picoseconds>(
      0, cost.interval - std::max<Picoseconds>(1, cost.stream));
  made.interval -= saved;
  made.lead = 0;
  return made;
}

machine::DmaPlan scaled(const machine::DmaPlan &plan, double factor) {
  machine::DmaPlan made = plan;
  for (Picoseconds &work : made.work)
    if (work > 0)
      work = std::max<Picoseconds>(1, part(work, factor));
  made.bytes =
      static_cast<std::uint64_t>(static_cast<double>(plan.bytes) * factor);
  made.hbmRead =
      static_cast<std::uint64_t>(static_cast<double>(plan.hbmRead) * factor);
  made.hbmWritten =
      static_cast<std::uint64_t>(static_cast<double>(plan.hbmWritten) * factor);
  return made;
}

machine::DmaPlan dense(const machine::DmaPlan &plan,
                       const isa::Target &target) {
  machine::DmaPlan made = plan;
  const unsigned engines = machine::dmaEngines(target);
  const double ns = static_cast<double>(plan.bytes) / engines /
                    target.dma_engine_bytes_per_ns;
  Picoseconds sum = 0;
  for (unsigned e = 0; e < engines; ++e)
    sum += made.work[e] = std::max<Picoseconds>(1, machine::nanoseconds(ns));
  made.hbmBytesPerWork = static_cast<double>(plan.hbmRead + plan.hbmWritten) /
                         static_cast<double>(sum);
  return made;
}

} // namespace kiln::profile::insights
