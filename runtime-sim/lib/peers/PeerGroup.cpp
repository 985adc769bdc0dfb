//===- PeerGroup.cpp - Which cores an instruction meets -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerGroup.h"

#include "kiln/isa/fields.h"

#include <algorithm>

namespace kiln::sim {

namespace {

std::size_t placeIn(const std::vector<unsigned> &members, unsigned rank) {
  return static_cast<std::size_t>(
      std::find(members.begin(), members.end(), rank) - members.begin());
}

/// Finds the members; false if this rank is in no list.
bool findMembers(PeerGroup &group, const isa::Body &body, const CoreId &id) {
  group.key.scope = id.core;
  if (const auto *lists = fieldOf<isa::RankLists>(body, "replica_group")) {
    const auto own =
        std::find_if(lists->begin(), lists->end(), [&](const auto &list) {
          return std::find(list.begin(), list.end(),
                           static_cast<std::int32_t>(id.rank)) != list.end();
        });
    if (own == lists->end())
      return false;
    group.key.numbers = *own;
    group.members.assign(own->begin(), own->end());
    if (isPreparation(body)) {
      group.key.numbers = {-2, static_cast<std::int32_t>(id.rank)};
      group.members = {id.rank};
    }
  } else if (const isa::RankLists *pairs = rankListsOf(body)) {
    group.members = isa::ranksOfPairs(*pairs);
    // A rank in no pair does not take part.
    if (placeIn(group.members, id.rank) == group.members.size())
      group.members = {id.rank};
    group.key.numbers = {-1};
    for (const auto &pair : *pairs)
      group.key.numbers.insert(group.key.numbers.end(), pair.begin(),
                               pair.end());
    if (group.members.size() == 1)
      group.key.numbers.push_back(static_cast<std::int32_t>(id.rank));
  }
  group.self = static_cast<unsigned>(placeIn(group.members, id.rank));
  return true;
}

} // namespace

std::optional<PeerGroup> peerGroupOf(const isa::Body &body, const CoreId &id) {
  PeerGroup group;
  if (std::holds_alternative<isa::CoreBarrier>(body)) {
    group.key = {PeerKey::Kind::barrier, id.rank, {}};
    group.members = {0, 1};
    group.self = id.core;
    return group;
  }
  if (const auto *pair = std::get_if<isa::Sendrecv>(&body)) {
    group.key = {PeerKey::Kind::pipe, id.rank, {pair->pipe_id}};
    group.members = {0, 1};
    group.self = id.core;
    // A copy to itself meets no other rank.
    if (pair->send_to_rank == static_cast<std::int32_t>(id.core)) {
      group.key.numbers.push_back(pair->send_to_rank);
      group.members = {id.core};
      group.self = 0;
    }
    return group;
  }
  if (!meetsAsTransfer(body) || !findMembers(group, body, id))
    return std::nullopt;
  return group;
}

} // namespace kiln::sim
