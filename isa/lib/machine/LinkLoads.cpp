//===- LinkLoads.cpp - Which links a collective's bytes pass --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkLoads.h"

#include <set>

namespace kiln::machine {

std::string nameOf(const Link &link) {
  const std::string from = std::to_string(link.from);
  const std::string to = std::to_string(link.to);
  switch (link.kind) {
  case Link::Kind::core:
    return "core " + from;
  case Link::Kind::chip:
    return "chip " + from + " to chip " + to;
  case Link::Kind::leaving:
    return "out of chip " + from;
  case Link::Kind::entering:
    return "into chip " + to;
  case Link::Kind::rankOut:
    return "out of rank " + from;
  case Link::Kind::rankIn:
    return "into rank " + to;
  }
  return {};
}

LinkLoads::LinkLoads(const MeetingRanks &ranks, const isa::Target &target)
    : ranks(ranks), target(target), topology(target, ranks.coresOfRank) {}

Extent LinkLoads::extent() const {
  std::set<unsigned> chips, nodes;
  for (const unsigned rank : ranks.members) {
    chips.insert(topology.chipOf(rank));
    nodes.insert(topology.nodeOf(rank));
  }
  return {chips.size() <= 1, nodes.size() <= 1,
          chips.size() * topology.ranksOfChip() == ranks.members.size()};
}

Link LinkLoads::coreOf(unsigned rank) const {
  return {Link::Kind::core, topology.coreOf(rank) + ranks.core, 0, 0};
}

void LinkLoads::addPair(unsigned from, unsigned to, double count,
                        unsigned channel) {
  if (from == to || count <= 0)
    return;
  const unsigned a = topology.chipOf(from), b = topology.chipOf(to);
  switch (wayBetween(topology, from, to)) {
  case Way::core:
    bytes[coreOf(from)] += count;
    break;
  case Way::chip:
    bytes[{Link::Kind::chip, a, b, channel}] += count;
    bytes[{Link::Kind::leaving, a, 0, 0}] += count;
    bytes[{Link::Kind::entering, 0, b, 0}] += count;
    break;
  case Way::node:
    bytes[{Link::Kind::rankOut, from, 0, 0}] += count;
    bytes[{Link::Kind::rankIn, 0, to, 0}] += count;
    break;
  }
}

void LinkLoads::addRound(double count) {
  const Extent far = extent();
  const std::vector<unsigned> &members = ranks.members;
  std::set<Link> passed;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const unsigned a = topology.chipOf(members[i]);
    const unsigned b = topology.chipOf(members[(i + 1) % members.size()]);
    if (far.oneChip)
      passed.insert(coreOf(members[i]));
    else if (!far.oneNode)
      passed.insert({Link::Kind::rankOut, members[i], 0, 0});
    else if (a != b)
      passed.insert({Link::Kind::chip, a, b, 0});
  }
  for (const Link &link : passed)
    bytes[link] += count;
}

double LinkLoads::rateOf(Link::Kind kind) const {
  switch (kind) {
  case Link::Kind::core:
    return machine::rateOf(Way::core, topology, target);
  case Link::Kind::chip:
    return machine::rateOf(Way::chip, topology, target);
  case Link::Kind::leaving:
  case Link::Kind::entering:
    return chipRate(target);
  case Link::Kind::rankOut:
  case Link::Kind::rankIn:
    break;
  }
  return machine::rateOf(Way::node, topology, target);
}

std::uint64_t LinkLoads::bytesOn(Link::Kind kind) const {
  double sum = 0;
  for (const auto &[link, count] : bytes)
    sum += link.kind == kind ? count : 0;
  return static_cast<std::uint64_t>(sum);
}

std::vector<LinkLoad> LinkLoads::make() const {
  std::vector<LinkLoad> loads;
  for (const auto &[link, count] : bytes)
    if (const Picoseconds alone = nanoseconds(count / rateOf(link.kind));
        alone > 0)
      loads.push_back({link, alone});
  return loads;
}

} // namespace kiln::machine
