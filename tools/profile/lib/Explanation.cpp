//===- Explanation.cpp - All about one instruction ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/explanation.h"

#include "Binary.h"
#include "Labels.h"
#include "kiln/isa/assembly.h"
#include "kiln/isa/callers.h"
#include "kiln/isa/info.h"
#include "kiln/isa/tile_operations.h"
#include "kiln/machine/data_registers.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::profile {
namespace {

using sim::Picoseconds;

std::string_view effectName(isa::Effect effect) {
  switch (effect) {
  case isa::Effect::none:
    return "names";
  case isa::Effect::read:
    return "reads";
  case isa::Effect::write:
    return "writes";
  case isa::Effect::readWrite:
    return "reads, writes";
  }
  return "?";
}

/// Gathers what one launch knows about one instruction.
class Explainer {
public:
  Explainer(const LaunchProfile &launch, const InstructionName &name)
      : launch(launch), name(name), module(launch.module(name.core)),
        timing(launch.timing.cores[name.core]),
        engine(static_cast<std::uint8_t>(name.engine)),
        instruction(module.streams[engine][name.index]) {}

  Explanation make(std::optional<std::uint64_t> wanted) {
    made.name = name;
    made.core = launch.name(name.core);
    made.kernel = module.kernel;
    made.target = std::string(launch.target.name);
    made.makespan = launch.timing.makespan;
    describe();
    addCost();
    for (const sim::StallSite &site : timing.stallSites)
      if (site.engine == engine && site.index == name.index)
        made.waits.push_back(waitOf(site, site.time, site.count));
    addRuns(wanted);
    return std::move(made);
  }

private:
  void describe() {
    const isa::InstructionInfo &info = isa::info(isa::opcode(instruction.body));
    made.assembly = isa::printInstruction(instruction, module);
    made.kind = kindOf(instruction, name.engine);
    made.summary = info.summary;
    made.equation = info.equation;
    made.place = placeOf(instruction, module);
    made.operation = isa::TileOperations(module).of(instruction.location);
    made.loops = isa::SourceLoops(module).of(instruction.location);
    for (const std::uint32_t call :
         isa::Callers(module).of(instruction.location))
      made.callers.push_back(module.locations[call]);
    std::vector<isa::OperandAccess> accesses;
    collectAccesses(instruction.body, accesses);
    for (const isa::OperandAccess &entry : accesses) {
      const isa::OperandInfo *operand = info.operand(entry.name);
      const std::uint64_t elements = entry.access->totalElements();
      made.operands.push_back({entry.name, effectName(entry.effect),
                               isa::printAccess(*entry.access, module),
                               operand ? operand->doc : std::string_view(),
                               elements,
                               elements * sizeInBytes(entry.access->dtype)});
    }
  }

  void addCost() {
    const isa::Body &body = instruction.body;
    const isa::InstructionInfo &info = isa::info(isa::opcode(body));
    const bool loaded =
        machine::DataRegisters(module.streams[engine]).place(body);
    made.cost = machine::termsOf(
        body, name.engine, launch.target,
        {loaded, static_cast<unsigned>(launch.modules.size()), goesBack()});
    if (info.isControl || info.state == isa::HiddenState::peers)
      return;
    if (info.isDma) {
      const machine::DmaPlan plan =
          machine::planDma(body, name.engine, launch.target);
      made.bytes = plan.bytes;
      made.rows = plan.rows;
      // The others only contribute to the token.
      const Picoseconds visit = std::max<Picoseconds>(
          1, machine::nanoseconds(launch.target.dma_descriptor_ns));
      for (const Picoseconds work : plan.work)
        made.dmaEngines += work > visit;
      return;
    }
    const machine::InstructionCost cost =
        machine::costOf(body, name.engine, launch.target, loaded);
    made.flops = cost.flops;
    made.elementsInCycle = cost.mode;
  }

  /// True if its first run begins another iteration.
  bool goesBack() const {
    bool ran = false;
    for (const sim::TraceRun &run : timing.runs) {
      if (run.engine != engine)
        continue;
      if (ran)
        return run.index <= name.index;
      ran = run.index == name.index;
    }
    return false;
  }

  RelatedInstruction related(std::size_t core, unsigned of,
                             std::uint32_t index) const {
    const isa::Module &its = launch.module(core);
    const std::string place = core == name.core ? "" : launch.name(core) + " ";
    const isa::Instruction &one = its.streams[of][index];
    return {fmt::format("{}{}:{}", place,
                        isa::name(static_cast<isa::Engine>(of)), index),
            isa::printInstruction(one, its), sourceOf(one, its)};
  }

  std::optional<RelatedInstruction>
  relatedTo(const sim::Producer &producer) const {
    const std::size_t core =
        producer.core == sim::Producer::sameCore ? name.core : producer.core;
    if (producer.engine >= isa::numEngines ||
        core >= launch.timing.cores.size() ||
        producer.index >= launch.module(core).streams[producer.engine].size())
      return std::nullopt;
    return related(core, producer.engine, producer.index);
  }

  /// Of a sim::StallSite or a sim::TraceWait.
  template <class Wait>
  ExplainedWait waitOf(const Wait &wait, Picoseconds time,
                       std::uint64_t count) const {
    return {nameOf(wait.reason),
            sim::waitKindNames[static_cast<std::size_t>(wait.kind)],
            relatedTo(wait.producer), time, count};
  }

  /// Its executions, without their waits.
  std::vector<std::uint32_t> findRuns() {
    std::vector<std::uint32_t> runs;
    for (std::uint32_t r = 0; r < timing.runs.size(); ++r) {
      const sim::TraceRun &run = timing.runs[r];
      if (run.engine != engine || run.index != name.index)
        continue;
      runs.push_back(r);
      ExplainedRun one;
      one.number = all.size() + 1;
      one.acted = one.start = run.acted;
      one.end = one.visible = run.freed;
      all.push_back(one);
    }
    return runs;
  }

  void addRuns(std::optional<std::uint64_t> wanted) {
    const std::vector<std::uint32_t> runs = findRuns();
    const Causes causes = findCauses(module, launch.target, timing);
    std::vector<Picoseconds> bounds;
    for (const std::uint32_t r : runs)
      bounds.push_back(timing.runs[r].freed);
    for (std::uint32_t e = 0; e < timing.events.size(); ++e)
      addEvent(e, runs, causes, bounds);
    addWaits(bounds);
    made.runs = all.size();
    const bool isControl = isa::info(isa::opcode(instruction.body)).isControl;
    for (const ExplainedRun &run : all) {
      made.busy += run.hasEvent || isControl ? run.end - run.start : 0;
      made.critical += run.critical;
    }
    if (all.empty())
      return;
    const auto longest = std::max_element(
        all.begin(), all.end(),
        [](const auto &a, const auto &b) { return a.waited() < b.waited(); });
    made.run = wanted ? all[*wanted - 1] : *longest;
  }

  void addEvent(std::uint32_t e, const std::vector<std::uint32_t> &runs,
                const Causes &causes, std::vector<Picoseconds> &bounds) {
    const sim::TraceEvent &event = timing.events[e];
    const bool onQueue =
        event.track >= isa::numEngines && event.track < sim::weightsTrack;
    const auto found = std::lower_bound(runs.begin(), runs.end(), event.run);
    if (event.engine != engine || event.index != name.index ||
        found == runs.end() || *found != event.run ||
        (!onQueue && event.track != engine))
      return;
    const auto number = static_cast<std::size_t>(found - runs.begin());
    ExplainedRun &run = all[number];
    // The slot in which SyncE triggers a transfer is not part of the transfer.
    if (run.hasEvent && !onQueue)
      return;
    run.hasEvent = true;
    run.start = event.start;
    run.end = event.end;
    run.visible = event.visible;
    run.slack = causes.slack[e];
    run.critical = causes.critical[e];
    if (!onQueue)
      bounds[number] = std::max(bounds[number], event.end);
    run.followed.reset();
    if (causes.cause[e] == PathStep::noEvent)
      return;
    const sim::TraceEvent &cause = timing.events[causes.cause[e]];
    run.followed = related(name.core, cause.engine, cause.index);
    run.followedFor =
        causes.reason[e] == Causes::busy
            ? std::string_view("busy")
            : nameOf(static_cast<sim::StallReason>(causes.reason[e]));
  }

  /// The waits of an engine do not overlap: each belongs to the first run that
  /// was not over when it ended.
  void addWaits(const std::vector<Picoseconds> &bounds) {
    for (const sim::TraceWait &wait : timing.waits) {
      if (wait.engine != engine || wait.index != name.index)
        continue;
      const auto run = std::lower_bound(bounds.begin(), bounds.end(), wait.end);
      if (run != bounds.end())
        all[static_cast<std::size_t>(run - bounds.begin())].waits.push_back(
            waitOf(wait, wait.end - wait.start, 1));
    }
  }

  const LaunchProfile &launch;
  const InstructionName &name;
  const isa::Module &module;
  const sim::Timing &timing;
  const std::uint8_t engine;
  const isa::Instruction &instruction;
  std::vector<ExplainedRun> all;
  Explanation made;
};

} // namespace

Picoseconds ExplainedRun::waited() const {
  Picoseconds sum = 0;
  for (const ExplainedWait &wait : waits)
    sum += wait.time;
  return sum;
}

Explanation explain(const LaunchProfile &launch, const InstructionName &name,
                    std::optional<std::uint64_t> run) {
  return Explainer(launch, name).make(run);
}

} // namespace kiln::profile
