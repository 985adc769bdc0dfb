//===- TimelineColumns.cpp - The events of a core as columns --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimelineColumns.h"

#include "Dependences.h"
#include "Labels.h"

#include <algorithm>
#include <array>
#include <map>

namespace kiln::profile {

namespace {

/// Instructions are numbered stream by stream.
std::uint64_t numberOf(const isa::Module &module, unsigned engine,
                       std::uint32_t index) {
  std::uint64_t number = index;
  for (unsigned i = 0; i < engine; ++i)
    number += module.streams[i].size();
  return number;
}

class Writer {
public:
  Writer(Columns &columns, const isa::Module &module,
         std::span<const isa::Module> modules, const sim::Timing &timing)
      : columns(columns), module(module), modules(modules), timing(timing),
        dependences(dependencesOf(timing)) {}

  std::vector<unsigned> write() {
    std::map<unsigned, std::vector<std::uint32_t>> tracks;
    for (unsigned engine = 0; engine < isa::numEngines; ++engine)
      tracks[engine];
    for (std::uint32_t e = 0; e < timing.events.size(); ++e)
      if (instructionOf(timing.events[e], module))
        tracks[timing.events[e].track].push_back(e);
    number.assign(timing.events.size(), Dependences::none);
    std::vector<unsigned> order;
    for (const auto &[track, events] : tracks) {
      order.push_back(track);
      addTrack(events);
    }
    for (const auto &[track, events] : tracks)
      for (const std::uint32_t event : events)
        addProducers(event);
    addCriticalPath();
    addWaits();
    return order;
  }

private:
  void addTrack(const std::vector<std::uint32_t> &events) {
    columns.add(events.size());
    sim::Picoseconds last = 0, drawnTo = 0;
    for (const std::uint32_t e : events) {
      const sim::TraceEvent &event = timing.events[e];
      const sim::Picoseconds begin = std::max(event.start, drawnTo);
      drawnTo = std::max(begin, event.end);
      columns.add(static_cast<std::uint64_t>(begin - last));
      last = begin;
      columns.add(static_cast<std::uint64_t>(drawnTo - begin));
      columns.add(numberOf(module, event.engine, event.index));
      columns.addSigned(event.visible - drawnTo);
      columns.add(static_cast<std::uint64_t>(dependences.slack[e]));
      number[e] = numEvents++;
    }
  }

  void addProducers(std::uint32_t event) {
    std::vector<std::uint32_t> producers;
    for (const std::uint32_t producer : dependences.producersOf(event))
      if (number[producer] != Dependences::none)
        producers.push_back(number[producer]);
    columns.add(producers.size());
    for (const std::uint32_t producer : producers)
      columns.addSigned(std::int64_t(producer) - number[event]);
  }

  void addCriticalPath() {
    std::vector<std::uint32_t> path;
    for (const std::uint32_t event : dependences.criticalPath)
      if (number[event] != Dependences::none)
        path.push_back(number[event]);
    columns.add(path.size());
    std::int64_t last = 0;
    for (const std::uint32_t event : path) {
      columns.addSigned(event - last);
      last = event;
    }
  }

  void addWaits() {
    std::array<std::vector<const sim::TraceWait *>, isa::numEngines> waits;
    for (const sim::TraceWait &wait : timing.waits)
      waits[wait.engine].push_back(&wait);
    for (const auto &ofEngine : waits) {
      columns.add(ofEngine.size());
      sim::Picoseconds last = 0;
      for (const sim::TraceWait *wait : ofEngine) {
        columns.add(static_cast<std::uint64_t>(wait->start - last));
        last = wait->start;
        add(*wait);
      }
    }
  }

  void add(const sim::TraceWait &wait) {
    columns.add(static_cast<std::uint64_t>(wait.end - wait.start));
    const bool isBehindEnd = wait.index >= module.streams[wait.engine].size();
    columns.add(isBehindEnd ? 0
                            : numberOf(module, wait.engine, wait.index) + 1);
    columns.add(static_cast<std::uint64_t>(wait.reason));
    columns.add(static_cast<std::uint64_t>(wait.kind));
    const sim::Producer &by = wait.producer;
    if (by.engine >= isa::numEngines) {
      columns.add(0);
      columns.add(0);
      return;
    }
    const bool isOwn = by.core == sim::Producer::sameCore;
    const isa::Module &its = isOwn ? module : modules[by.core % modules.size()];
    columns.add(numberOf(its, by.engine, by.index) + 1);
    columns.add(isOwn ? 0 : std::uint64_t{by.core} + 1);
  }

  Columns &columns;
  const isa::Module &module;
  std::span<const isa::Module> modules;
  const sim::Timing &timing;
  const Dependences dependences;
  std::vector<std::uint32_t> number; ///< By event, in the page.
  std::uint32_t numEvents = 0;
};

} // namespace

std::vector<unsigned> addTimeline(Columns &columns, const isa::Module &module,
                                  std::span<const isa::Module> modules,
                                  const sim::Timing &timing) {
  return Writer(columns, module, modules, timing).write();
}

} // namespace kiln::profile
