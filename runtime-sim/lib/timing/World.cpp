//===- World.cpp - The cores of a launch on one clock ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "CollectiveCost.h"

#include <algorithm>

namespace kiln::sim::timing {

namespace {

const RegisterLoads noLoads;

} // namespace

World::World(const Launch &launch, const isa::Target &target,
             const LaunchTimingOptions &options)
    : launch(launch), target(target) {
  for (const isa::Module &module : launch.modules)
    plans.emplace_back(module, target);
  const auto coresOfRank = static_cast<unsigned>(launch.modules.size());
  for (std::size_t i = 0; i < launch.numCores(); ++i) {
    const auto number = static_cast<unsigned>(i);
    CoreSettings settings;
    settings.id = {number / coresOfRank, number % coresOfRank, launch.ranks > 1,
                   coresOfRank > 1};
    settings.number = i;
    settings.trace = options.trace;
    settings.maxSteps = options.maxSteps;
    settings.patience = options.patience;
    settings.registerLoads =
        i < options.registerLoads.size() ? &options.registerLoads[i] : &noLoads;
    cores.emplace_back(plans[number % coresOfRank], target, settings, *this);
  }
}

isa::Expected<LaunchTiming> World::run() {
  for (Simulator &core : cores) {
    if (auto problem = core.start())
      return *problem;
    soonest.push_back(core.nextTime());
  }
  while (true) {
    std::size_t first = 0;
    Picoseconds second = never;
    for (std::size_t i = 1; i < soonest.size(); ++i) {
      if (soonest[i] < soonest[first]) {
        second = soonest[first];
        first = i;
      } else {
        second = std::min(second, soonest[i]);
      }
    }
    if (soonest[first] == never)
      break;
    touched.clear();
    if (auto problem = cores[first].runUntil(second))
      return *problem;
    soonest[first] = cores[first].nextTime();
    for (const std::size_t i : touched)
      soonest[i] = cores[i].nextTime();
  }
  LaunchTiming result;
  for (const Simulator &core : cores) {
    if (!core.hasEnded())
      return deadlock();
    result.makespan = std::max(result.makespan, core.lastTime());
  }
  for (Simulator &core : cores)
    result.cores.push_back(core.finish(result.makespan));
  return result;
}

void World::arrive(const PeerGroup &group, const isa::Body &body,
                   Arrival arrival) {
  const auto meeting =
      meetings.next(group.key, group.self, group.members.size());
  Meetings<Arrival>::arrive(*meeting, group.self, arrival);
  if (!meeting->isComplete())
    return;
  const Arrival *last = nullptr;
  for (const std::optional<Arrival> &member : meeting->members)
    if (!last || member->time > last->time)
      last = &*member;
  const Simulator::Start start{
      last->time,
      {last->engine, last->index, static_cast<std::uint16_t>(last->number)}};
  for (const std::optional<Arrival> &member : meeting->members) {
    touched.push_back(member->number);
    if (!member->plan) {
      member->core->passBarrier(member->engine, start);
      continue;
    }
    const MeetingCost cost =
        costOfMeeting(body, *member->plan, group.members,
                      static_cast<unsigned>(launch.modules.size()), target);
    member->core->release(member->held, member->tag, start, cost);
  }
}

isa::Diagnostic World::deadlock() const {
  for (const Simulator &core : cores)
    if (core.isStuck())
      return core.deadlock();
  return cores.front().deadlock();
}

} // namespace kiln::sim::timing

namespace kiln::sim {

isa::Expected<LaunchTiming> simulateLaunch(const Launch &launch,
                                           const isa::Target &target,
                                           const LaunchTimingOptions &options) {
  if (launch.modules.empty() || launch.ranks == 0)
    return isa::Diagnostic{
        "KILN-X017",
        "a launch has a module for each core and at least one "
        "rank",
        {},
        0,
        0,
        {}};
  return timing::World(launch, target, options).run();
}

isa::Expected<Timing> simulateTiming(const isa::Module &module,
                                     const isa::Target &target,
                                     const TimingOptions &options) {
  LaunchTimingOptions all;
  all.trace = options.trace;
  all.maxSteps = options.maxSteps;
  all.patience = options.patience;
  all.registerLoads.push_back(options.registerLoads);
  auto timing = simulateLaunch({{&module, 1}, 1, {}, {}}, target, all);
  if (!timing)
    return timing.error();
  return std::move(timing->cores.front());
}

} // namespace kiln::sim
