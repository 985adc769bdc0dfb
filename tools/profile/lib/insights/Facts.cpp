//===- Facts.cpp - What the rules look at --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "kiln/isa/info.h"
#include "kiln/isa/source_loops.h"
#include "kiln/machine/data_registers.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace kiln::profile::insights {

Picoseconds Item::busy() const {
  Picoseconds once = cost.interval;
  if (transfer)
    once = *std::max_element(transfer->work.begin(), transfer->work.end());
  return once * static_cast<Picoseconds>(runs);
}

const isa::Access *Item::operand(std::string_view name) const {
  for (const isa::OperandAccess &entry : accesses)
    if (entry.name == name)
      return entry.access;
  return nullptr;
}

const isa::Access *Item::written() const {
  for (const isa::OperandAccess &entry : accesses)
    if (entry.effect != isa::Effect::read)
      return entry.access;
  return nullptr;
}

const isa::Access *Item::read() const {
  for (const isa::OperandAccess &entry : accesses)
    if (entry.effect == isa::Effect::read && !entry.name.ends_with("_index"))
      return entry.access;
  return nullptr;
}

bool Item::reads(isa::Space space) const {
  return std::any_of(accesses.begin(), accesses.end(), [&](const auto &entry) {
    return entry.effect != isa::Effect::write && entry.access->space == space;
  });
}

bool Item::writes(isa::Space space) const {
  return std::any_of(accesses.begin(), accesses.end(), [&](const auto &entry) {
    return entry.effect != isa::Effect::read && entry.access->space == space;
  });
}

unsigned Item::partitions() const {
  unsigned most = 0;
  for (const isa::OperandAccess &entry : accesses)
    if (entry.access->space != isa::Space::hbm)
      most = std::max<unsigned>(most, entry.access->partitions);
  return most;
}

Facts::Facts(const LaunchProfile &launch)
    : launch(launch), target(launch.target), makespan(launch.timing.makespan) {
  firstCore = launch.busiest() / launch.modules.size() * launch.modules.size();
  for (unsigned core = 0; core < launch.modules.size(); ++core)
    addItems(core);
  bufferWaits.resize(items.size());
  collectiveWaits.resize(items.size());
  for (unsigned core = 0; core < launch.modules.size(); ++core)
    addStalls(core);
}

void Facts::addItems(unsigned core) {
  const sim::Timing &timing = launch.timing.cores[firstCore + core];
  const isa::SourceLoops sourceLoops(launch.modules[core]);
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    const auto &stream = launch.modules[core].streams[e];
    const machine::DataRegisters dataRegisters(stream);
    unsigned depth = 0;
    for (std::uint32_t i = 0; i < stream.size(); ++i) {
      const isa::Body &body = stream[i].body;
      depth += isa::isLoop(body);
      if (std::holds_alternative<isa::LoopEnd>(body) && depth > 0)
        --depth;
      const isa::InstructionInfo &info = isa::info(isa::opcode(body));
      if (info.isControl || info.state == isa::HiddenState::peers)
        continue;
      Item item;
      item.core = core;
      item.engine = static_cast<isa::Engine>(e);
      item.index = i;
      item.instruction = &stream[i];
      collectAccesses(body, item.accesses);
      if (info.isDma)
        item.transfer = machine::planDma(body, item.engine, target);
      else
        item.cost = machine::costOf(body, item.engine, target,
                                    dataRegisters.place(body));
      item.runs = timing.executions[e][i];
      item.isRepeated = depth > 0 || sourceLoops.isRepeated(stream[i].location);
      items.push_back(std::move(item));
    }
  }
}

void Facts::addStalls(unsigned core) {
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> numbers;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].core == core)
      numbers[{static_cast<std::size_t>(items[i].engine), items[i].index}] = i;
  for (const sim::StallSite &site :
       launch.timing.cores[firstCore + core].stallSites) {
    const auto found = numbers.find({site.engine, site.index});
    if (found == numbers.end())
      continue;
    items[found->second].stalls[static_cast<std::size_t>(site.reason)] +=
        site.time;
    if (site.reason == StallReason::waitDma)
      items[found->second].dmaWaits += site.count;
    if (site.kind == sim::WaitKind::buffer)
      bufferWaits[found->second] += site.time;
    if (isCollective(site.producer, core))
      collectiveWaits[found->second][static_cast<std::size_t>(site.reason)] +=
          site.time;
  }
}

bool Facts::isCollective(const sim::Producer &producer, unsigned core) const {
  if (producer.engine >= isa::numEngines)
    return false;
  const bool isOwn = producer.core == sim::Producer::sameCore;
  const auto &stream =
      launch.modules[isOwn ? core : producer.core % launch.modules.size()]
          .streams[producer.engine];
  return producer.index < stream.size() &&
         isa::info(isa::opcode(stream[producer.index].body)).state ==
             isa::HiddenState::peers;
}

Picoseconds Facts::collectiveWait(const Item &item) const {
  const auto &waits =
      collectiveWaits[static_cast<std::size_t>(&item - items.data())];
  return std::accumulate(waits.begin(), waits.end(), Picoseconds{0});
}

Picoseconds Facts::collectiveWait(const Item &item, StallReason reason) const {
  return collectiveWaits[static_cast<std::size_t>(&item - items.data())]
                        [static_cast<std::size_t>(reason)];
}

Picoseconds Facts::bufferWait(const Item &item) const {
  return bufferWaits[static_cast<std::size_t>(&item - items.data())];
}

Picoseconds Facts::stall(StallReason reason) const {
  Picoseconds sum = 0;
  for (unsigned core = 0; core < launch.modules.size(); ++core)
    for (const sim::EngineTime &engine :
         launch.timing.cores[firstCore + core].engines)
      sum += engine.stalls[static_cast<std::size_t>(reason)];
  return sum;
}

Picoseconds Facts::busy(isa::Engine engine) const {
  Picoseconds most = 0;
  for (unsigned core = 0; core < launch.modules.size(); ++core)
    most = std::max(most, launch.timing.cores[firstCore + core]
                              .engines[static_cast<std::size_t>(engine)]
                              .busy);
  return most;
}

} // namespace kiln::profile::insights
