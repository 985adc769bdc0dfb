//===- CollectiveSteps.cpp - How ranks pass their pieces on ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveSteps.h"

#include <algorithm>
#include <bit>

namespace kiln::machine {

Family familyOf(const isa::Body &body) {
  if (isa::isOneOf<isa::AllGather, isa::AllGatherV, isa::AllGatherVTrigger>(
          body))
    return Family::gather;
  if (isa::isOneOf<isa::ReduceScatter, isa::ReduceScatterV>(body))
    return Family::reduceScatter;
  if (isa::isOneOf<isa::AllReduce>(body))
    return Family::allReduce;
  if (isa::isOneOf<isa::AllToAll, isa::AllToAllV, isa::AllToAllVTrigger>(body))
    return Family::exchange;
  return Family::permute;
}

std::string_view nameOf(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::direct:
    return "direct";
  case Algorithm::halving:
    return "halving";
  case Algorithm::kangaRing:
    return "ring both ways";
  case Algorithm::ring:
    return "ring";
  }
  return "";
}

std::vector<Steps> waysOf(Family family, double bytes, const Extent &extent,
                          const isa::Target &target) {
  if (family == Family::exchange || family == Family::permute)
    return {{{family, Algorithm::direct}}};
  const bool isMesh = bytes < target.collective_mesh_max_bytes;
  std::vector<Algorithm> algorithms;
  if (isMesh)
    algorithms.push_back(Algorithm::direct);
  if (bytes <= target.collective_halving_max_bytes)
    algorithms.push_back(Algorithm::halving);
  algorithms.push_back(extent.wholeChips ? Algorithm::kangaRing
                                         : Algorithm::ring);
  std::vector<Steps> ways;
  if (family != Family::allReduce) {
    for (const Algorithm algorithm : algorithms)
      ways.push_back({{family, algorithm}});
    return ways;
  }
  if (isMesh)
    ways.push_back({{family, Algorithm::direct}});
  for (const Algorithm reduce : algorithms)
    for (const Algorithm gather : algorithms)
      ways.push_back({{Family::reduceScatter, reduce}, //
                      {Family::gather, gather}});
  return ways;
}

double hopsOf(const Step &step, std::size_t members) {
  switch (step.algorithm) {
  case Algorithm::direct:
    break;
  case Algorithm::halving:
    return std::bit_width(static_cast<unsigned>(members) - 1);
  case Algorithm::kangaRing:
    return std::max(1.0, static_cast<double>(members) / 2);
  case Algorithm::ring:
    return static_cast<double>(members - 1);
  }
  return 1;
}

void addLoads(LinkLoads &loads, const Step &step, const Pieces &pieces,
              const std::vector<unsigned> &members) {
  const std::size_t n = members.size();
  if (step.algorithm == Algorithm::direct) {
    // In an all-reduce, every rank sends all of its data to every other.
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        loads.addPair(members[from], members[to],
                      step.family == Family::allReduce ? pieces.sentBy(from)
                                                       : pieces.at(from, to));
    return;
  }
  // All pieces except one pass between each pair of neighbours.
  double all = 0, least = pieces.at(0, 0);
  for (std::size_t from = 0; from < n; ++from) {
    all += pieces.at(from, from);
    least = std::min(least, pieces.at(from, from));
  }
  loads.addRound(all - least);
}

Touch touchOf(const Step &step, std::size_t member, const Pieces &pieces,
              const isa::Target &target) {
  const auto n = static_cast<double>(pieces.members);
  const double own = pieces.at(member, member);
  const bool isKangaRing = step.algorithm == Algorithm::kangaRing;
  switch (step.family) {
  case Family::permute:
  case Family::exchange:
    return {pieces.sentBy(member), pieces.receivedBy(member)};
  case Family::allReduce:
    // In one step: reads its own data for every rank, and everything that
    // arrived, to reduce it.
    return {(2 * n - 1) * n * own, n * n * own};
  case Family::reduceScatter: {
    // Reads its own piece and the one that arrived, and writes their sum.
    const double part = isKangaRing ? target.kangaring_reduce_touch : 1;
    return {2 * (n - 1) * own * part, std::max(n - 1, 1.0) * own * part};
  }
  case Family::gather: {
    const double part = isKangaRing ? target.kangaring_gather_touch : 1;
    const double all = pieces.receivedBy(member);
    return {(step.algorithm == Algorithm::direct ? n * own : all) * part,
            all * part};
  }
  }
  return {};
}

} // namespace kiln::machine
