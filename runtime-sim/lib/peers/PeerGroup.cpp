//===- PeerGroup.cpp - Which cores an instruction meets -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerGroup.h"

#include "Fields.h"

#include "kiln/isa/info.h"

#include <algorithm>

namespace kiln::sim {

namespace {

/// All ranks of the pairs, each once, in order.
std::vector<unsigned> ranksOf(const isa::RankLists &pairs) {
  std::vector<unsigned> ranks;
  for (const auto &pair : pairs)
    for (const std::int32_t rank : pair)
      ranks.push_back(static_cast<unsigned>(rank));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::size_t placeIn(const std::vector<unsigned> &members, unsigned rank) {
  return static_cast<std::size_t>(
      std::find(members.begin(), members.end(), rank) - members.begin());
}

/// Finds the members; false if the own rank is in no list.
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
    group.members = ranksOf(*pairs);
    // A rank in no pair takes no part.
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

bool meetsAsTransfer(const isa::Body &body) {
  return std::holds_alternative<isa::Sendrecv>(body) ||
         (rankListsOf(body) && !isa::info(isa::opcode(body)).isControl);
}

/// The effect on the memory that a preparation keeps its table in.
static std::optional<isa::Effect> effectOnPrepared(const isa::Body &body) {
  const isa::OperandInfo *kept =
      isa::info(isa::opcode(body)).operand("prepared");
  return kept ? std::optional(kept->effect) : std::nullopt;
}

bool isPreparation(const isa::Body &body) {
  return effectOnPrepared(body) == isa::Effect::write;
}

bool isTrigger(const isa::Body &body) {
  return effectOnPrepared(body) == isa::Effect::read;
}

bool hasTable(const isa::Body &body) {
  return isa::info(isa::opcode(body)).operand("metadata_tensor") &&
         !isPreparation(body);
}

const isa::RankLists *rankListsOf(const isa::Body &body) {
  if (const auto *lists = fieldOf<isa::RankLists>(body, "replica_group"))
    return lists;
  return fieldOf<isa::RankLists>(body, "source_target_pairs");
}

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
    // A copy to itself meets nobody else.
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
