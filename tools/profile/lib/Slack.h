//===- Slack.h - How much later each event may be -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_SLACK_H
#define KILN_PROFILE_LIB_SLACK_H

#include "RunGraph.h"
#include "kiln/profile/causes.h"

#include <span>

namespace kiln::profile {

/// A point of a run that the critical path passed.
struct PassedPoint {
  std::uint32_t run = RunGraph::none;
  RunGraph::Point point = RunGraph::Point::visible;
};

/// Fills `causes.slack`, once the critical path is known.
void findSlack(const RunGraph &graph, sim::Picoseconds makespan,
               std::span<const PassedPoint> passed, Causes &causes);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_SLACK_H
