//===- ModuleBuilder.h - Small modules for timing tests ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TIMING_MODULEBUILDER_H
#define KILN_TEST_TIMING_MODULEBUILDER_H

#include "Covered.h"
#include "StreamBuilder.h"
#include "kiln/sim/timing.h"

#include "catch.h"

#include <numeric>

namespace kiln::sim::test {

/// A module that can be timed and whose books are checked each time.
class ModuleBuilder : public StreamBuilder {
public:
  using StreamBuilder::StreamBuilder;

  Timing time(TimingOptions options = {}) const {
    return time(isa::target(module.generation), options);
  }
  Timing time(const isa::Target &target, TimingOptions options = {}) const {
    auto timing = simulateTiming(module, target, options);
    if (!timing)
      FAIL(timing.error().text);
    requireBooksBalance(*timing);
    if (options.trace)
      requireCovered(*timing);
    return *timing;
  }

  /// Holds for every run: nothing is counted twice and nothing is lost.
  static void requireBooksBalance(const Timing &timing) {
    for (const EngineTime &engine : timing.engines) {
      const Picoseconds stalled = std::accumulate(
          engine.stalls.begin(), engine.stalls.end(), Picoseconds{0});
      REQUIRE(engine.busy + stalled == timing.makespan);
      REQUIRE(engine.stall <= stalled);
    }
    std::array<std::array<Picoseconds, numStallReasons>, isa::numEngines>
        bySite{};
    for (const StallSite &site : timing.stallSites)
      bySite.at(site.engine).at(static_cast<std::size_t>(site.reason)) +=
          site.time;
    for (std::size_t i = 0; i < isa::numEngines; ++i)
      REQUIRE(bySite[i] == timing.engines[i].stalls);
    REQUIRE(timing.lowerBound <= timing.makespan);
    REQUIRE(timing.dma.busy <= timing.makespan);
  }
};

inline double ns(Picoseconds time) { return static_cast<double>(time) / 1000; }

} // namespace kiln::sim::test

#endif // KILN_TEST_TIMING_MODULEBUILDER_H
