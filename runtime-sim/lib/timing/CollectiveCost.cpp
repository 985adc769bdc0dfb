//===- CollectiveCost.cpp - What meeting other cores takes ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveCost.h"

#include "InstructionCost.h"

#include "../peers/Fields.h"

#include <algorithm>
#include <bit>
#include <set>
#include <span>

namespace kiln::sim::timing {

namespace {

/// Bytes of what a rank sends and of what it receives.
struct Sizes {
  std::uint64_t source = 0, target = 0;
  std::uint64_t largestSource = 0; ///< Of one channel.
  unsigned sources = 0;
  bool inHbm = false;
};

Sizes sizesOf(const isa::Body &body) {
  std::vector<isa::OperandAccess> accesses;
  collectAccesses(body, accesses);
  Sizes sizes;
  for (const isa::OperandAccess &entry : accesses) {
    const isa::Access &access = *entry.access;
    const std::uint64_t bytes =
        access.totalElements() * isa::sizeInBytes(access.dtype);
    if (entry.name == "metadata_tensor" || entry.name == "srcs1")
      continue;
    sizes.inHbm |= access.space == isa::Space::hbm;
    if (entry.effect == isa::Effect::read) {
      sizes.source += bytes;
      ++sizes.sources;
      sizes.largestSource = std::max(sizes.largestSource, bytes);
    } else {
      sizes.target += bytes;
    }
  }
  return sizes;
}

/// Where ranks lie.
class Places {
public:
  Places(unsigned coresOfRank, const isa::Target &target)
      : ranksOfChip(std::max(1u, static_cast<unsigned>(target.cores_per_chip) /
                                     coresOfRank)),
        chipsOfNode(
            std::max(1u, static_cast<unsigned>(target.chips_per_node))) {}
  unsigned chipOf(unsigned rank) const { return rank / ranksOfChip; }
  unsigned nodeOf(unsigned rank) const { return chipOf(rank) / chipsOfNode; }

  unsigned ranksOfChip, chipsOfNode;
};

/// How far the ranks of a list lie apart.
struct Extent {
  bool oneChip = true, oneNode = true, wholeChips = true;
};

Extent extentOf(std::span<const unsigned> members, const Places &places) {
  std::set<unsigned> chips, nodes;
  for (const unsigned rank : members) {
    chips.insert(places.chipOf(rank));
    nodes.insert(places.nodeOf(rank));
  }
  return {chips.size() <= 1, nodes.size() <= 1,
          chips.size() * places.ranksOfChip == members.size()};
}

/// The links that the members' bytes pass: on a chip each core's own engines;
/// in a node those from the chip of each rank to that of the next one in the
/// list, or of its target; between nodes each rank's share of the way out.
std::vector<Link> linksOf(const isa::Body &body, const PeerGroup &group,
                          const Extent &extent, const Places &places,
                          unsigned coresOfRank, unsigned channels) {
  std::set<Link> links;
  const std::vector<unsigned> &members = group.members;
  if (extent.oneChip || !extent.oneNode) {
    for (std::size_t i = 0; i < members.size(); ++i)
      links.insert(extent.oneChip ? Link{Link::Kind::core,
                                         static_cast<unsigned>(
                                             group.numberOf(i, coresOfRank)),
                                         0, 0}
                                  : Link{Link::Kind::rank, members[i], 0, 0});
    return {links.begin(), links.end()};
  }
  const auto connect = [&](unsigned from, unsigned to) {
    const unsigned a = places.chipOf(from), b = places.chipOf(to);
    for (unsigned channel = 0; a != b && channel < channels; ++channel)
      links.insert({Link::Kind::chip, a, b, channel});
  };
  const auto *lists = fieldOf<isa::RankLists>(body, "source_target_pairs");
  if (lists)
    for (const auto &pair : *lists)
      connect(static_cast<unsigned>(pair.front()),
              static_cast<unsigned>(pair.back()));
  else
    for (std::size_t i = 0; i < members.size(); ++i)
      connect(members[i], members[(i + 1) % members.size()]);
  return {links.begin(), links.end()};
}

enum class Family : std::uint8_t { gather, reduceScatter, allReduce, direct };

Family familyOf(const isa::Body &body) {
  if (std::holds_alternative<isa::AllGather>(body) ||
      std::holds_alternative<isa::AllGatherV>(body))
    return Family::gather;
  if (std::holds_alternative<isa::ReduceScatter>(body))
    return Family::reduceScatter;
  if (std::holds_alternative<isa::AllReduce>(body))
    return Family::allReduce;
  return Family::direct;
}

Algorithm chooseAlgorithm(Family family, std::uint64_t bytes,
                          const Extent &extent, const isa::Target &target) {
  if (family == Family::direct ||
      bytes < static_cast<std::uint64_t>(target.collective_mesh_max_bytes))
    return Algorithm::direct;
  if (bytes <= static_cast<std::uint64_t>(target.collective_halving_max_bytes))
    return Algorithm::halving;
  return extent.wholeChips ? Algorithm::kangaRing : Algorithm::ring;
}

/// What one member sends over its link and moves in HBM, in bytes.
struct Traffic {
  double hops = 0;
  double link = 0;
  double read = 0, written = 0;
};

Traffic trafficOf(Family family, Algorithm algorithm, const Sizes &sizes,
                  bool isPermute, double n, const isa::Target &target) {
  const auto source = static_cast<double>(sizes.source);
  const auto received = static_cast<double>(sizes.target);
  // A piece is what one rank contributes, or what it keeps.
  const double piece = family == Family::gather          ? source
                       : family == Family::reduceScatter ? received
                                                         : source / n;
  Traffic traffic;
  if (family == Family::direct) {
    traffic.hops = 1;
    traffic.link =
        isPermute ? static_cast<double>(sizes.largestSource) : (n - 1) * piece;
    traffic.read = source;
    traffic.written = received;
    return traffic;
  }
  const bool isDirect = algorithm == Algorithm::direct;
  const double steps = isDirect ? 1
                       : algorithm == Algorithm::halving
                           ? std::bit_width(static_cast<unsigned>(n) - 1)
                       : algorithm == Algorithm::kangaRing ? n / 2
                                                           : n - 1;
  const double gatherTouch =
      algorithm == Algorithm::kangaRing ? target.kangaring_gather_touch : 1;
  const double reduceTouch =
      algorithm == Algorithm::kangaRing ? target.kangaring_reduce_touch : 1;
  if (family == Family::allReduce && isDirect) {
    // Everybody sends all of it to everybody, and reduces what it got.
    return {1, (n - 1) * source, (2 * n - 1) * source, n * source};
  }
  if (family != Family::gather) {
    // A step reads the own piece and the one that came, and writes their sum.
    traffic.read += 2 * (n - 1) * piece * reduceTouch;
    traffic.written += std::max(n - 1, 1.0) * piece * reduceTouch;
    traffic.hops += steps;
    traffic.link += (n - 1) * piece;
  }
  if (family != Family::reduceScatter) {
    traffic.read += n * piece * gatherTouch;
    traffic.written += n * piece * gatherTouch;
    traffic.hops += isDirect ? 1 : steps;
    traffic.link += (n - 1) * piece;
  }
  return traffic;
}

/// Spreads the bytes over the engines of the core: they walk rings of
/// descriptors for collectives as for copies, whichever memory it is.
void plan(DmaPlan &touch, const Traffic &traffic, bool inHbm,
          const isa::Target &target) {
  const unsigned engines = std::clamp<unsigned>(
      static_cast<unsigned>(target.dma_engines), 1, maxDmaEngines);
  // An engine reads and writes at once; the larger side takes its time.
  const Picoseconds work =
      nanoseconds(std::max(traffic.read, traffic.written) / engines /
                  target.dma_engine_bytes_per_ns);
  touch.work.fill(0);
  for (unsigned e = 0; e < engines; ++e)
    touch.work[e] = work;
  touch.hbmRead = inHbm ? static_cast<std::uint64_t>(traffic.read) : 0;
  touch.hbmWritten = inHbm ? static_cast<std::uint64_t>(traffic.written) : 0;
  touch.hbmBytesPerWork = inHbm && work > 0
                              ? (traffic.read + traffic.written) /
                                    (static_cast<double>(work) * engines)
                              : 0;
}

MeetingCost costOfSendrecv(const isa::Sendrecv &op, const DmaPlan &own,
                           const isa::Target &target) {
  MeetingCost cost;
  cost.touch = own;
  if (op.dma_engine == isa::SendEngine::dma) {
    cost.launch = nanoseconds(target.core_barrier_ns + target.dma_start_ns);
    return cost;
  }
  // GpSimd's own DMA engines: those of the core stay free.
  cost.launch = nanoseconds(target.sendrecv_gpsimd_ns +
                            static_cast<double>(own.bytes) /
                                target.sendrecv_gpsimd_bytes_per_ns);
  cost.touch.work.fill(0);
  return cost;
}

MeetingCost costOfCollective(const isa::Body &body, const DmaPlan &own,
                             const PeerGroup &group, unsigned coresOfRank,
                             const isa::Target &target) {
  MeetingCost cost;
  const Family family = familyOf(body);
  const Sizes sizes = sizesOf(body);
  const Places places(coresOfRank, target);
  const Extent extent = extentOf(group.members, places);
  const auto n = static_cast<double>(group.members.size());
  const bool isPermute = family == Family::direct &&
                         !std::holds_alternative<isa::AllToAll>(body) &&
                         !std::holds_alternative<isa::AllToAllV>(body);
  cost.algorithm = chooseAlgorithm(family, std::max(sizes.source, sizes.target),
                                   extent, target);
  const Traffic traffic =
      group.members.size() == 1
          ? Traffic{0, 0, static_cast<double>(sizes.source),
                    static_cast<double>(sizes.target)}
          : trafficOf(family, cost.algorithm, sizes, isPermute, n, target);
  const double hop =
      extent.oneNode ? target.collective_hop_ns : target.node_hop_ns;
  const double link =
      extent.oneChip   ? target.dma_engines * target.dma_engine_bytes_per_ns
      : extent.oneNode ? target.link_bytes_per_ns
                       : target.node_core_bytes_per_ns * coresOfRank;
  cost.launch = nanoseconds(sizes.inHbm ? target.collective_launch_hbm_ns
                                        : target.collective_launch_sbuf_ns);
  cost.carry = nanoseconds(traffic.link / link);
  cost.hops = nanoseconds(traffic.hops * hop);
  if (cost.carry > 0)
    cost.links = linksOf(body, group, extent, places, coresOfRank,
                         isPermute ? std::max(1u, sizes.sources) : 1);
  cost.touch = own;
  cost.touch.bytes = sizes.target;
  plan(cost.touch, traffic, sizes.inHbm, target);
  return cost;
}

} // namespace

MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          const PeerGroup &group, unsigned coresOfRank,
                          const isa::Target &target) {
  const auto *pair = std::get_if<isa::Sendrecv>(&body);
  MeetingCost cost =
      pair ? costOfSendrecv(*pair, own, target)
           : costOfCollective(body, own, group, coresOfRank, target);
  // Even a transfer of nothing visits an engine and completes.
  cost.touch.work[0] = std::max<Picoseconds>(cost.touch.work[0], 1);
  return cost;
}

} // namespace kiln::sim::timing
