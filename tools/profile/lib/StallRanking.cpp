//===- StallRanking.cpp - Waits by what they cost the kernel --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StallRanking.h"

#include "CoreJson.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::profile {

using sim::Picoseconds;

namespace {

/// The key of a wait: instruction, reason and producer.
using Key =
    std::tuple<std::uint8_t, std::uint32_t, sim::StallReason, sim::WaitKind,
               std::uint32_t, std::uint8_t, std::uint32_t>;

template <class Wait> Key keyOf(const Wait &wait) {
  return {wait.engine,
          wait.index,
          wait.reason,
          wait.kind,
          static_cast<std::uint32_t>(wait.producer.core),
          static_cast<std::uint8_t>(wait.producer.engine),
          static_cast<std::uint32_t>(wait.producer.index)};
}

/// The path is on `engine` from `when` on, and was elsewhere before.
struct Arrival {
  unsigned engine;
  Picoseconds when;
};

std::vector<Arrival> arrivalsOf(const sim::Timing &timing,
                                const Causes &causes) {
  std::vector<Arrival> arrivals;
  std::uint32_t before = sim::Producer::noRun;
  for (const PathStep &step : causes.path) {
    if (step.run == sim::Producer::noRun)
      continue;
    const unsigned engine = timing.runs[step.run].engine;
    if (before != sim::Producer::noRun && before != step.run)
      arrivals.push_back({engine, step.start});
    before = step.run;
  }
  return arrivals;
}

} // namespace

void rankStalls(sim::ProfileReport &report, const sim::Timing &timing,
                const Causes &causes) {
  std::map<Key, Picoseconds> critical;
  std::array<std::vector<const sim::TraceWait *>, isa::numEngines> waits;
  for (const sim::TraceWait &wait : timing.waits)
    waits.at(wait.engine).push_back(&wait);
  std::array<std::size_t, isa::numEngines> next{};
  Picoseconds since = 0;
  for (const Arrival &arrival : arrivalsOf(timing, causes)) {
    const auto &own = waits.at(arrival.engine);
    std::size_t &at = next.at(arrival.engine);
    while (at < own.size() && own[at]->end <= since)
      ++at;
    for (std::size_t i = at; i < own.size() && own[i]->start < arrival.when;
         ++i)
      critical[keyOf(*own[i])] +=
          std::min(own[i]->end, arrival.when) - std::max(own[i]->start, since);
    since = arrival.when;
  }
  // As makeProfile adds them.
  std::size_t stall = 0;
  for (const sim::StallSite &site : timing.stallSites) {
    if (site.reason == sim::StallReason::end)
      continue;
    const auto found = critical.find(keyOf(site));
    report.topStalls.at(stall++).criticalNs =
        found == critical.end() ? 0 : inNanoseconds(found->second);
  }
  std::stable_sort(
      report.topStalls.begin(), report.topStalls.end(),
      [](const auto &a, const auto &b) { return a.criticalNs > b.criticalNs; });
}

} // namespace kiln::profile
