//===- Counted.cpp - Transfers whose sizes are in memory ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerOp.h"

#include "kiln/isa/fields.h"
#include "kiln/isa/info.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

struct Flags {
  bool broadcasts = false; ///< all_gather_v: column 0 is for every rank.
  bool reduces = false;    ///< reduce_scatter_v: all pieces for one make one.
  bool countsKnown = false;
  bool hasPlaces = false; ///< Of what is received.
};

Flags flagsOf(const PeerOp &op) {
  const isa::Opcode opcode = isa::opcode(*op.body);
  const auto isSet = [&](std::string_view name) {
    const bool *flag = fieldOf<bool>(*op.body, name);
    return flag && *flag;
  };
  return {isa::gathersCounted(opcode), opcode == isa::Opcode::ReduceScatterV,
          isSet("recv_counts_known"), isSet("has_rdispls")};
}

class Table {
public:
  explicit Table(const PeerOp &op)
      : columns(op.members.size()), values(op.table->elements()) {
    gather(*op.table, 0, values.data());
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

struct Elements {
  std::uint64_t first = 0, count = 0;
};

/// The rows that a collective needs in a table of `ranks` columns.
std::vector<Elements> askedElements(const PeerOp &op, std::size_t ranks) {
  const Flags flags = flagsOf(op);
  std::vector<Elements> asked;
  for (const MetadataRow row : {sendCount, sendPlace})
    asked.push_back({row * ranks, flags.broadcasts ? 1 : ranks});
  if (flags.hasPlaces)
    asked.push_back({receivePlace * ranks, ranks});
  return asked;
}

/// Ranks of the list that a preparation is for.
std::size_t columnsOf(const PeerOp &preparation) {
  return rankListsOf(*preparation.body)->front().size();
}

/// Why the contribution of `from` to the sum of `to` differs from that of the
/// first member.
std::optional<WrongMember> findOtherCount(std::span<PeerOp *const> members,
                                          const std::vector<Table> &tables,
                                          std::size_t to) {
  const std::uint64_t first = tables[0].at(sendCount, to);
  for (std::size_t from = 1; from < members.size(); ++from)
    if (const auto count = tables[from].at(sendCount, to); count != first) {
      const std::vector<unsigned> &ranks = members[to]->members;
      return WrongMember{
          from,
          fmt::format("gives {} elements to the sum of rank {}, to which rank "
                      "{} gives {}; give the same count in column {}",
                      count, ranks[to], ranks[0], first, to)};
    }
  return std::nullopt;
}

} // namespace

void setPreparedAccesses(PeerOp &op, const std::vector<PlacedAccess> &all) {
  const PlacedAccess &table = find(all, "metadata_tensor");
  const PlacedAccess &kept = find(all, "prepared");
  for (const Elements &asked : askedElements(op, columnsOf(op))) {
    op.reads.push_back(
        part(op, table, isa::Effect::read, asked.first, asked.count));
    op.writes.push_back(
        part(op, kept, isa::Effect::write, asked.first, asked.count));
  }
}

void keepTable(PeerOp &op) {
  std::vector<std::uint32_t> values(op.table->elements());
  gather(*op.table, 0, values.data());
  for (const Elements &asked : askedElements(op, columnsOf(op))) {
    const auto *first =
        reinterpret_cast<const std::uint8_t *>(&values[asked.first]);
    op.landings.push_back(
        {&op.dsts.front(), asked.first, asked.count,
         std::make_shared<const Bytes>(
             first, first + asked.count * sizeof(std::uint32_t))});
  }
}

void setCountedAccesses(PeerOp &op, std::size_t member,
                        const std::vector<CountedPiece> &pieces,
                        const std::vector<PlacedAccess> &all) {
  const PlacedAccess &src = find(all, "srcs");
  const PlacedAccess &dst = find(all, "dsts");
  for (const CountedPiece &piece : pieces) {
    if (piece.count > 0 && piece.from == member)
      op.reads.push_back(
          part(op, src, isa::Effect::read, piece.source, piece.count));
    // A sum is written once.
    if (piece.count > 0 && piece.to == member &&
        (piece.from == 0 || !flagsOf(op).reduces))
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
  const PlacedAccess &table =
      find(all, isTrigger(*op.body) ? "prepared" : "metadata_tensor");
  std::vector<PlacedAccess> reads;
  for (const Elements &asked : askedElements(op, op.members.size()))
    reads.push_back(
        part(op, table, isa::Effect::read, asked.first, asked.count));
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
    const std::uint64_t slot = flags.reduces ? room : room / members.size();
    if (flags.reduces)
      if (auto wrong = findOtherCount(members, tables, to))
        return wrong;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t from = 0; from < members.size(); ++from) {
      const std::size_t column = flags.broadcasts ? 0 : to;
      CountedPiece piece{from, to, tables[from].at(sendPlace, column),
                         flags.hasPlaces ? tables[to].at(receivePlace, from)
                         : flags.reduces ? 0
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
      if (piece.count > 0 && !flags.reduces)
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
