//===- MeetingBounds.h - What meetings take at least ---------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_MEETINGBOUNDS_H
#define KILN_SIM_LIB_TIMING_MEETINGBOUNDS_H

#include "../peers/PeerGroup.h"
#include "Links.h"

#include "kiln/machine/meeting_cost.h"

#include <map>
#include <set>
#include <vector>

namespace kiln::sim::timing {

using machine::MeetingCost;

/// Adds up what transfers ask for in which cores meet. Whatever the order, a
/// launch takes no less than
///   the longest one alone: its launch, bytes, hops, and what a core then
///   moves; the bytes of all on one link, between the soonest launch and the
///   shortest end.
class MeetingBounds {
public:
  MeetingBounds(const isa::Target &target, std::size_t cores);

  /// `core` moves `touch` after what `cost` says of all members.
  void addMember(std::size_t core, const MeetingCost &cost,
                 const machine::DmaPlan &touch);
  /// Once for all `members`, which are the same for all of the group.
  void addLinks(const PeerKey &group, const std::vector<std::size_t> &members,
                const MeetingCost &cost);

  /// What `core` needs. No more than `inFlight` of them had bytes on links at
  /// the same time.
  MeetingBound of(std::size_t core, std::size_t inFlight) const;

private:
  /// All that pass one link.
  struct Use {
    Picoseconds bytes = 0; ///< If each is alone.
    Picoseconds launch = never;
    Picoseconds end = never;
  };
  struct Group {
    std::vector<std::size_t> members;
    std::set<Link> links;
  };

  const Picoseconds done; ///< From the last byte to the token.
  std::map<Link, Use> uses;
  std::map<PeerKey, Group> groups;
  std::vector<MeetingBound> cores;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_MEETINGBOUNDS_H
