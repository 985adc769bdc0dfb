//===- MeetingCost.cpp - What meeting other cores takes -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/machine/meeting_cost.h"

#include "CollectiveSteps.h"
#include "kiln/isa/fields.h"
#include "kiln/isa/meeting.h"

#include <algorithm>
#include <map>

namespace kiln::machine {

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
    if (entry.name == "metadata_tensor" || entry.name == "prepared" ||
        entry.name == "srcs1")
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
  Pieces pieces(
      members, std::min(source, static_cast<double>(sizes.target) /
                                    (family == Family::reduceScatter ? 1 : n)));
  for (std::size_t from = 0; from < sent.size(); ++from)
    for (std::size_t to = 0; to < members; ++to)
      pieces.at(from, to) = static_cast<double>(
          sent[from][family == Family::gather ? 0 : to] * sizes.element);
  return pieces;
}

/// Puts the bytes of a permute on links.
void addPermute(LinkLoads &loads, const isa::Body &body,
                const std::vector<unsigned> &members, const Sizes &sizes) {
  const auto *pairs = isa::fieldOf<isa::RankLists>(body, "source_target_pairs");
  const auto add = [&](unsigned from, unsigned to) {
    for (unsigned channel = 0; channel < sizes.channels.size(); ++channel)
      loads.addPair(from, to, static_cast<double>(sizes.channels[channel]),
                    channel);
  };
  for (std::size_t i = 0; !pairs && i < members.size(); ++i)
    add(members[i], members[(i + 1) % members.size()]);
  for (std::size_t i = 0; pairs && i < pairs->size(); ++i)
    add(static_cast<unsigned>((*pairs)[i].front()),
        static_cast<unsigned>((*pairs)[i].back()));
}

/// Spreads the bytes over the engines of the core: they walk rings of
/// descriptors for collectives as for copies, whichever memory it is.
void plan(DmaPlan &touch, const Touch &traffic, bool inHbm,
          const isa::Target &target) {
  const unsigned engines = dmaEngines(target);
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
  // Even an empty transfer visits an engine and completes.
  touch.work[0] = std::max<Picoseconds>(work, 1);
}

MeetingCost costOfSendrecv(const isa::Sendrecv &op, const DmaPlan &own,
                           const isa::Target &target) {
  MeetingCost cost;
  cost.touch = {own};
  if (op.dma_engine == isa::SendEngine::dma) {
    cost.launch = nanoseconds(target.core_barrier_ns + target.dma_start_ns);
    cost.launchParameter = "core_barrier_ns, dma_start_ns";
    return cost;
  }
  // GpSimd's own DMA engines: those of the core stay free.
  cost.launch = nanoseconds(target.sendrecv_gpsimd_ns +
                            static_cast<double>(own.bytes) /
                                target.sendrecv_gpsimd_bytes_per_ns);
  cost.launchParameter = "sendrecv_gpsimd_ns, sendrecv_gpsimd_bytes_per_ns";
  cost.touch.front().work.fill(0);
  cost.touch.front().work[0] = 1;
  return cost;
}

/// It launches what its trigger starts, and keeps the table.
MeetingCost costOfPreparation(const isa::Access &kept, const DmaPlan &own,
                              const isa::Target &target) {
  const std::uint64_t bytes =
      kept.totalElements() * isa::sizeInBytes(kept.dtype);
  MeetingCost cost;
  cost.launch = nanoseconds(target.collective_launch_hbm_ns);
  cost.launchParameter = "collective_launch_hbm_ns";
  DmaPlan &touch = cost.touch.emplace_back(own);
  touch.bytes = bytes;
  plan(touch, {static_cast<double>(bytes), static_cast<double>(bytes)}, true,
       target);
  return cost;
}

/// One collective of one group, by ways to do it.
class Collective {
public:
  Collective(const isa::Body &body, const DmaPlan &own,
             const MeetingRanks &ranks, const isa::Target &target,
             const SentElements &sent)
      : body(body), own(own), ranks(ranks), target(target),
        family(familyOf(body)), sizes(sizesOf(body)),
        pieces(piecesOf(body, sizes, ranks.members.size(), sent)),
        // With tables each member moves something else.
        plans(sent.empty() ? 1 : ranks.members.size()) {}

  MeetingCost best() const {
    const double most =
        hasTable(body)
            ? family == Family::reduceScatter ? pieces.sentBy(0)
                                              : pieces.receivedBy(0)
            : static_cast<double>(std::max(sizes.source, sizes.target));
    const Extent extent = LinkLoads(ranks, target).extent();
    const std::vector<Steps> ways = waysOf(family, most, extent, target);
    MeetingCost best = cost(ways.front(), extent);
    if (ways.size() == 1 || ranks.members.size() == 1)
      return best;
    Picoseconds least = timeAlone(best);
    for (std::size_t i = 1; i < ways.size(); ++i) {
      MeetingCost other = cost(ways[i], extent);
      if (const Picoseconds time = timeAlone(other); time < least) {
        least = time;
        best = std::move(other);
      }
    }
    return best;
  }

private:
  MeetingCost cost(const Steps &way, const Extent &extent) const {
    MeetingCost cost;
    cost.algorithm = nameOf(way.front().algorithm);
    if (way.size() > 1)
      cost.second = nameOf(way.back().algorithm);
    cost.launch = nanoseconds(isTrigger(body) ? target.dma_start_ns
                              : sizes.inHbm ? target.collective_launch_hbm_ns
                                            : target.collective_launch_sbuf_ns);
    cost.launchParameter = isTrigger(body) ? "dma_start_ns"
                           : sizes.inHbm   ? "collective_launch_hbm_ns"
                                           : "collective_launch_sbuf_ns";
    const std::size_t n = ranks.members.size();
    if (n > 1) {
      LinkLoads loads(ranks, target);
      double hops = 0;
      for (const Step &step : way) {
        hops += hopsOf(step, n);
        if (family == Family::permute)
          addPermute(loads, body, ranks.members, sizes);
        else
          addLoads(loads, step, pieces, ranks.members);
      }
      cost.hops = nanoseconds(hops * (extent.oneNode ? target.collective_hop_ns
                                                     : target.node_hop_ns));
      cost.hopParameter = extent.oneNode ? "collective_hop_ns" : "node_hop_ns";
      cost.links = loads.make();
      cost.chipBytes = loads.bytesOn(Link::Kind::chip);
      cost.nodeBytes = loads.bytesOn(Link::Kind::rankOut);
    }
    for (std::size_t m = 0; m < plans; ++m) {
      DmaPlan &touch = cost.touch.emplace_back(own);
      Touch traffic;
      if (family == Family::permute || (n == 1 && !hasTable(body)))
        traffic = {static_cast<double>(sizes.source),
                   static_cast<double>(sizes.target)};
      else
        for (const Step &step : way)
          traffic += touchOf(step, m, pieces, target);
      touch.bytes =
          hasTable(body)
              ? static_cast<std::uint64_t>(family == Family::reduceScatter
                                               ? pieces.at(m, m)
                                               : pieces.receivedBy(m))
              : sizes.target;
      plan(touch, traffic, sizes.inHbm, target);
    }
    return cost;
  }

  /// From the launch to the end of the last engine, with nothing else in flight
  /// except, if ranks have two cores, the same meeting of the other core.
  Picoseconds timeAlone(const MeetingCost &cost) const {
    return cost.carried(ranks.coresOfRank) + cost.hops +
           movingTime(cost.longestTouch(), target, coresOnStack(ranks, target));
  }

  const isa::Body &body;
  const DmaPlan &own;
  const MeetingRanks &ranks;
  const isa::Target &target;
  const Family family;
  const Sizes sizes;
  const Pieces pieces;
  const std::size_t plans;
};

} // namespace

Picoseconds MeetingCost::carried(unsigned coresOfRank) const {
  Picoseconds longest = 0;
  for (const LinkLoad &load : links)
    longest = std::max(longest, load.link.kind == Link::Kind::core
                                    ? load.alone
                                    : load.alone * coresOfRank);
  return longest;
}

const DmaPlan &MeetingCost::longestTouch() const {
  return *std::max_element(
      touch.begin(), touch.end(), [](const DmaPlan &a, const DmaPlan &b) {
        return std::pair(a.work[0], a.hbmRead + a.hbmWritten) <
               std::pair(b.work[0], b.hbmRead + b.hbmWritten);
      });
}

unsigned coresOnStack(const MeetingRanks &ranks, const isa::Target &target) {
  const unsigned size = coresOfStack(target);
  const Topology topology(target, ranks.coresOfRank);
  std::map<unsigned, unsigned> cores;
  unsigned most = 1;
  for (const unsigned rank : ranks.members) {
    unsigned &count = cores[topology.stackOf(rank)];
    count += std::min(ranks.coresOfRank, size);
    most = std::max(most, count);
  }
  return std::min(most, size);
}

DmaPlan planOfMember(const isa::Body &body, isa::Engine engine,
                     const isa::Target &target) {
  DmaPlan plan;
  if (std::holds_alternative<isa::Sendrecv>(body))
    plan = planDma(body, engine, target);
  plan.mode = isa::DgeMode::none;
  plan.queue =
      static_cast<unsigned>(isa::queueOf(body).value_or(0)) % isa::dmaQueues;
  return plan;
}

MeetingCost costOfMeeting(const isa::Body &body, const DmaPlan &own,
                          const MeetingRanks &ranks, const isa::Target &target,
                          const SentElements &sent) {
  if (isPreparation(body))
    return costOfPreparation(*isa::fieldOf<isa::Access>(body, "prepared"), own,
                             target);
  const auto *pair = std::get_if<isa::Sendrecv>(&body);
  return pair ? costOfSendrecv(*pair, own, target)
              : Collective(body, own, ranks, target, sent).best();
}

} // namespace kiln::machine
