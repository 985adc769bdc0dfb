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

void Links::add(std::uint32_t tag, Picoseconds begin,
                const std::vector<LinkLoad> &loads) {
  Picoseconds length = 0;
  for (const LinkLoad &load : loads)
    length = std::max(length, load.alone);
  Flow flow;
  flow.tag = tag;
  flow.begin = begin;
  flow.remaining = length * fullRate;
  for (const LinkLoad &load : loads) {
    const std::size_t number =
        numbers.try_emplace(load.link, numbers.size()).first->second;
    flow.shares.push_back({number, static_cast<double>(load.alone) /
                                       static_cast<double>(length)});
  }
  states.resize(numbers.size());
  flows.push_back(std::move(flow));
  soonest = std::min(soonest, begin);
}

/// Assigns every active flow its rate: max-min fair.
void Links::share() {
  for (Flow &flow : flows)
    for (const Share &share : flow.shares)
      states[share.link] = {};
  std::size_t open = 0;
  for (Flow &flow : flows) {
    flow.settled = !flow.active;
    open += flow.active;
    for (const Share &share : flow.shares)
      states[share.link].wanted += flow.active ? share.part : 0;
  }
  while (open > 0) {
    // A flow that is alone everywhere has a part of 1 somewhere.
    double pace = 1;
    for (const Flow &flow : flows)
      for (const Share &share : flow.shares)
        if (const State &state = states[share.link];
            !flow.settled && state.wanted > pacePrecision)
          pace = std::min(pace, state.left / state.wanted);
    const auto isBound = [&](const Share &share) {
      const State &state = states[share.link];
      return state.left <= (pace + pacePrecision) * state.wanted;
    };
    std::vector<Flow *> bound;
    for (Flow &flow : flows)
      if (!flow.settled &&
          std::any_of(flow.shares.begin(), flow.shares.end(), isBound))
        bound.push_back(&flow);
    for (Flow *flow : bound) {
      flow->settled = true;
      flow->rate = std::max<std::int64_t>(
          1, static_cast<std::int64_t>((pace + pacePrecision) * fullRate));
      for (const Share &share : flow->shares) {
        states[share.link].left -= pace * share.part;
        states[share.link].wanted -= share.part;
      }
    }
    open -= bound.size();
  }
}

/// Divides the links again and finds the next event.
void Links::plan(Picoseconds now) {
  share();
  soonest = never;
  for (const Flow &flow : flows) {
    if (!flow.active) {
      soonest = std::min(soonest, std::max(now, flow.begin));
      continue;
    }
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
    if (flow.active && flow.remaining <= 0)
      ended.push_back(flow.tag);
  }
  std::erase_if(flows, [](const Flow &flow) {
    return flow.active && flow.remaining <= 0;
  });
  for (Flow &flow : flows)
    flow.active |= flow.begin <= now;
  updated = now;
  plan(now);
}

} // namespace kiln::sim::timing
