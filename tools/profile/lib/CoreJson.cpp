//===- CoreJson.cpp - One core of a run as JSON --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreJson.h"

#include "CollectiveJson.h"
#include "EventColumns.h"
#include "ExecutedJson.h"
#include "Hierarchy.h"
#include "Json.h"
#include "Labels.h"
#include "LiveRanges.h"
#include "MemoryJson.h"
#include "Parts.h"
#include "RooflineJson.h"
#include "StallRanking.h"
#include "TensorJson.h"
#include "TimelineColumns.h"
#include "Values.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/callers.h"
#include "kiln/isa/scopes.h"
#include "kiln/isa/source_loops.h"
#include "kiln/isa/tile_operations.h"
#include "kiln/machine/hardware_flops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

std::string_view engineName(std::size_t engine) {
  return engine < isa::numEngines ? isa::name(static_cast<isa::Engine>(engine))
                                  : std::string_view("dma");
}

json sumsJson(const Sums &sums) {
  json busy = json::object(), stalls = json::object();
  for (std::size_t e = 0; e < sums.busy.size(); ++e)
    if (sums.busy[e] > 0)
      busy[std::string(engineName(e))] = inNanoseconds(sums.busy[e]);
  for (std::size_t r = 0; r < sums.stalls.size(); ++r)
    if (sums.stalls[r] > 0)
      stalls[std::string(sim::stallReasonNames[r])] =
          inNanoseconds(sums.stalls[r]);
  return {{"busy_ns", std::move(busy)},
          {"stall_ns", std::move(stalls)},
          {"bytes", sums.bytes},
          {"hbm_bytes", sums.hbmBytes},
          {"flops", sums.flops},
          {"runs", sums.runs},
          {"critical_ns", inNanoseconds(sums.critical)}};
}

/// Makes the parts that share the numbering of instructions.
class CoreWriter {
public:
  CoreWriter(const LaunchProfile &launch, std::size_t core)
      : launch(launch), core(core), timing(launch.timing.cores[core]),
        module(launch.module(core)), target(launch.target), callers(module),
        operations(module), sourceLoops(module),
        causes(findCauses(module, target, timing)),
        binary(module, target, timing, causes), nodes(hierarchyOf(binary)),
        live(liveMemory(binary, timing, target)), tracks(timing),
        nodeOf(binary.all.size(), 0) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].instruction >= 0)
        nodeOf[static_cast<std::size_t>(nodes[n].instruction)] = n;
    for (const sim::StallSite &site : timing.stallSites)
      if (site.index < module.streams[site.engine].size())
        sites[binary.numberOf(site.engine, site.index)].push_back(&site);
  }

  json write(Detail detail) {
    if (detail == Detail::figures)
      return figures();
    json out = head(tracks.tracks);
    out["critical_path"]["steps"] = pathSteps();
    out["memory"]["ranges"] = rangesJson(live, module);
    if (detail != Detail::events)
      return out;
    out["events"] = eventColumns(binary, tracks, timing, causes);
    out["waits"] = waitColumns(binary, timing);
    return out;
  }

  json write(Columns &columns) {
    json out =
        head(addTimeline(columns, {module, launch.modules, timing, causes}));
    addMemory(columns, live, module);
    return out;
  }

private:
  json figures() {
    sim::ProfileReport report = launch.reports[core];
    rankStalls(report, timing, causes);
    addPeaks(report, live);
    json out = jsonOf(report);
    if (const std::vector<Part> parts =
            partsOf(binary, target, timing.makespan);
        !parts.empty())
      out["parts"] = partsJson(parts, timing.makespan);
    return out;
  }

  /// Everything that does not grow with the run.
  json head(const std::vector<std::uint8_t> &tracksUsed) {
    json out = figures();
    out["reasons"] = sim::stallReasonNames;
    out["lost_reasons"] = json::array();
    for (std::size_t i = 0; i < sim::numStallReasons; ++i)
      if (isLost(static_cast<sim::StallReason>(i)))
        out["lost_reasons"].push_back(sim::stallReasonNames[i]);
    out["wait_kinds"] = sim::waitKindNames;
    out["tracks"] = json::array();
    for (const std::uint8_t track : tracksUsed)
      out["tracks"].push_back(trackName(track));
    out["places"] = json::array();
    for (std::uint32_t i = 0; i < module.locations.size(); ++i) {
      const isa::SourceLocation &place = module.locations[i];
      out["places"].push_back({{"file", place.file},
                               {"line", place.line},
                               {"column", place.column},
                               {"scopes", isa::splitScopes(place.scopes)},
                               {"loops", loopsJson(i)},
                               {"name", place.name},
                               {"operation", operations.of(i)},
                               {"callers", callers.of(i)}});
    }
    out["binary"] = json::array();
    for (std::size_t i = 0; i < binary.all.size(); ++i)
      out["binary"].push_back(instruction(i));
    out["hierarchy"] = json::array();
    for (const HierarchyNode &node : nodes)
      out["hierarchy"].push_back(
          {{"parent", node.parent},
           {"type", node.type},
           {"name", node.name},
           {"place", node.place},
           {"instruction", node.instruction},
           {"trips", node.trips},
           {"sums", sumsJson(node.sums)},
           {"start_ns",
            inNanoseconds(std::max<sim::Picoseconds>(0, node.start))},
           {"end_ns", inNanoseconds(node.end)}});
    out["lines"] = lines();
    out["scopes"] = scopes();
    out["critical_path"] = criticalPath();
    out.update(tensorJson(binary, target, timing));
    out["memory"] = memoryJson(live, target);
    out["roofline_points"] =
        rooflineJson(binary, nodes, target, timing.makespan);
    out["collectives"] = collectiveJson(binary, timing);
    if (!launch.values.empty())
      out["values"] = valuesJson(launch.values[core], module);
    return out;
  }

  json loopsJson(std::uint32_t location) const {
    json out = json::array();
    for (const isa::SourceLoop &loop : sourceLoops.of(location)) {
      out.push_back({{"depth", loop.depth}, {"trips", loop.trips}});
      if (loop.turn)
        out.back()["turn"] = *loop.turn;
    }
    return out;
  }

  json instruction(std::size_t number) {
    const Executed &one = binary.all[number];
    json waits = json::array();
    for (const sim::StallSite *site : sites[number]) {
      const sim::Producer &by = site->producer;
      const bool isKnown = by.engine < isa::numEngines &&
                           by.core == sim::Producer::sameCore &&
                           by.index < module.streams[by.engine].size();
      waits.push_back(
          {{"instruction", isKnown ? static_cast<std::int64_t>(
                                         binary.numberOf(by.engine, by.index))
                                   : -1},
           {"reason", nameOf(site->reason)},
           {"kind", sim::waitKindNames[static_cast<std::size_t>(site->kind)]},
           {"ns", inNanoseconds(site->time)},
           {"count", site->count}});
    }
    sim::Picoseconds busy = 0, stall = 0;
    for (const sim::Picoseconds time : one.sums.busy)
      busy += time;
    for (const sim::Picoseconds time : one.sums.stalls)
      stall += time;
    unsigned partitions = 0;
    for (const isa::OperandAccess &entry : one.accesses)
      if (entry.access->space != isa::Space::hbm)
        partitions = std::max<unsigned>(partitions, entry.access->partitions);
    json out{
        {"engine", engineName(one.engine)},
        {"index", one.index},
        {"op", isa::mnemonic(isa::opcode(one.instruction->body))},
        {"kind", one.kind},
        {"place", one.instruction->location},
        {"node", nodeOf[number]},
        {"asm", isa::printInstruction(*one.instruction, module)},
        {"queue", isa::queueOf(one.instruction->body).value_or(-1)},
        {"runs", one.sums.runs},
        {"busy_ns", inNanoseconds(busy)},
        {"stall_ns", inNanoseconds(stall)},
        {"cost", costJson(one)},
        {"bytes", ofRun(one, one.sums.bytes)},
        {"hbm_read_bytes", ofRun(one, one.hbmRead)},
        {"hbm_written_bytes", ofRun(one, one.hbmWritten)},
        {"flops", one.cost.flops},
        {"hardware_flops",
         machine::hardwareFlops(*one.instruction,
                                static_cast<isa::Engine>(one.engine), target)},
        {"operations", operationsOf(one, target)},
        {"partitions", partitions},
        {"critical_ns", inNanoseconds(one.sums.critical)},
        {"slack_ns", inNanoseconds(std::max<sim::Picoseconds>(0, one.slack))},
        {"waits_for", std::move(waits)}};
    if (one.transfer)
      out["dma"] = dmaJson(one, target);
    return out;
  }

  /// Sums by what `keyOf` says of an instruction, most critical first.
  template <class KeyOf> auto sumsBy(KeyOf keyOf) {
    std::map<std::string, std::pair<Sums, std::vector<std::size_t>>> all;
    for (std::size_t i = 0; i < binary.all.size(); ++i) {
      auto &[sums, members] = all[keyOf(*binary.all[i].instruction)];
      sums += binary.all[i].sums;
      members.push_back(i);
    }
    std::vector<decltype(all.begin())> order;
    for (auto at = all.begin(); at != all.end(); ++at)
      order.push_back(at);
    std::stable_sort(order.begin(), order.end(), [](auto a, auto b) {
      return a->second.first.critical > b->second.first.critical;
    });
    std::vector<
        std::pair<std::string, std::pair<Sums, std::vector<std::size_t>>>>
        sorted;
    for (auto at : order)
      sorted.emplace_back(at->first, std::move(at->second));
    return sorted;
  }

  /// By line that calls helpers: the work of the helpers.
  std::map<std::string, std::pair<const isa::SourceLocation *, Sums>>
  called() const {
    std::map<std::string, std::pair<const isa::SourceLocation *, Sums>> all;
    for (const Executed &one : binary.all) {
      std::set<std::string> seen; // A helper may call itself.
      for (const std::uint32_t call : callers.of(one.instruction->location)) {
        const isa::SourceLocation &place = module.locations[call];
        const std::string source = fmt::format("{}:{}", place.file, place.line);
        if (!seen.insert(source).second)
          continue;
        auto &[at, sums] = all[source];
        at = &place;
        sums += one.sums;
      }
    }
    return all;
  }

  json lines() {
    json out = json::array();
    auto calls = called();
    for (auto &[source, group] : sumsBy([&](const isa::Instruction &one) {
           return sourceOf(one, module);
         })) {
      const isa::SourceLocation &place =
          placeOf(*binary.all[group.second.front()].instruction, module);
      out.push_back({{"source", source},
                     {"file", place.file},
                     {"line", place.line},
                     {"sums", sumsJson(group.first)},
                     {"instructions", std::move(group.second)}});
      if (const auto own = calls.extract(source))
        out.back()["called"] = sumsJson(own.mapped().second);
    }
    for (const auto &[source, call] : calls)
      out.push_back({{"source", source},
                     {"file", call.first->file},
                     {"line", call.first->line},
                     {"sums", sumsJson(Sums())},
                     {"instructions", json::array()},
                     {"called", sumsJson(call.second)}});
    return out;
  }

  json scopes() {
    json out = json::array();
    for (auto &[scope, group] : sumsBy([&](const isa::Instruction &one) {
           return placeOf(one, module).scopes;
         }))
      out.push_back({{"scope", scope},
                     {"names", isa::splitScopes(scope)},
                     {"sums", sumsJson(group.first)}});
    return out;
  }

  std::int64_t instructionOf(const PathStep &step) const {
    if (step.run == sim::Producer::noRun)
      return -1;
    const sim::TraceRun &run = timing.runs[step.run];
    return binary.numberOf(run.engine, run.index);
  }

  json criticalPath() {
    std::map<std::string, sim::Picoseconds> sums;
    for (const PathStep &step : causes.path) {
      std::string name(step.reason);
      if (step.event != PathStep::noEvent && step.reason == "work")
        name =
            fmt::format("work_{}", engineName(timing.events[step.event].track));
      sums[name] += step.end - step.start;
    }
    json reasons = json::object();
    for (const auto &[name, time] : sums)
      reasons[name] = inNanoseconds(time);
    return {{"total_ns", inNanoseconds(timing.makespan)},
            {"by_reason", std::move(reasons)}};
  }

  json pathSteps() {
    json steps = json::array();
    for (const PathStep &step : causes.path) {
      int track = -1;
      if (step.run != sim::Producer::noRun)
        track = tracks.places[timing.runs[step.run].engine];
      if (step.event != PathStep::noEvent)
        track = tracks.places[timing.events[step.event].track];
      steps.push_back({{"track", track},
                       {"instruction", instructionOf(step)},
                       {"event", step.event == PathStep::noEvent
                                     ? -1
                                     : static_cast<std::int64_t>(step.event)},
                       {"reason", step.reason},
                       {"start_ns", inNanoseconds(step.start)},
                       {"end_ns", inNanoseconds(step.end)}});
    }
    return steps;
  }

  const LaunchProfile &launch;
  std::size_t core;
  const sim::Timing &timing;
  const isa::Module &module;
  const isa::Target &target;
  isa::Callers callers;
  isa::TileOperations operations;
  isa::SourceLoops sourceLoops;
  Causes causes;
  Binary binary;
  std::vector<HierarchyNode> nodes;
  LiveMemory live;
  Tracks tracks;
  std::vector<std::size_t> nodeOf;
  std::map<std::size_t, std::vector<const sim::StallSite *>> sites;
};

} // namespace

json coreJson(const LaunchProfile &launch, std::size_t core, Detail detail) {
  return CoreWriter(launch, core).write(detail);
}

json coreJson(const LaunchProfile &launch, std::size_t core, Columns &columns) {
  return CoreWriter(launch, core).write(columns);
}

} // namespace kiln::profile
