//===- meeting_cost.h - What meeting other cores takes --------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_MEETINGCOST_H
#define KILN_MACHINE_MEETINGCOST_H

#include "kiln/machine/dma_plan.h"
#include "kiln/machine/links.h"

#include <span>
#include <string_view>
#include <vector>

namespace kiln::machine {

/// Who meets.
struct MeetingRanks {
  std::vector<unsigned> members; ///< In the order of the list.
  unsigned coresOfRank = 1;
  unsigned core = 0; ///< Of each rank: the one that takes part.
};

/// From the moment at which the last member has come: the launch, bytes on the
/// busiest links, hops, and then what the own DMA engines move. It is that of
/// the way that ends first where nothing else is under way.
struct MeetingCost {
  std::string_view algorithm = "direct", second; ///< Of two steps.
  Picoseconds launch = 0;
  Picoseconds hops = 0;
  /// Of isa::Target, that say how long.
  std::string_view launchParameter, hopParameter;
  std::vector<LinkLoad> links; ///< Of all members.
  std::uint64_t chipBytes = 0; ///< That pass from chip to chip.
  std::uint64_t nodeBytes = 0; ///< That leave a node.
  /// What the own DMA engines then move: of all members alike, or of each.
  std::vector<DmaPlan> touch;

  const DmaPlan &touchOf(std::size_t member) const {
    return touch[touch.size() == 1 ? 0 : member];
  }
  /// On the slowest link, if no other meeting uses it but that of each core of
  /// a rank, which does the same. They have the links between chips in common.
  Picoseconds carried(unsigned coresOfRank = 1) const;
  /// The member that moves most.
  const DmaPlan &longestTouch() const;
};

/// By member, in the order of the list, how many elements it sends to each: a
/// row of its table. Empty where nobody has read the tables; then every piece
/// fills its slot.
using SentElements = std::vector<std::span<const std::uint32_t>>;

/// What one member does by itself: its queue, and for sendrecv its bytes.
DmaPlan planOfMember(const isa::Body &body, isa::Engine engine,
                     const isa::Target &target);

/// `own` is the plan of one member. Of a collective the members' costs differ
/// in the queue alone, but for those with tables.
MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          const MeetingRanks &ranks, const isa::Target &target,
                          const SentElements &sent = {});

/// Most cores that move for a meeting of `ranks` on one HBM stack, if the cores
/// of a rank do the same.
unsigned coresOnStack(const MeetingRanks &ranks, const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_MEETINGCOST_H
