//===- Meeting.cpp - Instructions that meet other cores -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/meeting.h"

#include "kiln/isa/fields.h"
#include "kiln/isa/info.h"

#include <algorithm>

namespace kiln::isa {
namespace {

const RankLists *replicaGroupOf(const Body &body) {
  return fieldOf<RankLists>(body, "replica_group");
}

/// The effect on the memory that a preparation keeps its table in.
std::optional<Effect> effectOnPrepared(const Body &body) {
  const OperandInfo *kept = info(opcode(body)).operand("prepared");
  return kept ? std::optional(kept->effect) : std::nullopt;
}

} // namespace

bool meetsAsTransfer(const Body &body) {
  return std::holds_alternative<Sendrecv>(body) ||
         (rankListsOf(body) && !info(opcode(body)).isControl);
}

bool isPreparation(const Body &body) {
  return effectOnPrepared(body) == Effect::write;
}

bool isTrigger(const Body &body) {
  return effectOnPrepared(body) == Effect::read;
}

bool hasTable(const Body &body) {
  return info(opcode(body)).operand("metadata_tensor") && !isPreparation(body);
}

const RankLists *rankListsOf(const Body &body) {
  if (const RankLists *lists = replicaGroupOf(body))
    return lists;
  return fieldOf<RankLists>(body, "source_target_pairs");
}

std::vector<unsigned> ranksOfPairs(const RankLists &pairs) {
  std::vector<unsigned> ranks;
  for (const auto &pair : pairs)
    for (const std::int32_t rank : pair)
      ranks.push_back(static_cast<unsigned>(rank));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<std::vector<unsigned>> meetingsOf(const Body &body) {
  std::vector<std::vector<unsigned>> meetings;
  if (const RankLists *lists = replicaGroupOf(body)) {
    for (const auto &list : *lists)
      meetings.emplace_back(list.begin(), list.end());
    if (isPreparation(body)) // Each rank by itself.
      meetings.assign(1, {meetings.front().front()});
  } else if (const RankLists *pairs = rankListsOf(body)) {
    meetings.push_back(ranksOfPairs(*pairs));
  }
  return meetings;
}

} // namespace kiln::isa
