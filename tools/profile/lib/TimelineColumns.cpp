//===- TimelineColumns.cpp - The events of a core as columns --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimelineColumns.h"

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

/// As tools/report/columns.js names them.
std::uint64_t numberOf(std::string_view reason) {
  if (reason == "work")
    return 0;
  if (reason == "latency")
    return 1;
  const auto &names = sim::stallReasonNames;
  return 2 + static_cast<std::uint64_t>(
                 std::find(names.begin(), names.end(), reason) - names.begin());
}

class Writer {
public:
  Writer(Columns &columns, const TracedCore &core)
      : columns(columns), module(core.module), modules(core.modules),
        timing(core.timing), causes(core.causes) {}

  std::vector<std::uint8_t> write() {
    std::map<std::uint8_t, std::vector<std::uint32_t>> tracks;
    for (std::uint8_t engine = 0; engine < isa::numEngines; ++engine)
      tracks[engine];
    for (std::uint32_t e = 0; e < timing.events.size(); ++e)
      if (instructionOf(timing.events[e], module))
        tracks[timing.events[e].track].push_back(e);
    number.assign(timing.events.size(), PathStep::noEvent);
    std::vector<std::uint8_t> order;
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
      columns.add(static_cast<std::uint64_t>(causes.slack[e]));
      number[e] = numEvents++;
    }
  }

  void addProducers(std::uint32_t event) {
    std::vector<std::uint32_t> producers;
    for (const std::uint32_t producer : causes.producersOf(event))
      if (number[producer] != PathStep::noEvent)
        producers.push_back(number[producer]);
    columns.add(producers.size());
    for (const std::uint32_t producer : producers)
      columns.addSigned(std::int64_t(producer) - number[event]);
  }

  void addCriticalPath() {
    columns.add(causes.path.size());
    std::int64_t last = 0;
    for (const PathStep &step : causes.path) {
      columns.add(static_cast<std::uint64_t>(step.end - step.start));
      columns.add(numberOf(step.reason));
      if (step.event != PathStep::noEvent) {
        columns.add(1);
        columns.addSigned(std::int64_t{number[step.event]} - last);
        last = number[step.event];
      } else if (step.run != sim::Producer::noRun) {
        const sim::TraceRun &run = timing.runs[step.run];
        columns.add(2 + numberOf(module, run.engine, run.index));
      } else {
        columns.add(0);
      }
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
  const Causes &causes;
  std::vector<std::uint32_t> number; ///< By event, in the page.
  std::uint32_t numEvents = 0;
};

} // namespace

std::vector<std::uint8_t> addTimeline(Columns &columns,
                                      const TracedCore &core) {
  return Writer(columns, core).write();
}

void addMemory(Columns &columns, const LiveMemory &live,
               const isa::Module &module) {
  for (const LiveBytes *bytes : {&live.sbuf, &live.psum}) {
    columns.add(bytes->steps.size());
    sim::Picoseconds last = 0;
    for (const auto &[time, held] : bytes->steps) {
      columns.add(static_cast<std::uint64_t>(time - last));
      columns.add(static_cast<std::uint64_t>(held));
      last = time;
    }
  }
  const std::vector<LiveRange> &ranges = live.ranges;
  // Most are like others but for their times.
  using Shape = std::array<std::uint64_t, 8>;
  std::map<Shape, std::size_t> numbers;
  std::vector<Shape> shapes;
  std::vector<std::size_t> shapeOf;
  for (const LiveRange &range : ranges) {
    const Shape shape{range.space == isa::Space::psum,
                      range.buffer,
                      placeOf(range, module),
                      static_cast<std::uint64_t>(range.firstByte),
                      static_cast<std::uint64_t>(range.bytes),
                      range.firstPartition,
                      range.partitions,
                      range.writer};
    const auto [found, isNew] = numbers.try_emplace(shape, shapes.size());
    if (isNew)
      shapes.push_back(shape);
    shapeOf.push_back(found->second);
  }
  columns.add(shapes.size());
  for (const Shape &shape : shapes)
    for (const std::uint64_t number : shape)
      columns.add(number);
  columns.add(ranges.size());
  sim::Picoseconds last = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    columns.add(static_cast<std::uint64_t>(ranges[i].start - last));
    last = ranges[i].start;
    columns.add(static_cast<std::uint64_t>(ranges[i].end - ranges[i].start));
    columns.add(shapeOf[i]);
  }
}

} // namespace kiln::profile
