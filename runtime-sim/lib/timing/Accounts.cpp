//===- Accounts.cpp - What a core did with its time -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accounts.h"

#include "StallSites.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::sim::timing {

Accounts::Accounts(const CoreSettings &settings)
    : plan(settings.plan), target(settings.target),
      trace{settings.trace, {}, {}, {}, {}, {}, {}},
      engines(onePerEngine([&](isa::Engine engine) {
        return EngineAccount(
            engine, plan.module.streams[numberOf(engine)].size(), trace);
      })) {
  result.instructionsByOpcode.resize(256);
  for (std::size_t e = 0; e < engines.size(); ++e)
    result.executions[e].resize(plan.module.streams[e].size());
}

/// Waits are explained as their sites are.
void Accounts::collectSites() {
  using Key = std::tuple<std::uint8_t, std::uint32_t, StallReason, std::uint8_t,
                         std::uint16_t, std::uint32_t>;
  const auto keyOf = [](const auto &wait, std::uint8_t engine) {
    return Key(engine, wait.index, wait.reason, wait.producer.engine,
               wait.producer.core, wait.producer.index);
  };
  std::map<Key, StallSite> explained;
  for (std::uint8_t engine = 0; engine < engines.size(); ++engine)
    engines[engine].forEachSite([&](StallSite site) {
      const Key key = keyOf(site, engine);
      site.engine = engine;
      explain(site, plan.planned);
      result.stallSites.push_back(site);
      if (trace.isWanted)
        explained[key] = site;
    });
  for (TraceWait &wait : trace.waits) {
    const StallSite &site = explained.at(keyOf(wait, wait.engine));
    const std::uint32_t run = wait.producer.run;
    wait.kind = site.kind;
    wait.producer = site.producer;
    wait.producer.run = run;
  }
  std::sort(
      result.stallSites.begin(), result.stallSites.end(),
      [](const StallSite &a, const StallSite &b) {
        return std::tuple(-a.time, a.engine, a.index, a.reason, a.producer.core,
                          a.producer.engine, a.producer.index) <
               std::tuple(-b.time, b.engine, b.index, b.reason, b.producer.core,
                          b.producer.engine, b.producer.index);
      });
}

Timing Accounts::finish(Picoseconds makespan, const DmaUse &dma) {
  result.makespan = makespan;
  for (std::size_t i = 0; i < engines.size(); ++i)
    result.engines[i] = engines[i].total();
  result.dmaWork = dma.work;
  result.dma.busy = *std::max_element(dma.work.begin(), dma.work.end());
  result.dma.stall = dma.exposed;
  result.hbmBusy = static_cast<Picoseconds>(
      static_cast<double>(result.hbmReadBytes + result.hbmWriteBytes) * 1000 /
      target.hbm_bytes_per_ns);
  for (std::size_t i = 0; i < engines.size(); ++i)
    result.bounds.push_back(
        {isa::name(static_cast<isa::Engine>(i)), result.engines[i].busy});
  result.bounds.push_back({"dma", result.dma.busy});
  collectSites();
  // A total order: equal times come in the same order on every host.
  std::sort(trace.events.begin(), trace.events.end(),
            [](const TraceEvent &a, const TraceEvent &b) {
              return std::tie(a.start, a.track, a.end, a.engine, a.index) <
                     std::tie(b.start, b.track, b.end, b.engine, b.index);
            });
  std::sort(trace.waits.begin(), trace.waits.end(),
            [](const TraceWait &a, const TraceWait &b) {
              return std::tie(a.start, a.engine) < std::tie(b.start, b.engine);
            });
  result.events = std::move(trace.events);
  result.waits = std::move(trace.waits);
  result.runs = std::move(trace.runs);
  result.moves = std::move(trace.moves);
  result.edges = std::move(trace.edges);
  result.meetings = std::move(trace.meetings);
  return std::move(result);
}

} // namespace kiln::sim::timing
