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

namespace kiln::sim::timing {

namespace {

/// Bytes of what a rank sends and of what it receives.
struct Sizes {
  std::uint64_t source = 0, target = 0;
  std::vector<std::uint64_t> channels; ///< Of `source`.
  std::uint64_t element = 1;
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
    sizes.element = isa::sizeInBytes(access.dtype);
    if (entry.effect == isa::Effect::read) {
      sizes.source += bytes;
      sizes.channels.push_back(bytes);
    } else {
      sizes.target += bytes;
    }
  }
  return sizes;
}

enum class Family : std::uint8_t {
  gather,
  reduceScatter,
  allReduce,
  exchange, ///< Everybody sends something else to everybody.
  permute
};

Family familyOf(const isa::Body &body) {
  if (std::holds_alternative<isa::AllGather>(body) ||
      std::holds_alternative<isa::AllGatherV>(body))
    return Family::gather;
  if (std::holds_alternative<isa::ReduceScatter>(body))
    return Family::reduceScatter;
  if (std::holds_alternative<isa::AllReduce>(body))
    return Family::allReduce;
  if (std::holds_alternative<isa::AllToAll>(body) ||
      std::holds_alternative<isa::AllToAllV>(body))
    return Family::exchange;
  return Family::permute;
}

/// The bytes that each member has for each; its own ones stay with it.
class Pieces {
public:
  Pieces(std::size_t members, double each)
      : members(members), bytes(members * members, each) {}
  double &at(std::size_t from, std::size_t to) {
    return bytes[from * members + to];
  }
  double sentBy(std::size_t member) {
    double sum = 0;
    for (std::size_t to = 0; to < members; ++to)
      sum += at(member, to);
    return sum;
  }
  double receivedBy(std::size_t member) {
    double sum = 0;
    for (std::size_t from = 0; from < members; ++from)
      sum += at(from, member);
    return sum;
  }
  const std::size_t members;

private:
  std::vector<double> bytes;
};

Pieces piecesOf(const isa::Body &body, const Sizes &sizes, std::size_t members,
                const SentElements &sent) {
  const auto n = static_cast<double>(members);
  const auto source = static_cast<double>(sizes.source);
  const Family family = familyOf(body);
  // A piece is what one rank contributes, or what it keeps.
  if (!hasTable(body))
    return {members, family == Family::gather ? source
                     : family == Family::reduceScatter
                         ? static_cast<double>(sizes.target)
                         : source / n};
  // No piece is larger than what it is taken from, nor than its slot.
  Pieces pieces(members,
                std::min(source, static_cast<double>(sizes.target) / n));
  for (std::size_t from = 0; from < sent.size(); ++from)
    for (std::size_t to = 0; to < members; ++to)
      pieces.at(from, to) = static_cast<double>(
          sent[from][family == Family::gather ? 0 : to] * sizes.element);
  return pieces;
}

Algorithm chooseAlgorithm(Family family, double bytes, const Extent &extent,
                          const isa::Target &target) {
  if (family == Family::exchange || family == Family::permute ||
      bytes < target.collective_mesh_max_bytes)
    return Algorithm::direct;
  if (bytes <= target.collective_halving_max_bytes)
    return Algorithm::halving;
  return extent.wholeChips ? Algorithm::kangaRing : Algorithm::ring;
}

/// Hops one way: an all-reduce that is not direct goes both.
double hopsOf(Family family, Algorithm algorithm, std::size_t members) {
  const double ways =
      family == Family::allReduce && algorithm != Algorithm::direct ? 2 : 1;
  switch (algorithm) {
  case Algorithm::direct:
    break;
  case Algorithm::halving:
    return ways * std::bit_width(static_cast<unsigned>(members) - 1);
  case Algorithm::kangaRing:
    return ways * static_cast<double>(members) / 2;
  case Algorithm::ring:
    return ways * static_cast<double>(members - 1);
  }
  return 1;
}

/// Puts the members' bytes on links.
void addLoads(LinkLoads &loads, const isa::Body &body, const PeerGroup &group,
              const Sizes &sizes, Algorithm algorithm, Pieces &pieces) {
  const Family family = familyOf(body);
  const std::vector<unsigned> &members = group.members;
  const std::size_t n = members.size();
  if (family == Family::permute) {
    const auto *pairs = fieldOf<isa::RankLists>(body, "source_target_pairs");
    const auto add = [&](unsigned from, unsigned to) {
      for (unsigned channel = 0; channel < sizes.channels.size(); ++channel)
        loads.addPair(from, to, static_cast<double>(sizes.channels[channel]),
                      channel);
    };
    for (std::size_t i = 0; !pairs && i < n; ++i)
      add(members[i], members[(i + 1) % n]);
    for (std::size_t i = 0; pairs && i < pairs->size(); ++i)
      add(static_cast<unsigned>((*pairs)[i].front()),
          static_cast<unsigned>((*pairs)[i].back()));
  } else if (algorithm == Algorithm::direct) {
    // Of an all-reduce everybody sends all of it to everybody.
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        loads.addPair(members[from], members[to],
                      family == Family::allReduce ? pieces.sentBy(from)
                                                  : pieces.at(from, to));
  } else {
    // All pieces but one pass between each two neighbours.
    double all = 0, least = pieces.at(0, 0);
    for (std::size_t from = 0; from < n; ++from) {
      all += pieces.at(from, from);
      least = std::min(least, pieces.at(from, from));
    }
    loads.addRound((all - least) * (family == Family::allReduce ? 2 : 1));
  }
}

/// What a member moves in its memory, in bytes.
struct Touch {
  double read = 0, written = 0;
};

Touch touchOf(Family family, Algorithm algorithm, std::size_t member,
              const Sizes &sizes, Pieces &pieces, const isa::Target &target) {
  const auto n = static_cast<double>(pieces.members);
  const double own = pieces.at(member, member);
  if (family == Family::permute)
    return {static_cast<double>(sizes.source),
            static_cast<double>(sizes.target)};
  if (family == Family::exchange)
    return {pieces.sentBy(member), pieces.receivedBy(member)};
  if (family == Family::allReduce && algorithm == Algorithm::direct)
    // Reads its own for everybody, and all that came to reduce it.
    return {(2 * n - 1) * n * own, n * n * own};
  const bool isKangaRing = algorithm == Algorithm::kangaRing;
  const double gather = isKangaRing ? target.kangaring_gather_touch : 1;
  const double reduce = isKangaRing ? target.kangaring_reduce_touch : 1;
  Touch touch;
  if (family != Family::gather) {
    // A step reads the own piece and the one that came, and writes their sum.
    touch.read += 2 * (n - 1) * own * reduce;
    touch.written += std::max(n - 1, 1.0) * own * reduce;
  }
  if (family != Family::reduceScatter) {
    const double all = pieces.receivedBy(member);
    touch.read += (algorithm == Algorithm::direct ? n * own : all) * gather;
    touch.written += all * gather;
  }
  return touch;
}

/// Spreads the bytes over the engines of the core: they walk rings of
/// descriptors for collectives as for copies, whichever memory it is.
void plan(DmaPlan &touch, const Touch &traffic, bool inHbm,
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
  cost.touch = {own};
  if (op.dma_engine == isa::SendEngine::dma) {
    cost.launch = nanoseconds(target.core_barrier_ns + target.dma_start_ns);
    return cost;
  }
  // GpSimd's own DMA engines: those of the core stay free.
  cost.launch = nanoseconds(target.sendrecv_gpsimd_ns +
                            static_cast<double>(own.bytes) /
                                target.sendrecv_gpsimd_bytes_per_ns);
  cost.touch.front().work.fill(0);
  return cost;
}

MeetingCost costOfCollective(const isa::Body &body, const DmaPlan &own,
                             const PeerGroup &group, unsigned coresOfRank,
                             const isa::Target &target,
                             const SentElements &sent) {
  MeetingCost cost;
  const Family family = familyOf(body);
  const Sizes sizes = sizesOf(body);
  const std::size_t n = group.members.size();
  LinkLoads loads(group, coresOfRank, target);
  const Extent extent = loads.extent();
  Pieces pieces = piecesOf(body, sizes, n, sent);
  const double most =
      hasTable(body)
          ? pieces.receivedBy(0)
          : static_cast<double>(std::max(sizes.source, sizes.target));
  cost.algorithm = chooseAlgorithm(family, most, extent, target);
  cost.launch = nanoseconds(sizes.inHbm ? target.collective_launch_hbm_ns
                                        : target.collective_launch_sbuf_ns);
  if (n > 1) {
    const double hop =
        extent.oneNode ? target.collective_hop_ns : target.node_hop_ns;
    cost.hops = nanoseconds(hopsOf(family, cost.algorithm, n) * hop);
    addLoads(loads, body, group, sizes, cost.algorithm, pieces);
    cost.links = loads.make();
  }
  // With tables each member moves something else.
  for (std::size_t m = 0; m < (sent.empty() ? 1 : n); ++m) {
    DmaPlan &touch = cost.touch.emplace_back(own);
    const Touch traffic =
        n == 1 && !hasTable(body)
            ? Touch{static_cast<double>(sizes.source),
                    static_cast<double>(sizes.target)}
            : touchOf(family, cost.algorithm, m, sizes, pieces, target);
    touch.bytes = hasTable(body)
                      ? static_cast<std::uint64_t>(pieces.receivedBy(m))
                      : sizes.target;
    plan(touch, traffic, sizes.inHbm, target);
  }
  return cost;
}

} // namespace

MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          const PeerGroup &group, unsigned coresOfRank,
                          const isa::Target &target, const SentElements &sent) {
  const auto *pair = std::get_if<isa::Sendrecv>(&body);
  MeetingCost cost =
      pair ? costOfSendrecv(*pair, own, target)
           : costOfCollective(body, own, group, coresOfRank, target, sent);
  // Even a transfer of nothing visits an engine and completes.
  for (DmaPlan &touch : cost.touch)
    touch.work[0] = std::max<Picoseconds>(touch.work[0], 1);
  return cost;
}

} // namespace kiln::sim::timing
