//===- LinkLoads.h - Which links a collective's bytes pass ----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_MACHINE_LINKLOADS_H
#define KILN_LIB_MACHINE_LINKLOADS_H

#include "kiln/machine/meeting_cost.h"
#include "kiln/machine/topology.h"

#include <map>
#include <vector>

namespace kiln::machine {

/// How far the ranks of a list lie apart.
struct Extent {
  bool oneChip = true, oneNode = true, wholeChips = true;
};

/// Adds up the bytes of one collective, link by link. Ranks lie on chips and
/// chips in nodes in the order of their numbers.
class LinkLoads {
public:
  LinkLoads(const MeetingRanks &ranks, const isa::Target &target);

  Extent extent() const;

  /// Rank `from` sends so much to rank `to`: over the engines of its core if
  /// both are on one chip; else between their chips, as a part of all that
  /// leaves the one and enters the other; or out of one node into another.
  void addPair(unsigned from, unsigned to, double bytes, unsigned channel = 0);
  /// Every member passes this much on. The algorithm chooses the receiver, and
  /// crosses from a chip to that of the next rank of the list only once.
  void addRound(double bytes);

  std::vector<LinkLoad> make() const;
  /// Between chips of a node, or out of nodes.
  std::uint64_t bytesOn(Link::Kind kind) const;

private:
  Link coreOf(unsigned rank) const;
  double rateOf(Link::Kind kind) const;

  const MeetingRanks &ranks;
  const isa::Target &target;
  Topology topology;
  std::map<Link, double> bytes;
};

} // namespace kiln::machine

#endif // KILN_LIB_MACHINE_LINKLOADS_H
