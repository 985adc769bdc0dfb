//===- MeetingBounds.cpp - What meetings take at least --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeetingBounds.h"

#include "kiln/machine/instruction_cost.h"

#include <algorithm>
#include <cmath>

namespace kiln::sim::timing {

namespace {

/// The work of a core's engines for it; any may be the busiest.
Picoseconds movingTime(const machine::DmaPlan &touch) {
  return *std::max_element(touch.work.begin(), touch.work.end());
}

} // namespace

MeetingBounds::MeetingBounds(const isa::Target &target, std::size_t cores)
    : done(machine::nanoseconds(target.dma_done_ns)), cores(cores) {}

void MeetingBounds::addMember(std::size_t core, const MeetingCost &cost,
                              const machine::DmaPlan &touch) {
  MeetingBound &bound = cores[core];
  ++bound.count;
  bound.longest =
      std::max(bound.longest, cost.launch + cost.carried() + cost.hops +
                                  movingTime(touch) + done);
}

void MeetingBounds::addLinks(const PeerKey &key,
                             const std::vector<std::size_t> &members,
                             const MeetingCost &cost) {
  Group &group = groups[key];
  if (group.members.empty())
    group.members = members;
  // All members move theirs; the launch ends with the last one.
  Picoseconds moving = 0;
  for (const machine::DmaPlan &touch : cost.touch)
    moving = std::max(moving, movingTime(touch));
  for (const LinkLoad &load : cost.links) {
    Use &use = uses[load.link];
    use.bytes += load.alone;
    use.launch = std::min(use.launch, cost.launch);
    use.end = std::min(use.end, cost.hops + moving + done);
    group.links.insert(load.link);
  }
}

MeetingBound MeetingBounds::of(std::size_t core, std::size_t inFlight) const {
  // Flows that share a link may be a little faster than their shares: see
  // Links. One alone is not.
  const double excess =
      inFlight > 1 ? 2 * pacePrecision * static_cast<double>(inFlight) : 0;
  MeetingBound bound = cores[core];
  for (const auto &[key, group] : groups) {
    if (std::find(group.members.begin(), group.members.end(), core) ==
        group.members.end())
      continue;
    for (const Link &link : group.links) {
      const Use &use = uses.at(link);
      if (use.bytes > bound.linkBusy) {
        bound.linkBusy = use.bytes;
        bound.link = nameOf(link);
      }
      const auto least =
          use.bytes - static_cast<Picoseconds>(
                          std::ceil(excess * static_cast<double>(use.bytes)));
      bound.links = std::max(bound.links, use.launch + least + use.end);
    }
  }
  return bound;
}

} // namespace kiln::sim::timing
