//===- Covered.h - Every picosecond of a trace is told -------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TIMING_COVERED_H
#define KILN_TEST_TIMING_COVERED_H

#include "kiln/sim/trace.h"

#include "catch.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kiln::sim::test {

/// The waits of an engine do not overlap and add up to its stalls by reason;
/// with the events on its track they cover the whole time, without a hole.
inline void requireCovered(const Timing &timing) {
  for (std::size_t e = 0; e < isa::numEngines; ++e) {
    CAPTURE(isa::engineNames[e]);
    std::array<Picoseconds, numStallReasons> sums{};
    std::vector<std::pair<Picoseconds, Picoseconds>> spans;
    Picoseconds last = 0;
    for (const TraceWait &wait : timing.waits) {
      if (wait.engine != e)
        continue;
      REQUIRE(wait.start >= last);
      REQUIRE(wait.end > wait.start);
      last = wait.end;
      sums[static_cast<std::size_t>(wait.reason)] += wait.end - wait.start;
      spans.emplace_back(wait.start, wait.end);
    }
    REQUIRE(sums == timing.engines[e].stalls);
    for (const TraceEvent &event : timing.events)
      if (event.track == e)
        spans.emplace_back(event.start, event.end);
    std::sort(spans.begin(), spans.end());
    Picoseconds covered = 0;
    for (const auto &[start, end] : spans) {
      REQUIRE(start <= covered);
      covered = std::max(covered, end);
    }
    REQUIRE(covered == timing.makespan);
  }
}

} // namespace kiln::sim::test

#endif // KILN_TEST_TIMING_COVERED_H
