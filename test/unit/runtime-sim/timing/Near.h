//===- Near.h - Agreement with a published figure -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_TIMING_NEAR_H
#define KILN_TEST_TIMING_NEAR_H

#include "ModuleBuilder.h"

#include <cstdio>
#include <cstdlib>

namespace kiln::sim::test {

/// Within `percent` of what was published. With KILN_PRINT_ACCEPTANCE set the
/// figures go to stderr: the table of docs/timing.md is made from them.
inline void requireNear(double measured, double published,
                        double percent = 10) {
  if (std::getenv("KILN_PRINT_ACCEPTANCE"))
    std::fprintf(stderr, "%-72s published %10.4g  model %10.4g  %+.1f %%\n",
                 Catch::getResultCapture().getCurrentTestName().c_str(),
                 published, measured, 100 * (measured / published - 1));
  INFO("model " << measured << ", published " << published);
  REQUIRE(measured >= published * (1 - percent / 100));
  REQUIRE(measured <= published * (1 + percent / 100));
}

/// The events of one track, in order.
inline std::vector<TraceEvent> eventsOf(const Timing &timing, unsigned track) {
  std::vector<TraceEvent> found;
  for (const TraceEvent &event : timing.events)
    if (event.track == track)
      found.push_back(event);
  return found;
}

} // namespace kiln::sim::test

#endif // KILN_TEST_TIMING_NEAR_H
