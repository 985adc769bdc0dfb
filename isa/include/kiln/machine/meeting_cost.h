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

/// The ranks and cores that meet.
struct MeetingRanks {
  std::vector<unsigned> members; ///< In the order of the list.
  unsigned coresOfRank = 1;
  unsigned core = 0; ///< The core that takes part, in each rank.
};

/// The time after the last member has arrived: the launch, bytes on the busiest
/// links, hops, and then the transfers of each core's own DMA engines. The
/// algorithm is the one that ends first if nothing else uses the links.
struct MeetingCost {
  std::string_view algorithm = "direct", second; ///< `second`: if two steps.
  Picoseconds launch = 0;
  Picoseconds hops = 0;
  /// The parameters of isa::Target that give `launch` and `hops`.
  std::string_view launchParameter, hopParameter;
  std::vector<LinkLoad> links; ///< The load of all members.
  std::uint64_t chipBytes = 0; ///< Bytes that pass from chip to chip.
  std::uint64_t nodeBytes = 0; ///< Bytes that leave a node.
  /// Transfers of the own DMA engines: one plan for all members, or one each.
  std::vector<DmaPlan> touch;

  const DmaPlan &touchOf(std::size_t member) const {
    return touch[touch.size() == 1 ? 0 : member];
  }
  /// The time on the slowest link. Each core of a rank has the same meeting at
  /// the same time and shares the links between chips; no other meeting does.
  Picoseconds carried(unsigned coresOfRank = 1) const;
  /// The member that moves most.
  const DmaPlan &longestTouch() const;
};

/// For each member, in the order of the list, the number of elements that it
/// sends to each: a row of its table. Empty if the tables are not known; then
/// every piece fills its slot.
using SentElements = std::vector<std::span<const std::uint32_t>>;

/// The work of one member by itself: its queue, and for sendrecv its bytes.
DmaPlan planOfMember(const isa::Body &body, isa::Engine engine,
                     const isa::Target &target);

/// `own` is the plan of one member. The costs of a collective's members differ
/// only in the queue, unless the collective has tables.
MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          const MeetingRanks &ranks, const isa::Target &target,
                          const SentElements &sent = {});

/// The largest number of cores on one HBM stack that transfer data for a
/// meeting of `ranks`, if all cores of a rank do the same.
unsigned coresOnStack(const MeetingRanks &ranks, const isa::Target &target);

} // namespace kiln::machine

#endif // KILN_MACHINE_MEETINGCOST_H
