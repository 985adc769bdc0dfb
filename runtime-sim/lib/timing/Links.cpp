//===- Links.cpp - Links that collectives in flight share -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Links.h"

#include <algorithm>

namespace kiln::sim::timing {

void Links::add(std::uint32_t tag, Picoseconds begin, Picoseconds length,
                std::vector<Link> links) {
  flows.push_back(
      {tag, false, begin, length * fullRate, fullRate, std::move(links)});
  soonest = std::min(soonest, begin);
}

/// Shares the links out anew and finds the next event.
void Links::plan(Picoseconds now) {
  soonest = never;
  for (Flow &flow : flows) {
    if (!flow.active) {
      soonest = std::min(soonest, std::max(now, flow.begin));
      continue;
    }
    unsigned crowd = 1;
    for (const Link &link : flow.links)
      crowd = std::max(crowd, users[link]);
    flow.rate = std::max<std::int64_t>(1, fullRate / crowd);
    soonest =
        std::min(soonest, now + (std::max<std::int64_t>(0, flow.remaining) +
                                 flow.rate - 1) /
                                    flow.rate);
  }
}

void Links::step(std::vector<std::uint32_t> &ended) {
  const Picoseconds now = soonest;
  for (Flow &flow : flows) {
    if (flow.active)
      flow.remaining -= (now - updated) * flow.rate;
    if (flow.active && flow.remaining <= 0) {
      ended.push_back(flow.tag);
      for (const Link &link : flow.links)
        if (--users[link] == 0)
          users.erase(link);
    }
  }
  std::erase_if(flows, [](const Flow &flow) {
    return flow.active && flow.remaining <= 0;
  });
  for (Flow &flow : flows)
    if (!flow.active && flow.begin <= now) {
      flow.active = true;
      for (const Link &link : flow.links)
        ++users[link];
    }
  updated = now;
  plan(now);
}

} // namespace kiln::sim::timing
