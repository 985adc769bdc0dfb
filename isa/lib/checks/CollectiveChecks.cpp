//===- CollectiveChecks.cpp - Between ranks -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

#include <algorithm>
#include <set>

namespace kiln::isa {
namespace {

using Accesses = std::vector<Access>;

/// The lists of sources, in order, and that of the destinations.
struct CollectiveView {
  std::vector<const Accesses *> sources;
  const Accesses *targets = nullptr;
  const RankLists *lists = nullptr;
};

CollectiveView collectiveView(const CheckContext &context) {
  CollectiveView view;
  for (const OperandInfo &operand : context.info.operands)
    if (operand.kind == OperandKind::MemoryList) {
      const Accesses *list = context.field<Accesses>(operand.name);
      if (operand.effect == Effect::write)
        view.targets = list;
      else
        view.sources.push_back(list);
    } else if (operand.kind == OperandKind::RankLists) {
      view.lists = context.field<RankLists>(operand.name);
    }
  return view;
}

/// A matrix of partitions and columns, which has one free dimension.
CheckResult checkOnChip(const CheckContext &context,
                        const CollectiveView &view) {
  for (const CheckedOperand &operand : context.operands()) {
    const Access &access = *operand.access;
    if (operand.info->kind != OperandKind::MemoryList ||
        access.space == Space::hbm)
      continue;
    if (view.targets->size() != 1)
      return context.error("KILN-I081",
                           "<|{}|> tensors in sbuf, expected [|one|]; "
                           "several at once need hbm",
                           view.targets->size());
    if (access.rank > 1)
      return context.error(
          "KILN-I081",
          "{} in sbuf has <|{}|> free dimensions, expected [|one|]",
          operand.info->name, access.rank);
  }
  return std::nullopt;
}

CheckResult checkDimension(const CheckContext &context, bool onChip) {
  const std::int32_t *dim = context.field<std::int32_t>("collective_dim");
  if (!dim)
    return std::nullopt;
  const bool gathers = context.info.opcode == Opcode::AllGather;
  const std::int32_t last = gathers && onChip ? 1 : 0;
  if (*dim < 0 || *dim > last)
    return context.error("KILN-I081",
                         "collective_dim is <|{}|>, expected [|0{}|]", *dim,
                         last == 1 ? " or 1"
                         : gathers ? "; 1 only in sbuf"
                                   : "");
  return std::nullopt;
}

/// [partitions, columns] of an operand; in HBM all elements are columns.
struct Matrix {
  std::uint64_t rows, columns;
  friend bool operator==(const Matrix &, const Matrix &) = default;
};
Matrix matrixOf(const Access &access) {
  return {access.space == Space::hbm ? 1u : access.partitions,
          elementsOf(access)};
}

/// What dst must be for src in a list of `ranks`.
Matrix expectedOf(const CheckContext &context, const Access &src,
                  std::uint64_t ranks, bool &divides) {
  Matrix result = matrixOf(src);
  const std::int32_t *dim = context.field<std::int32_t>("collective_dim");
  const bool byRows = src.space != Space::hbm && dim && *dim == 0;
  std::uint64_t &extent = byRows ? result.rows : result.columns;
  const Opcode opcode = context.info.opcode;
  if (opcode == Opcode::AllGather) {
    extent *= ranks;
  } else if (opcode == Opcode::ReduceScatter || opcode == Opcode::AllToAll) {
    divides = extent % ranks == 0;
    if (opcode == Opcode::ReduceScatter)
      extent /= ranks;
  }
  return result;
}

CheckResult checkPair(const CheckContext &context, const Access &src,
                      const Access &dst, std::uint64_t ranks) {
  bool divides = true;
  const Matrix expected = expectedOf(context, src, ranks, divides);
  const Matrix from = matrixOf(src), found = matrixOf(dst);
  if (!divides)
    return context.error("KILN-I081",
                         "a source is [{}, {}], which {} ranks cannot share "
                         "evenly",
                         from.rows, from.columns, ranks);
  if (found != expected)
    return context.error("KILN-I081",
                         "a source is <|[{}, {}]|> and its destination [{}, "
                         "{}], but with {} ranks it must be [|[{}, {}]|]",
                         from.rows, from.columns, found.rows, found.columns,
                         ranks, expected.rows, expected.columns);
  return std::nullopt;
}

CheckResult checkRank(const CheckContext &context, std::int32_t rank) {
  if (rank < 0 || rank >= static_cast<std::int32_t>(maxRanks))
    return context.error("KILN-I082", "rank <|{}|>, expected [|0 to {}|]", rank,
                         maxRanks - 1);
  return std::nullopt;
}

/// Its elements are not one after the other in memory.
bool hasGaps(const Access &access) {
  std::int64_t stride = 1;
  for (unsigned i = access.rank; i-- > 0;) {
    const Dim &dim = access.dims[i];
    if (dim.size != 1 && dim.stride != stride)
      return true;
    stride *= dim.size;
  }
  return false;
}

/// Ranks of a node: more channels are for rings over all of them.
std::size_t ranksOfNode(Generation generation) {
  return generation == Generation::v2 ? 32 : 64;
}

} // namespace

CheckResult checkCollectiveOperands(const CheckContext &context) {
  const CollectiveView view = collectiveView(context);
  const std::size_t count = view.targets->size();
  for (const Accesses *sources : view.sources)
    if (count == 0 || count > maxListAccesses || sources->size() != count)
      return context.error("KILN-I081",
                           "<|{} sources and {} destinations|>, expected [|1 "
                           "to {}, the same number of each|]",
                           sources->size(), count, maxListAccesses);
  const bool takesOne = context.info.opcode == Opcode::CollectivePermute ||
                        context.field<Access>("metadata_tensor");
  if (takesOne && count != 1)
    return context.error("KILN-I081", "<|{}|> tensors, expected [|one|]",
                         count);
  const Space space = view.targets->front().space;
  for (const Accesses *sources : view.sources)
    for (std::size_t i = 0; i < count; ++i) {
      const Access &src = (*sources)[i], &dst = (*view.targets)[i];
      if (src.space != space || dst.space != space)
        return context.error("KILN-I081",
                             "sources and destinations are in hbm and in sbuf; "
                             "all must be in one of them");
      if (src.dtype != dst.dtype)
        return context.error(
            "KILN-I081",
            "a source is <|{}|> and its destination [|{}|]; they must be equal",
            name(src.dtype), name(dst.dtype));
    }
  if (CheckResult error = checkOnChip(context, view))
    return error;
  return checkDimension(context, space != Space::hbm);
}

CheckResult checkReplicaGroup(const CheckContext &context) {
  const RankLists &lists = *collectiveView(context).lists;
  if (lists.empty() || lists.size() > maxRanks)
    return context.error("KILN-I082",
                         "replica_group has <|{}|> lists, expected [|1 to {}|]",
                         lists.size(), maxRanks);
  std::set<std::int32_t> seen;
  for (const std::vector<std::int32_t> &list : lists) {
    if (list.empty())
      return context.error("KILN-I082", "replica_group has an empty list");
    for (std::int32_t rank : list) {
      if (CheckResult error = checkRank(context, rank))
        return error;
      if (!seen.insert(rank).second)
        return context.error("KILN-I082",
                             "replica_group has rank {} twice; its lists must "
                             "not overlap",
                             rank);
    }
  }
  return std::nullopt;
}

CheckResult checkPermutePairs(const CheckContext &context) {
  const RankLists &pairs = *collectiveView(context).lists;
  if (pairs.empty() || pairs.size() > maxRanks)
    return context.error(
        "KILN-I082",
        "source_target_pairs has <|{}|> pairs, expected [|1 to {}|]",
        pairs.size(), maxRanks);
  std::set<std::int32_t> sources, targets;
  for (const std::vector<std::int32_t> &pair : pairs) {
    if (pair.size() != 2)
      return context.error("KILN-I082",
                           "an entry of source_target_pairs has <|{} ranks|>, "
                           "but must be [|[source, target]|]",
                           pair.size());
    for (std::int32_t rank : pair)
      if (CheckResult error = checkRank(context, rank))
        return error;
    const bool newSource = sources.insert(pair[0]).second;
    const bool newTarget = targets.insert(pair[1]).second;
    if (!newSource || !newTarget)
      return context.error("KILN-I082", "rank {} is {} twice",
                           newSource ? pair[1] : pair[0],
                           newSource ? "target" : "source");
  }
  return std::nullopt;
}

CheckResult checkRingChannel(const CheckContext &context) {
  const std::int32_t channel = *context.field<std::int32_t>("channel_id");
  if (channel < 0 || channel > 3)
    return context.error("KILN-I082",
                         "channel_id is <|{}|>, expected [|0 to 3|]", channel);
  return std::nullopt;
}

CheckResult checkRingChannels(const CheckContext &context) {
  const CollectiveView view = collectiveView(context);
  const std::size_t channels = view.targets->size();
  const std::size_t node = ranksOfNode(context.target.generation);
  const bool wholeNodes =
      std::all_of(view.lists->begin(), view.lists->end(),
                  [&](const auto &list) { return list.size() == node; });
  const std::size_t most = wholeNodes ? 4 : 2;
  if (channels > most)
    return context.error(
        "KILN-I082",
        "<|{}|> channels, expected at most [|{}|]; 4 where every "
        "list has the {} ranks of a node",
        channels, most, node);
  const auto &ids = *context.field<std::vector<std::int32_t>>("channel_ids");
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids.size() != channels || ids[i] != static_cast<std::int32_t>(i))
      return context.error("KILN-I082",
                           "channel_ids has <|{}|> entries, entry {} is {}; "
                           "they must be [|0 to {}|], in order",
                           ids.size(), i, ids[i], channels - 1);
  return std::nullopt;
}

CheckResult checkCollectiveShapes(const CheckContext &context) {
  const CollectiveView view = collectiveView(context);
  for (const Accesses *sources : view.sources)
    for (std::size_t i = 0; i < sources->size(); ++i)
      for (const std::vector<std::int32_t> &list : *view.lists)
        if (CheckResult error = checkPair(context, (*sources)[i],
                                          (*view.targets)[i], list.size()))
          return error;
  return std::nullopt;
}

namespace {

/// The lists of a collective with tables.
CheckResult checkCountedLists(const CheckContext &context, bool byChip,
                              bool switched) {
  const RankLists &lists = *collectiveView(context).lists;
  const std::size_t ranks = lists.front().size();
  for (const std::vector<std::int32_t> &list : lists) {
    if (list.size() != ranks || (byChip && ranks != 4))
      return context.error("KILN-I083",
                           "a list has <|{}|> ranks, but must have [|{}|]",
                           list.size(), byChip ? 4 : ranks);
    // Where a switch connects them, whole chips of four take part.
    bool consecutive = true;
    for (std::size_t i = 0; i < list.size(); ++i)
      consecutive &= list[i] == list[0] + static_cast<std::int32_t>(i);
    if (!byChip && switched &&
        (!consecutive || list[0] % 4 != 0 || ranks % 4 != 0 || ranks < 8))
      return context.error("KILN-I083",
                           "a list of {} ranks from {}; on {} it must hold all "
                           "four ranks of two or more chips, in order",
                           ranks, list[0], targetName(context));
  }
  return std::nullopt;
}

/// Buffers whose pieces are counted in elements.
CheckResult checkFlat(const CheckContext &context, bool reduces) {
  constexpr std::uint64_t mostReduced = 16 << 10;
  for (const CheckedOperand &operand : context.operands()) {
    if (operand.info->kind != OperandKind::MemoryList)
      continue;
    const Access &access = *operand.access;
    if (hasGaps(access))
      return context.error("KILN-I083",
                           "{} has gaps or is not in memory order; it must be "
                           "flat, because its pieces are counted in elements",
                           operand.info->name);
    const std::uint64_t bytes = elementsOf(access) * sizeInBytes(access.dtype);
    if (reduces && operand.isWritten() && bytes > mostReduced)
      return context.error(
          "KILN-I083", "{} has <|{}|> bytes, but {} takes at most [|{}|]",
          operand.info->name, bytes, context.info.mnemonic, mostReduced);
  }
  return std::nullopt;
}

} // namespace

CheckResult checkCountedCollective(const CheckContext &context) {
  const Access &metadata = *context.field<Access>("metadata_tensor");
  const bool reduces = context.info.opcode == Opcode::ReduceScatterV;
  const bool byChip = reduces || gathersCounted(context.info.opcode);
  const bool *displaced = context.field<bool>("has_rdispls");
  const bool hasDisplacements = displaced && *displaced;
  const bool switched = context.target.generation >= Generation::v4;
  if (hasDisplacements && (byChip || !switched))
    return context.error(
        "KILN-I083",
        "has_rdispls is for [|all_to_all_v on trn3|], found <|{}|>",
        targetName(context));
  if (CheckResult error = checkCountedLists(context, byChip, switched))
    return error;
  const std::uint64_t rows = hasDisplacements ? 4 : 3;
  const std::size_t ranks = collectiveView(context).lists->front().size();
  const bool dense = !hasGaps(metadata) &&
                     (metadata.space == Space::hbm || metadata.partitions == 1);
  if (!dense || metadata.totalElements() != rows * ranks)
    return context.error(
        "KILN-I083",
        "metadata_tensor has <|{}|> elements{}; it must have [|{}|] rows of {} "
        "without gaps, in sbuf on one partition",
        metadata.totalElements(), dense ? "" : " with gaps", rows, ranks);
  if (CheckResult error = checkFlat(context, reduces))
    return error;
  return byChip || switched ? checkTwoCores(context) : std::nullopt;
}

CheckResult checkPreparedCollective(const CheckContext &context) {
  const Access &prepared = *context.field<Access>("prepared");
  const Access &metadata = *context.field<Access>("metadata_tensor");
  if (hasGaps(prepared) || prepared.totalElements() != metadata.totalElements())
    return context.error(
        "KILN-I083",
        "prepared has <|{}|> elements{}; it must have [|{}|], as "
        "metadata_tensor, without gaps",
        prepared.totalElements(), hasGaps(prepared) ? " with gaps" : "",
        metadata.totalElements());
  return std::nullopt;
}

} // namespace kiln::isa
