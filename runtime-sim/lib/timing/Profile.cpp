//===- Profile.cpp - The numbers of a profile ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/sim/profile.h"

#include "Roofline.h"

#include "kiln/isa/info.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kiln::sim {

namespace {

double toNs(Picoseconds time) { return static_cast<double>(time) / 1000.0; }

/// A build fact as a number; nothing if it is absent or no number.
std::optional<std::uint64_t> fact(const isa::Module &module,
                                  const std::string &key) {
  const auto found = module.facts.find(key);
  if (found == module.facts.end())
    return std::nullopt;
  const std::string &text = found->second;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 ||
      !std::isfinite(value) || value > 1.8e19)
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

ProfileReport::Engine makeEngine(std::string name, const EngineTime &time) {
  ProfileReport::Engine engine;
  engine.name = std::move(name);
  engine.busyNs = toNs(time.busy);
  engine.stallNs = toNs(time.stall);
  engine.instructions = time.instructions;
  for (std::size_t i = 0; i < numStallReasons; ++i)
    if (time.stalls[i] > 0)
      engine.stalls.emplace_back(std::string(stallReasonNames[i]),
                                 toNs(time.stalls[i]));
  return engine;
}

ProfileReport::Place placeOf(const isa::Module &module, std::uint8_t engine,
                             std::uint32_t index) {
  ProfileReport::Place place;
  if (engine >= isa::numEngines)
    return place;
  place.engine = isa::engineNames[engine];
  place.index = index;
  if (index >= module.streams[engine].size())
    return place;
  const isa::Instruction &instruction = module.streams[engine][index];
  place.label = isa::mnemonic(opcode(instruction.body));
  place.isDma = isa::info(opcode(instruction.body)).isDma;
  if (instruction.location == 0 ||
      instruction.location >= module.locations.size())
    return place;
  const isa::SourceLocation &location = module.locations[instruction.location];
  if (!location.name.empty())
    place.label = location.name;
  if (!location.file.empty())
    place.source = location.file + ":" + std::to_string(location.line);
  return place;
}

/// The instruction that a wait was for, of this core or another one.
ProfileReport::Place producerOf(const StallSite &site,
                                std::span<const isa::Module> modules,
                                const isa::Module &own) {
  const Producer &producer = site.producer;
  if (producer.core == Producer::sameCore)
    return placeOf(own, producer.engine, producer.index);
  const std::size_t core = producer.core % modules.size();
  ProfileReport::Place place =
      placeOf(modules[core], producer.engine, producer.index);
  place.core = "rank " + std::to_string(producer.core / modules.size());
  if (modules.size() > 1)
    place.core += " core " + std::to_string(core);
  return place;
}

void addStalls(ProfileReport &report, std::span<const isa::Module> modules,
               const isa::Module &module, const Timing &timing) {
  std::array<std::array<Picoseconds, waitKindNames.size()>, isa::numEngines>
      waits{};
  for (const StallSite &site : timing.stallSites) {
    if (isSemaphoreWait(site.reason))
      waits.at(site.engine)[static_cast<std::size_t>(site.kind)] += site.time;
    if (site.reason == StallReason::end)
      continue;
    ProfileReport::Stall stall;
    stall.at = placeOf(module, site.engine, site.index);
    stall.producer = producerOf(site, modules, module);
    stall.reason = stallReasonNames[static_cast<std::size_t>(site.reason)];
    stall.kind = waitKindNames[static_cast<std::size_t>(site.kind)];
    stall.timeNs = toNs(site.time);
    stall.count = site.count;
    report.topStalls.push_back(std::move(stall));
  }
  for (std::size_t i = 0; i < isa::numEngines; ++i)
    for (std::size_t kind = 0; kind < waitKindNames.size(); ++kind)
      if (waits[i][kind] > 0)
        report.engines[i].waits.emplace_back(std::string(waitKindNames[kind]),
                                             toNs(waits[i][kind]));
}

} // namespace

ProfileReport makeProfile(const isa::Module &module, const Timing &timing,
                          const isa::Target &target) {
  return makeProfile({&module, 1}, timing, 0, target);
}

ProfileReport makeProfile(std::span<const isa::Module> modules,
                          const Timing &timing, std::size_t core,
                          const isa::Target &target) {
  const isa::Module &module = modules[core % modules.size()];
  ProfileReport report;
  report.kernel = module.kernel;
  report.target = std::string(target.name);
  report.makespanNs = toNs(timing.makespan);
  report.endToEndNs =
      target.launch_ns + report.makespanNs + target.tear_down_ns;
  report.lowerBoundNs = toNs(timing.lowerBound);
  report.boundBy = timing.boundBy;
  for (const ResourceBound &bound : timing.bounds)
    report.boundsNs.emplace_back(bound.name, toNs(bound.time));
  const MeetingBound &meetings = timing.meetingBound;
  report.meetings = {meetings.count, toNs(meetings.longest),
                     toNs(meetings.linkBusy), meetings.link};

  for (const std::uint64_t flops : timing.matmulFlops)
    report.matmulFlops += flops;
  const std::optional<std::uint64_t> model = fact(module, "model_flops");
  report.flopsFromModel = model.has_value();
  report.flops = model.value_or(report.matmulFlops);

  for (std::size_t i = 0; i < isa::numEngines; ++i)
    report.engines.push_back(
        makeEngine(std::string(isa::engineNames[i]), timing.engines[i]));
  ProfileReport::Engine &dma =
      report.engines.emplace_back(makeEngine("dma", timing.dma));
  // The busiest engine is idle while transfers start, and if there is none, or
  // only for others.
  const Picoseconds idle = timing.makespan - timing.dma.busy - timing.dma.stall;
  dma.stalls = {{"starting", toNs(timing.dma.stall)},
                {"no_transfer", toNs(std::max<Picoseconds>(0, idle))}};
  addStalls(report, modules, module, timing);
  if (timing.makespan > 0)
    report.mbu = static_cast<double>(timing.hbmBusy) /
                 static_cast<double>(timing.makespan);
  if (timing.dma.instructions > 0)
    report.averageDmaBytes = static_cast<double>(timing.dmaBytes) /
                             static_cast<double>(timing.dma.instructions);

  report.hbmReadBytes = timing.hbmReadBytes;
  report.hbmWriteBytes = timing.hbmWriteBytes;
  addRoofline(report, modules, module, timing, target);
  report.energy = estimateEnergy(module, timing, target,
                                 fact(module, "model_tokens").value_or(0));
  report.fullBuffersAssumed = timing.fullBuffersAssumed;
  report.sbufAllocatedBytes = fact(module, "sbuf_peak_bytes").value_or(0);
  report.psumBanksAllocated = fact(module, "psum_banks_peak").value_or(0);
  report.instructions = timing.instructions();
  for (const auto &stream : module.streams)
    report.staticInstructions += stream.size();
  for (std::size_t i = 0; i < timing.instructionsByOpcode.size(); ++i) {
    const std::optional<isa::Opcode> opcode =
        isa::opcodeFromValue(static_cast<unsigned>(i));
    if (opcode && timing.instructionsByOpcode[i] > 0)
      report.instructionCounts.emplace_back(std::string(isa::mnemonic(*opcode)),
                                            timing.instructionsByOpcode[i]);
  }
  std::sort(report.instructionCounts.begin(), report.instructionCounts.end(),
            [](const auto &a, const auto &b) {
              return a.second != b.second ? a.second > b.second
                                          : a.first < b.first;
            });
  return report;
}

} // namespace kiln::sim
