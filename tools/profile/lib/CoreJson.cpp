//===- CoreJson.cpp - One core of a run as JSON --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreJson.h"

#include "EventColumns.h"
#include "Hierarchy.h"
#include "Labels.h"
#include "LiveRanges.h"
#include "TensorJson.h"
#include "kiln/isa/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kiln::profile {

using json = nlohmann::ordered_json;

namespace {

std::string_view engineName(std::size_t engine) {
  return engine < isa::numEngines ? isa::name(static_cast<isa::Engine>(engine))
                                  : std::string_view("dma");
}

json jsonOf(const Sums &sums) {
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
          {"flops", sums.flops},
          {"runs", sums.runs},
          {"critical_ns", inNanoseconds(sums.critical)}};
}

json costJson(const Executed &one) {
  json cost = json::object();
  const auto add = [&](const char *term, sim::Picoseconds time) {
    if (time > 0)
      cost[term] = inNanoseconds(time);
  };
  if (one.transfer) {
    add("data", *std::max_element(one.transfer->work.begin(),
                                  one.transfer->work.end()));
    add("descriptors", one.transfer->generation);
    return cost;
  }
  add("start", one.cost.interval - one.cost.stream);
  add("stream", one.cost.stream);
  add("interval", one.cost.interval);
  add("latency", one.cost.latency);
  add("weights", one.cost.weights);
  return cost;
}

/// Makes the parts that share the numbering of instructions.
class CoreWriter {
public:
  CoreWriter(const LaunchProfile &launch, std::size_t core)
      : timing(launch.timing.cores[core]), module(launch.module(core)),
        target(launch.target), causes(findCauses(module, target, timing)),
        binary(module, target, timing, causes), nodes(hierarchyOf(binary)),
        tracks(timing), nodeOf(binary.all.size(), 0) {
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].instruction >= 0)
        nodeOf[static_cast<std::size_t>(nodes[n].instruction)] = n;
    for (const sim::StallSite &site : timing.stallSites)
      if (site.index < module.streams[site.engine].size())
        sites[binary.numberOf(site.engine, site.index)].push_back(&site);
  }

  json write(bool events) {
    json out;
    out["reasons"] = sim::stallReasonNames;
    out["tracks"] = json::array();
    for (const std::uint8_t track : tracks.tracks)
      out["tracks"].push_back(trackName(track));
    out["places"] = json::array();
    for (const isa::SourceLocation &place : module.locations)
      out["places"].push_back({{"file", place.file},
                               {"line", place.line},
                               {"column", place.column},
                               {"scopes", place.scopes},
                               {"name", place.name}});
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
           {"sums", jsonOf(node.sums)},
           {"start_ns",
            inNanoseconds(std::max<sim::Picoseconds>(0, node.start))},
           {"end_ns", inNanoseconds(node.end)}});
    out["lines"] = lines();
    out["scopes"] = scopes();
    out["critical_path"] = criticalPath();
    out.update(tensorJson(binary, target, timing));
    out["memory"] = memory();
    out["roofline_points"] = rooflinePoints();
    out["collectives"] = collectives();
    if (!events)
      return out;
    out["events"] = eventColumns(binary, tracks, timing, causes);
    out["waits"] = waitColumns(binary, timing);
    return out;
  }

private:
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
    return {
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
        {"bytes", one.transfer ? one.transfer->bytes : 0},
        {"flops", one.cost.flops},
        {"partitions", partitions},
        {"critical_ns", inNanoseconds(one.sums.critical)},
        {"slack_ns", inNanoseconds(std::max<sim::Picoseconds>(0, one.slack))},
        {"waits_for", std::move(waits)}};
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

  json lines() {
    json out = json::array();
    for (auto &[source, group] : sumsBy([&](const isa::Instruction &one) {
           return sourceOf(one, module);
         })) {
      const isa::SourceLocation &place =
          placeOf(*binary.all[group.second.front()].instruction, module);
      out.push_back({{"source", source},
                     {"file", place.file},
                     {"line", place.line},
                     {"sums", jsonOf(group.first)},
                     {"instructions", std::move(group.second)}});
    }
    return out;
  }

  json scopes() {
    json out = json::array();
    for (auto &[scope, group] : sumsBy([&](const isa::Instruction &one) {
           return placeOf(one, module).scopes;
         }))
      out.push_back({{"scope", scope}, {"sums", jsonOf(group.first)}});
    return out;
  }

  json criticalPath() {
    std::map<std::string, sim::Picoseconds> sums;
    json steps = json::array();
    for (const PathStep &step : causes.path) {
      int track = -1;
      std::int64_t number = -1;
      if (step.run != sim::Producer::noRun) {
        const sim::TraceRun &run = timing.runs[step.run];
        number = binary.numberOf(run.engine, run.index);
        track = tracks.places[run.engine];
      }
      std::string name(step.reason);
      if (step.event != PathStep::noEvent) {
        const std::uint8_t on = timing.events[step.event].track;
        track = tracks.places[on];
        if (step.reason == "work")
          name = fmt::format("work_{}", engineName(on));
      }
      sums[name] += step.end - step.start;
      steps.push_back({{"track", track},
                       {"instruction", number},
                       {"event", step.event == PathStep::noEvent
                                     ? -1
                                     : static_cast<std::int64_t>(step.event)},
                       {"reason", step.reason},
                       {"start_ns", inNanoseconds(step.start)},
                       {"end_ns", inNanoseconds(step.end)}});
    }
    json reasons = json::object();
    for (const auto &[name, time] : sums)
      reasons[name] = inNanoseconds(time);
    return {{"total_ns", inNanoseconds(timing.makespan)},
            {"by_reason", std::move(reasons)},
            {"steps", std::move(steps)}};
  }

  json memory() {
    const std::vector<LiveRange> ranges = liveRanges(binary, timing);
    json out;
    out["ranges"] = json::array();
    for (const LiveRange &range : ranges)
      out["ranges"].push_back(
          {{"memory", range.space == isa::Space::psum ? "psum" : "sbuf"},
           {"buffer", range.buffer},
           {"place", range.buffer < module.buffers.size()
                         ? module.buffers[range.buffer]
                         : 0},
           {"first_byte", range.firstByte},
           {"bytes", range.bytes},
           {"first_partition", range.firstPartition},
           {"partitions", range.partitions},
           {"start_ns", inNanoseconds(range.start)},
           {"end_ns", inNanoseconds(range.end)},
           {"writer", range.writer}});
    for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum}) {
      const MemoryPeak peak = peakOf(ranges, space);
      out[space == isa::Space::psum ? "psum" : "sbuf"] = {
          {"capacity_bytes", target.bytes(space)},
          {"peak_bytes", peak.bytes},
          {"at_ns", inNanoseconds(peak.time)},
          {"owners", peak.owners}};
    }
    return out;
  }

  json rooflinePoints() {
    json out = json::array();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const HierarchyNode &node = nodes[n];
      if ((node.type != "kernel" && node.type != "loop") ||
          node.end <= node.start)
        continue;
      out.push_back({{"name", node.name},
                     {"node", n},
                     {"operands", operandsOf(node)},
                     {"flops", node.sums.flops},
                     {"bytes", node.sums.bytes},
                     {"ns", inNanoseconds(node.end - node.start)}});
    }
    return out;
  }

  /// The kind of operands that most flops below `node` used.
  std::string_view operandsOf(const HierarchyNode &node) const {
    static constexpr std::string_view names[machine::numProductRates] = {
        "f32", "bf16", "fp8", "mxfp8", "mxfp4"};
    std::array<std::uint64_t, machine::numProductRates> flops{};
    for (const Executed &one : binary.all)
      if (one.sums.flops > 0 &&
          (node.type == "kernel" ||
           placeOf(*one.instruction, module).scopes.find(node.name) !=
               std::string::npos))
        flops[static_cast<std::size_t>(one.cost.rate)] += one.sums.flops;
    const auto most = std::max_element(flops.begin(), flops.end());
    return *most == 0 ? "none" : names[most - flops.begin()];
  }

  json collectives() {
    json out = json::array();
    for (const sim::TraceEvent &event : timing.events) {
      const std::uint32_t number = binary.numberOf(event.engine, event.index);
      const Executed &one = binary.all[number];
      if (one.kind != "collective" || event.track < isa::numEngines)
        continue;
      std::uint64_t bytes = 0;
      for (const isa::OperandAccess &entry : one.accesses)
        bytes +=
            entry.access->totalElements() * sizeInBytes(entry.access->dtype);
      out.push_back({{"op", isa::mnemonic(isa::opcode(one.instruction->body))},
                     {"instruction", number},
                     {"bytes", bytes},
                     {"start_ns", inNanoseconds(event.start)},
                     {"length_ns", inNanoseconds(event.end - event.start)},
                     {"peer_wait_ns",
                      inNanoseconds(one.sums.stalls[static_cast<std::size_t>(
                          sim::StallReason::waitPeer)])}});
    }
    return out;
  }

  const sim::Timing &timing;
  const isa::Module &module;
  const isa::Target &target;
  Causes causes;
  Binary binary;
  std::vector<HierarchyNode> nodes;
  Tracks tracks;
  std::vector<std::size_t> nodeOf;
  std::map<std::size_t, std::vector<const sim::StallSite *>> sites;
};

} // namespace

json coreJson(const LaunchProfile &launch, std::size_t core, bool events) {
  return CoreWriter(launch, core).write(events);
}

} // namespace kiln::profile
