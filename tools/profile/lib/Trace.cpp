//===- Trace.cpp - Chrome trace-event JSON -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Counters.h"
#include "Json.h"
#include "Labels.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/scopes.h"
#include "kiln/profile/causes.h"
#include "kiln/profile/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace kiln::profile {

namespace {

using nlohmann::ordered_json;

/// Everything about an instruction that is the same each time it runs.
ordered_json argumentsOf(const isa::Instruction &instruction, unsigned engine,
                         std::uint32_t index, const isa::Module &module) {
  return {{"source", sourceOf(instruction, module)},
          {"scopes", isa::scopesText(placeOf(instruction, module).scopes)},
          {"asm", isa::printInstruction(instruction, module)},
          {"stream", isa::name(static_cast<isa::Engine>(engine))},
          {"index", index}};
}

/// Writes one entry of the trace after the other, each on a line of its own,
/// into the document around them: a million entries as one value would take
/// many times as much memory.
class TraceWriter {
public:
  TraceWriter(const isa::Module &module, const isa::Target &target,
              sim::Picoseconds makespan) {
    const ordered_json about{
        {"kernel", module.kernel},
        {"target", target.name.view()},
        {"tick", "1 ps"},
        {"timestamps", "microseconds, up to six decimals: whole picoseconds"},
        {"makespan_ps", makespan}};
    out = dumped({{"displayTimeUnit", "ns"},
                  {"otherData", about},
                  {"traceEvents", ordered_json::array()}});
    end = out.substr(out.rfind(']'));
    out.resize(out.size() - end.size());
  }

  void add(const ordered_json &entry) {
    out += std::exchange(separator, ",\n");
    out += dumped(entry);
  }
  std::string finish() { return std::move(out) + "\n" + end + "\n"; }
  std::uint64_t numFlows = 0;

private:
  std::string out;
  std::string end; ///< Of the document, behind the entries.
  const char *separator = "\n";
};

void nameTrack(TraceWriter &trace, unsigned process, unsigned track) {
  trace.add({{"ph", "M"},
             {"pid", process},
             {"tid", track},
             {"name", "thread_name"},
             {"args", {{"name", trackName(track)}}}});
  trace.add({{"ph", "M"},
             {"pid", process},
             {"tid", track},
             {"name", "thread_sort_index"},
             {"args", {{"sort_index", track}}}});
}

/// Arrows: from the event that another one waited for to that one.
void addFlows(TraceWriter &trace, const sim::Timing &timing,
              const Causes &causes, const std::vector<sim::Picoseconds> &begins,
              unsigned process) {
  for (std::size_t e = 0; e < timing.events.size(); ++e) {
    const std::uint32_t cause = causes.cause[e];
    if (cause == PathStep::noEvent || causes.reason[e] == Causes::busy ||
        begins[cause] > begins[e])
      continue;
    const sim::TraceEvent &from = timing.events[cause];
    // An arrow connects the slices in which its ends lie. An event that waited
    // for the start of another does not need its end.
    const std::pair<std::uint8_t, sim::Picoseconds> ends[] = {
        {from.track,
         std::max(begins[cause], std::min(from.end - 1, begins[e]))},
        {timing.events[e].track, begins[e]}};
    for (const auto &[track, time] : ends) {
      ordered_json entry{
          {"ph", &ends[0].first == &track ? "s" : "f"},
          {"id", trace.numFlows},
          {"pid", process},
          {"tid", track},
          {"ts", inMicroseconds(time)},
          {"cat", "wait"},
          {"name", nameOf(static_cast<sim::StallReason>(causes.reason[e]))}};
      if (entry["ph"] == "f")
        entry["bp"] = "e";
      trace.add(entry);
    }
    ++trace.numFlows;
  }
}

void addCounters(TraceWriter &trace, const Binary &binary,
                 const sim::Timing &timing, const isa::Target &target,
                 unsigned process) {
  for (const Counter &counter : countersOf(binary, timing, target))
    for (const auto &[time, value] : counter.steps)
      trace.add({{"ph", "C"},
                 {"pid", process},
                 {"ts", inMicroseconds(time)},
                 {"name", counter.name},
                 {"args", {{counter.unit, value}}}});
}

/// The tracks and events of one core, as one process of the trace.
void addCore(TraceWriter &trace, const isa::Module &module,
             std::span<const isa::Module> modules, const sim::Timing &timing,
             const isa::Target &target, unsigned process,
             const std::string &name) {
  std::set<unsigned> tracks{0, 1, 2, 3, 4};
  for (const sim::TraceEvent &event : timing.events)
    tracks.insert(event.track);
  trace.add({{"ph", "M"},
             {"pid", process},
             {"name", "process_name"},
             {"args", {{"name", name}}}});
  for (unsigned track : tracks)
    nameTrack(trace, process, track);

  std::array<std::vector<ordered_json>, isa::numEngines> arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    arguments[i].resize(module.streams[i].size());
  // Slices of a track may not overlap: a transfer is drawn from when its queue
  // was done with the one before; `first_byte` is when it really began.
  std::array<sim::Picoseconds, 256> drawnTo{};
  std::vector<sim::Picoseconds> begins;
  for (const sim::TraceEvent &event : timing.events) {
    begins.push_back(std::max(event.start, drawnTo[event.track]));
    const isa::Instruction *instruction = instructionOf(event, module);
    if (!instruction)
      continue;
    ordered_json &known = arguments[event.engine][event.index];
    if (known.is_null())
      known = argumentsOf(*instruction, event.engine, event.index, module);
    const sim::Picoseconds begin =
        std::min(event.end, std::max(event.start, drawnTo[event.track]));
    drawnTo[event.track] = std::max(drawnTo[event.track], event.end);
    const bool isEngine =
        event.track < isa::numEngines || event.track == sim::weightsTrack;
    ordered_json slice{{"ph", "X"},
                       {"pid", process},
                       {"tid", event.track},
                       {"ts", inMicroseconds(begin)},
                       {"dur", inMicroseconds(event.end - begin)},
                       {"cat", isEngine ? "engine" : "dma"},
                       {"name", labelOf(*instruction, module)},
                       {"args", known}};
    slice["args"]["visible"] = inMicroseconds(event.visible);
    if (begin != event.start)
      slice["args"]["first_byte"] = inMicroseconds(event.start);
    trace.add(slice);
  }
  // A wait is drawn on the track of its engine; within an instruction if that
  // is slowed down.
  for (const sim::TraceWait &wait : timing.waits)
    trace.add({{"ph", "X"},
               {"pid", process},
               {"tid", wait.engine},
               {"ts", inMicroseconds(wait.start)},
               {"dur", inMicroseconds(wait.end - wait.start)},
               {"cat", "wait"},
               {"name", nameOf(wait.reason)},
               {"args",
                {{"who", placeText(module, wait.engine, wait.index)},
                 {"index", wait.index},
                 {"for", producerText(wait, module, modules)},
                 {"kind",
                  sim::waitKindNames[static_cast<std::size_t>(wait.kind)]}}}});
  const Causes causes = findCauses(module, target, timing);
  addFlows(trace, timing, causes, begins, process);
  addCounters(trace, Binary(module, target, timing, causes), timing, target,
              process);
}

} // namespace

std::string toTrace(const isa::Module &module, const sim::Timing &timing,
                    const isa::Target &target) {
  TraceWriter trace(module, target, timing.makespan);
  addCore(trace, module, {&module, 1}, timing, target, 1, module.kernel);
  return trace.finish();
}

std::string toTrace(const LaunchProfile &launch) {
  const std::string &kernel = launch.modules.front().kernel;
  TraceWriter trace(launch.modules.front(), launch.target,
                    launch.timing.makespan);
  for (std::size_t i = 0; i < launch.reports.size(); ++i) {
    const std::string name = launch.name(i);
    addCore(trace, launch.module(i), launch.modules, launch.timing.cores[i],
            launch.target, static_cast<unsigned>(i + 1),
            name.empty() ? kernel : fmt::format("{}, {}", kernel, name));
  }
  return trace.finish();
}

} // namespace kiln::profile
