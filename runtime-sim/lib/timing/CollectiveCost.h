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

#include "../peers/PeerGroup.h"

#include "kiln/isa/target.h"

#include <span>

namespace kiln::sim::timing {

/// How the ranks of a list pass the pieces on.
enum class Algorithm : std::uint8_t {
  direct,    ///< One hop: everybody to everybody ("mesh"), or to one other.
  halving,   ///< Recursive halving and doubling: log2(N) hops.
  kangaRing, ///< A ring in both directions over whole chips: N/2 hops.
  ring,      ///< N - 1 hops.
};

/// From the moment at which the last member has come.
struct MeetingCost {
  Algorithm algorithm = Algorithm::direct;
  Picoseconds latency = 0; ///< Start, hops, and bytes on the busiest link.
  DmaPlan touch; ///< What the own DMA engines then move to and from HBM.
};

/// `body` runs on `members`, ranks of `coresOfRank` cores; `own` is the plan of
/// the instruction by itself: its queue, and for sendrecv its bytes.
MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          std::span<const unsigned> members,
                          unsigned coresOfRank, const isa::Target &target);

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_COLLECTIVECOST_H
