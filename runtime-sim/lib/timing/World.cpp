//===- World.cpp - The cores of a launch on one clock ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "kiln/machine/topology.h"

#include <algorithm>
#include <tuple>

namespace kiln::sim::timing {

namespace {

const RegisterLoads noLoads;

} // namespace

World::World(const Launch &launch, const isa::Target &target,
             const LaunchTimingOptions &options)
    : launch(launch), target(target), meetingBounds(target, launch.numCores()) {
  for (unsigned core = 0; core < launch.modules.size(); ++core) {
    std::vector<CostChange> own;
    for (const CostChange &change : options.changes)
      if (change.core == core)
        own.push_back(change);
    plans.emplace_back(launch.modules[core], target, own);
  }
  const auto coresOfRank = static_cast<unsigned>(launch.modules.size());
  const std::size_t coresOfStack = machine::coresOfStack(target);
  for (std::size_t i = 0; i < launch.numCores(); ++i) {
    if (i % coresOfStack == 0)
      stacks.emplace_back(target, static_cast<unsigned>(std::min(
                                      coresOfStack, launch.numCores() - i)));
    const auto number = static_cast<unsigned>(i);
    CoreSettings settings(plans[number % coresOfRank], target);
    settings.id = {number / coresOfRank, number % coresOfRank, launch.ranks > 1,
                   coresOfRank > 1};
    settings.number = i;
    settings.trace = options.trace;
    settings.maxSteps = options.maxSteps;
    settings.patience = options.patience;
    settings.registerLoads =
        i < options.registerLoads.size() ? &options.registerLoads[i] : &noLoads;
    settings.sentCounts =
        i < options.sentCounts.size() ? &options.sentCounts[i] : nullptr;
    cores.emplace_back(settings, *this, stacks.back());
  }
}

isa::Expected<LaunchTiming> World::run() {
  for (Core &core : cores) {
    if (auto problem = core.start())
      return *problem;
    soonest.push_back(core.nextTime());
  }
  const auto refresh = [this](std::size_t core) {
    soonest[core] = cores[core].nextTime();
  };
  const std::size_t coresOfStack = machine::coresOfStack(target);
  while (true) {
    std::size_t first = 0;
    Picoseconds second = links.next();
    for (std::size_t i = 1; i < soonest.size(); ++i) {
      if (soonest[i] < soonest[first]) {
        second = std::min(second, soonest[first]);
        first = i;
      } else {
        second = std::min(second, soonest[i]);
      }
    }
    touched.clear();
    if (links.next() <= soonest[first]) {
      if (links.next() == never)
        break;
      stepLinks();
    } else {
      if (auto problem = cores[first].runUntil(second))
        return *problem;
      // Those on its stack may go on at another speed.
      const std::size_t begin = first - first % coresOfStack;
      const std::size_t end = std::min(begin + coresOfStack, cores.size());
      for (std::size_t i = begin; i < end; ++i)
        refresh(i);
    }
    for (const std::size_t i : touched)
      refresh(i);
  }
  LaunchTiming result;
  for (const Core &core : cores) {
    if (!core.hasEnded())
      return deadlock();
    result.makespan = std::max(result.makespan, core.lastTime());
  }
  for (Core &core : cores)
    result.cores.push_back(core.finish(result.makespan));
  addSharedBounds(result);
  return result;
}

/// Adds what cores need together, and chooses the longest bound of each core;
/// of equal ones the first.
void World::addSharedBounds(LaunchTiming &launch) const {
  const std::size_t coresOfStack = machine::coresOfStack(target);
  for (std::size_t i = 0; i < launch.cores.size(); ++i) {
    Timing &core = launch.cores[i];
    // What all cores of a stack move takes the stack at least so long.
    const std::size_t begin = i - i % coresOfStack;
    const std::size_t end = std::min(begin + coresOfStack, launch.cores.size());
    Picoseconds stackBusy = 0;
    for (std::size_t other = begin; other < end; ++other)
      stackBusy += launch.cores[other].hbmBusy;
    core.bounds.push_back({"hbm", stackBusy});
    core.meetingBound = meetingBounds.of(i, carried.size());
    core.bounds.push_back({"links", core.meetingBound.links});
    core.bounds.push_back({"collective", core.meetingBound.longest});
    core.boundBy = "none";
    for (const ResourceBound &bound : core.bounds) {
      if (bound.time <= core.lowerBound)
        continue;
      core.lowerBound = bound.time;
      core.boundBy = bound.name;
    }
  }
}

void World::arrive(const PeerGroup &group, const isa::Body &body,
                   Arrival arrival) {
  const auto meeting = rendezvous.arrive(group, arrival);
  if (!meeting->isComplete())
    return;
  const Arrival *last = nullptr;
  for (const std::optional<Arrival> &member : meeting->members)
    if (!last || member->time > last->time)
      last = &*member;
  const MeetingStart start{
      last->time,
      {last->engine, last->index, static_cast<std::uint16_t>(last->number)}};
  const machine::MeetingRanks ranks = ranksOf(group);
  const bool isPair = std::holds_alternative<isa::Sendrecv>(body);
  Carried collective;
  collective.start = start;
  for (const std::optional<Arrival> &member : meeting->members) {
    touched.push_back(member->number);
    if (!member->plan) {
      member->core->passBarrier(member->engine, start);
    } else if (isPair) {
      const MeetingCost cost =
          machine::costOfMeeting(body, *member->plan, ranks, target);
      const Picoseconds launched = start.time + cost.launch;
      meetingBounds.addMember(member->number, cost, cost.touch.front());
      member->core->release(member->held, start, start.time, launched,
                            cost.touch.front());
      if (member->core->isTraced())
        trace(*member,
              {{}, start, std::make_shared<MeetingCost>(cost), launched},
              cost.touch.front(), launched, launched);
    } else {
      collective.members.push_back(*member);
    }
  }
  if (collective.members.empty())
    return;
  collective.cost = costOf(body, group, collective.members);
  const Picoseconds launched = collective.launched =
      start.time + collective.cost->launch;
  if (collective.cost->links.empty())
    release(collective, start.time, launched + collective.cost->hops);
  else
    carry(std::move(collective), launched, group.key);
}

machine::MeetingRanks World::ranksOf(const PeerGroup &group) const {
  return {group.members, static_cast<unsigned>(launch.modules.size()),
          group.key.scope};
}

std::shared_ptr<const MeetingCost>
World::costOf(const isa::Body &body, const PeerGroup &group,
              const std::vector<Arrival> &members) {
  const auto make = [&](const machine::SentElements &sent) {
    return std::make_shared<const MeetingCost>(machine::costOfMeeting(
        body, *members.front().plan, ranksOf(group), target, sent));
  };
  machine::SentElements sent;
  for (const Arrival &member : members)
    if (member.sent)
      sent.emplace_back(*member.sent);
  if (sent.size() == members.size())
    return make(sent);
  auto &known = costs[{&body, group.key}];
  if (!known)
    known = make({});
  return known;
}

/// Lets the members' DMA engines move what is theirs.
void World::release(const Carried &collective, Picoseconds now,
                    Picoseconds ready) {
  for (std::size_t m = 0; m < collective.members.size(); ++m) {
    const Arrival &member = collective.members[m];
    machine::DmaPlan touch = collective.cost->touchOf(m);
    touch.queue = member.plan->queue;
    meetingBounds.addMember(member.number, *collective.cost, touch);
    const auto partOf = [&](std::uint64_t bytes) {
      const std::size_t members = collective.members.size();
      return bytes * (m + 1) / members - bytes * m / members;
    };
    member.core->countLinks(partOf(collective.cost->chipBytes),
                            partOf(collective.cost->nodeBytes));
    member.core->release(member.held, collective.start, now, ready, touch);
    if (member.core->isTraced())
      trace(member, collective, touch, now, ready);
  }
}

void World::trace(const Arrival &member, const Carried &collective,
                  const machine::DmaPlan &touch, Picoseconds now,
                  Picoseconds ready) const {
  const MeetingCost &cost = *collective.cost;
  TraceMeeting meeting;
  meeting.engine = member.engine;
  meeting.index = member.index;
  // Those of a pair are not kept.
  meeting.members = static_cast<std::uint32_t>(
      collective.members.empty() ? 2 : collective.members.size());
  meeting.last = collective.start.last.core;
  meeting.algorithm = cost.algorithm;
  if (!cost.second.empty())
    meeting.algorithm += ", then " + std::string(cost.second);
  meeting.came = member.time;
  meeting.complete = collective.start.time;
  meeting.launched = collective.launched;
  meeting.carried = std::max(now, collective.launched);
  meeting.ready = ready;
  meeting.bytes = touch.bytes;
  meeting.hbmRead = touch.hbmRead;
  meeting.hbmWritten = touch.hbmWritten;
  std::copy(touch.work.begin(), touch.work.end(), meeting.work.begin());
  std::vector<LinkLoad> loads = cost.links;
  const std::size_t most = std::min(loads.size(), TraceMeeting::mostLinks);
  std::partial_sort(loads.begin(), loads.begin() + std::ptrdiff_t(most),
                    loads.end(), [](const LinkLoad &a, const LinkLoad &b) {
                      return std::tie(b.alone, a.link) <
                             std::tie(a.alone, b.link);
                    });
  for (std::size_t i = 0; i < most; ++i)
    meeting.links.push_back({nameOf(loads[i].link), loads[i].alone});
  member.core->note(std::move(meeting));
}

void World::carry(Carried collective, Picoseconds begin, const PeerKey &group) {
  std::vector<std::size_t> members;
  for (const Arrival &member : collective.members)
    members.push_back(member.number);
  meetingBounds.addLinks(group, members, *collective.cost);
  if (freeCarried.empty()) {
    freeCarried.push_back(static_cast<std::uint32_t>(carried.size()));
    carried.emplace_back();
  }
  const std::uint32_t tag = freeCarried.back();
  freeCarried.pop_back();
  links.add(tag, begin, collective.cost->links);
  carried[tag] = std::move(collective);
}

void World::stepLinks() {
  const Picoseconds now = links.next();
  arrived.clear();
  links.step(arrived);
  for (const std::uint32_t tag : arrived) {
    const Carried collective = std::move(carried[tag]);
    carried[tag] = {};
    freeCarried.push_back(tag);
    release(collective, now, now + collective.cost->hops);
    for (const Arrival &member : collective.members)
      touched.push_back(member.number);
  }
}

isa::Diagnostic World::deadlock() const {
  for (const Core &core : cores)
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
    return isa::makeError("KILN-X017",
                          "a launch has a module for each core and "
                          "[|at least one|] rank");
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
