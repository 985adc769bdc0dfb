//===- CollectiveCost.h - What meeting other cores takes ------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_COLLECTIVECOST_H
#define KILN_SIM_LIB_TIMING_COLLECTIVECOST_H

#include "DmaPlan.h"
#include "Links.h"

#include "../peers/PeerGroup.h"

#include "kiln/isa/target.h"

#include <vector>

namespace kiln::sim::timing {

/// How the ranks of a list pass the pieces on.
enum class Algorithm : std::uint8_t {
  direct,    ///< One hop: everybody to everybody ("mesh"), or to one other.
  halving,   ///< Recursive halving and doubling: log2(N) hops.
  kangaRing, ///< A ring in both directions over whole chips: N/2 hops.
  ring,      ///< N - 1 hops.
};

/// From the moment at which the last member has come: the launch, bytes on the
/// busiest links, hops, and then what the own DMA engines move.
struct MeetingCost {
  Algorithm algorithm = Algorithm::direct;
  Picoseconds launch = 0;
  Picoseconds carry = 0; ///< Bytes on links that nobody else uses.
  Picoseconds hops = 0;
  std::vector<Link> links; ///< Of all members.
  DmaPlan touch;           ///< What the own DMA engines then move.
};

/// `body` runs on `group` of ranks of `coresOfRank` cores; `own` is the plan of
/// the instruction of one member by itself: its queue, and for sendrecv its
/// bytes. Of a collective the members' costs differ in the queue alone.
MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          const PeerGroup &group, unsigned coresOfRank,
                          const isa::Target &target);

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_COLLECTIVECOST_H
