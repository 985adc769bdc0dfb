//===- Counted.cpp - Transfers whose sizes are in memory ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerOp.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

struct Flags {
  bool broadcasts = false; ///< all_gather_v: column 0 is for everybody.
  bool countsKnown = false;
  bool hasPlaces = false; ///< Of what is received.
};

Flags flagsOf(const PeerOp &op) {
  if (const auto *gather = std::get_if<isa::AllGatherV>(op.body))
    return {true, gather->recv_counts_known, gather->has_rdispls};
  const auto &all = std::get<isa::AllToAllV>(*op.body);
  return {false, all.recv_counts_known, all.has_rdispls};
}

class Table {
public:
  explicit Table(const PeerOp &op)
      : columns(op.members.size()), values(op.metadata->elements()) {
    gather(*op.metadata, 0, values.data());
  }
  std::uint64_t at(MetadataRow row, std::size_t column) const {
    const std::size_t index = row * columns + column;
    return index < values.size() ? values[index] : 0;
  }

private:
  std::size_t columns;
  std::vector<std::uint32_t> values;
};

/// Elements [first, first + count) of an operand whose elements are contiguous.
PlacedAccess part(PeerOp &op, const PlacedAccess &whole, isa::Effect effect,
                  std::uint64_t first, std::uint64_t count) {
  isa::Access &access = op.parts.emplace_back(*whole.operand.access);
  access.rank = 1;
  access.dims[0] = {1, static_cast<std::uint32_t>(count)};
  PlacedAccess result = whole;
  result.operand.access = &access;
  result.operand.effect = effect;
  result.offset += static_cast<std::int64_t>(
      first * isa::sizeInBytes(whole.operand.access->dtype));
  return result;
}

const PlacedAccess &find(const std::vector<PlacedAccess> &accesses,
                         std::string_view name) {
  return *std::find_if(
      accesses.begin(), accesses.end(),
      [&](const PlacedAccess &placed) { return placed.operand.name == name; });
}

} // namespace

void setCountedAccesses(PeerOp &op, std::size_t member,
                        const std::vector<CountedPiece> &pieces,
                        const std::vector<PlacedAccess> &all) {
  const PlacedAccess &src = find(all, "srcs");
  const PlacedAccess &dst = find(all, "dsts");
  for (const CountedPiece &piece : pieces) {
    if (piece.count > 0 && piece.from == member)
      op.reads.push_back(
          part(op, src, isa::Effect::read, piece.source, piece.count));
    if (piece.count > 0 && piece.to == member)
      op.writes.push_back(
          part(op, dst, isa::Effect::write, piece.target, piece.count));
  }
  const std::size_t columns = op.members.size();
  if (!flagsOf(op).countsKnown)
    op.writes.push_back(part(op, find(all, "metadata_tensor"),
                             isa::Effect::write, receiveCount * columns,
                             columns));
}

std::vector<PlacedAccess> metadataReads(PeerOp &op,
                                        const std::vector<PlacedAccess> &all) {
  if (!op.metadata)
    return {};
  const Flags flags = flagsOf(op);
  const PlacedAccess &table = find(all, "metadata_tensor");
  const std::size_t columns = op.members.size();
  std::vector<PlacedAccess> reads;
  for (const MetadataRow row : {sendCount, sendPlace})
    reads.push_back(part(op, table, isa::Effect::read, row * columns,
                         flags.broadcasts ? 1 : columns));
  if (flags.hasPlaces)
    reads.push_back(
        part(op, table, isa::Effect::read, receivePlace * columns, columns));
  return reads;
}

std::optional<WrongMember> findPieces(std::span<PeerOp *const> members,
                                      std::vector<CountedPiece> &pieces) {
  std::vector<Table> tables;
  for (const PeerOp *op : members)
    tables.emplace_back(*op);
  for (std::size_t to = 0; to < members.size(); ++to) {
    const PeerOp &receiver = *members[to];
    const Flags flags = flagsOf(receiver);
    const std::uint64_t room = receiver.dsts.front().elements();
    const std::uint64_t slot = room / members.size();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t from = 0; from < members.size(); ++from) {
      const std::size_t column = flags.broadcasts ? 0 : to;
      CountedPiece piece{from, to, tables[from].at(sendPlace, column),
                         flags.hasPlaces ? tables[to].at(receivePlace, from)
                                         : from * slot,
                         tables[from].at(sendCount, column)};
      const std::uint64_t given = members[from]->srcs.front().elements();
      if (piece.source + piece.count > given)
        return WrongMember{
            from, fmt::format("sends elements {} to {} of srcs to rank {}, but "
                              "srcs has {}; correct column {} of its metadata",
                              piece.source, piece.source + piece.count,
                              receiver.members[to], given, column)};
      const std::uint64_t limit = flags.hasPlaces ? room : piece.target + slot;
      if (piece.target + piece.count > limit)
        return WrongMember{
            to,
            fmt::format("receives {} elements from rank {} at element {} of "
                        "dsts, where {} have room; correct the counts or give "
                        "a larger dst",
                        piece.count, receiver.members[from], piece.target,
                        limit > piece.target ? limit - piece.target : 0)};
      if (piece.count > 0)
        taken.emplace_back(piece.target, piece.target + piece.count);
      pieces.push_back(piece);
    }
    std::sort(taken.begin(), taken.end());
    for (std::size_t i = 1; i < taken.size(); ++i)
      if (taken[i].first < taken[i - 1].second)
        return WrongMember{
            to, fmt::format("receives two pieces at element {} of dsts; give "
                            "receive displacements that keep them apart",
                            taken[i].first)};
  }
  return std::nullopt;
}

} // namespace kiln::sim
