//===- Launches.h - Launches for timing tests ----------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TIMING_LAUNCHES_H
#define KILN_TEST_TIMING_LAUNCHES_H

#include "../function/Bench.h"
#include "Covered.h"

#include "kiln/sim/launch.h"

#include "catch.h"

#include <numeric>

namespace kiln::sim::test {

using namespace bench;

inline std::vector<isa::Module> pairOf(Program first, Program second) {
  std::vector<isa::Module> modules{first.module, second.module};
  for (unsigned c = 0; c < 2; ++c) {
    modules[c].facts["core"] = std::to_string(c);
    modules[c].facts["cores"] = "2";
  }
  return modules;
}

inline sim::LaunchTiming timeOf(const sim::Launch &launch,
                                const isa::Target &target = isa::trn2,
                                bool trace = false) {
  sim::LaunchTimingOptions options;
  options.trace = trace;
  auto result = sim::simulateLaunch(launch, target, options);
  if (!result)
    FAIL(result.error().str());
  if (trace)
    for (const sim::Timing &core : result->cores)
      requireCovered(core);
  return *result;
}

/// Every picosecond of every engine of every core has one place.
inline void checkSums(const sim::LaunchTiming &launch) {
  for (const sim::Timing &core : launch.cores) {
    CHECK(core.makespan == launch.makespan);
    std::array<std::array<sim::Picoseconds, sim::numStallReasons>,
               isa::numEngines>
        sites{};
    for (const sim::StallSite &site : core.stallSites)
      sites[site.engine][static_cast<std::size_t>(site.reason)] += site.time;
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      const sim::EngineTime &engine = core.engines[e];
      CHECK(std::accumulate(engine.stalls.begin(), engine.stalls.end(),
                            engine.busy) == launch.makespan);
      CHECK(sites[e] == engine.stalls);
    }
  }
}

inline isa::RankLists listOf(unsigned ranks) {
  isa::RankLists lists(1);
  for (unsigned r = 0; r < ranks; ++r)
    lists[0].push_back(static_cast<std::int32_t>(r));
  return lists;
}

} // namespace kiln::sim::test

#endif // KILN_TEST_TIMING_LAUNCHES_H
