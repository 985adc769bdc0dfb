//===- CollectiveCost.h - What meeting other cores takes ------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_COLLECTIVECOST_H
#define KILN_SIM_LIB_TIMING_COLLECTIVECOST_H

#include "LinkLoads.h"
#include "kiln/machine/dma_plan.h"
#include "kiln/sim/trace.h"

#include "../peers/PeerGroup.h"

#include "kiln/isa/target.h"

#include <span>
#include <vector>

namespace kiln::sim::timing {

/// From the moment at which the last member has come: the launch, bytes on the
/// busiest links, hops, and then what the own DMA engines move. It is that of
/// the way that ends first where nothing else is under way.
struct MeetingCost {
  std::string_view algorithm = "direct", second; ///< Of two steps.
  Picoseconds launch = 0;
  Picoseconds hops = 0;
  std::vector<LinkLoad> links; ///< Of all members.
  std::uint64_t chipBytes = 0; ///< That pass from chip to chip.
  std::uint64_t nodeBytes = 0; ///< That leave a node.
  /// What the own DMA engines then move: of all members alike, or of each.
  std::vector<machine::DmaPlan> touch;

  const machine::DmaPlan &touchOf(std::size_t member) const {
    return touch[touch.size() == 1 ? 0 : member];
  }
};

/// By member, in the order of the list, how many elements it sends to each: a
/// row of its table. Empty where nobody has read the tables; then every piece
/// fills its slot.
using SentElements = std::vector<std::span<const std::uint32_t>>;

/// `body` runs on `group` of ranks of `coresOfRank` cores; `own` is the plan of
/// the instruction of one member by itself: its queue, and for sendrecv its
/// bytes. Of a collective the members' costs differ in the queue alone, but for
/// those with tables.
MeetingCost costOfMeeting(const isa::Body &body, const machine::DmaPlan &own,
                          const PeerGroup &group, unsigned coresOfRank,
                          const isa::Target &target,
                          const SentElements &sent = {});

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_COLLECTIVECOST_H
