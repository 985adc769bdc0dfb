//===- Exchange.cpp - The values that ranks exchange ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerOp.h"

#include <algorithm>
#include <cstring>

namespace kiln::sim {

namespace {

using Values = std::shared_ptr<const Bytes>;

Bytes collect(const View &view) {
  const std::uint64_t row = view.elements() * view.layout.elementBytes;
  Bytes dense(row * view.lanes);
  for (unsigned p = 0; p < view.lanes; ++p)
    gather(view, p, dense.data() + p * row);
  return dense;
}

/// One meeting. `sent[k]` of a member are the dense bytes of its tensor k.
class Exchange {
public:
  Exchange(std::span<PeerOp *const> members,
           const std::vector<CountedPiece> &pieces, const Kernels &kernels,
           Converter &converter)
      : members(members), pieces(pieces), kernels(kernels),
        converter(converter) {}

  void run(const isa::AllReduce &op) {
    for (std::size_t k = 0; k < tensors(); ++k)
      giveAll(k, reduced(k, op.op, 0, elements(k)));
  }
  void run(const isa::ReduceScatter &op) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      const std::size_t part = elements(k) / members.size();
      for (std::size_t m = 0; m < members.size(); ++m)
        give(*members[m], k, reduced(k, op.op, m * part, part));
    }
  }
  void run(const isa::AllGather &op) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      // Rows: one of a tensor in HBM, and where the partitions are what is
      // concatenated; else one for each partition.
      const View &first = members[0]->dsts[k];
      const std::size_t rows = op.collective_dim == 0 ? 1 : first.lanes;
      const std::size_t piece = sent(0, k).size() / rows;
      Bytes all(piece * rows * members.size());
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t m = 0; m < members.size(); ++m)
          std::memcpy(all.data() + (row * members.size() + m) * piece,
                      sent(m, k).data() + row * piece, piece);
      giveAll(k, std::move(all));
    }
  }
  void run(const isa::AllToAll &) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      const std::size_t part = sent(0, k).size() / members.size();
      for (std::size_t to = 0; to < members.size(); ++to) {
        Bytes all(sent(0, k).size());
        for (std::size_t from = 0; from < members.size(); ++from)
          std::memcpy(all.data() + from * part,
                      sent(from, k).data() + to * part, part);
        give(*members[to], k, std::move(all));
      }
    }
  }
  void run(const isa::AllGatherV &op) { giveCounted(op.recv_counts_known); }
  void run(const isa::AllToAllV &op) { giveCounted(op.recv_counts_known); }
  void run(const isa::AllGatherVTrigger &op) {
    giveCounted(op.recv_counts_known);
  }
  void run(const isa::AllToAllVTrigger &op) {
    giveCounted(op.recv_counts_known);
  }
  void run(const isa::AllGatherVPrepare &) { keepTable(*members[0]); }
  void run(const isa::AllToAllVPrepare &) { keepTable(*members[0]); }
  void run(const isa::ReduceScatterV &op) {
    giveReduced(op.op);
    if (!op.recv_counts_known)
      giveCounts();
  }
  void run(const isa::CollectivePermute &op) {
    for (const auto &pair : op.source_target_pairs) {
      const auto from = placeOf(pair[0]), to = placeOf(pair[1]);
      if (from < members.size() && to < members.size())
        give(*members[to], 0, Bytes(sent(from, 0)));
    }
  }
  void run(const isa::CollectivePermuteImplicit &) {
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t k = 0; k < tensors(); ++k)
        give(successor(m), k, std::move(members[m]->sent[k]));
  }
  void run(const isa::CollectivePermuteImplicitReduce &op) {
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t k = 0; k < tensors(); ++k)
        give(successor(m), k,
             fold({sent(m, k).data(), members[m]->sent1[k].data()},
                  members[m]->dsts[k].dtype, op.op, elements(k)));
  }
  void run(const isa::Sendrecv &) {
    for (std::size_t m = 0; m < members.size(); ++m)
      give(*members[m], 0, std::move(members[members.size() - 1 - m]->sent[0]));
  }

private:
  std::size_t tensors() const { return members[0]->srcs.size(); }
  const Bytes &sent(std::size_t member, std::size_t k) const {
    return members[member]->sent[k];
  }
  std::size_t elements(std::size_t k) const {
    return members[0]->srcs[k].totalElements();
  }
  PeerOp &successor(std::size_t m) const {
    return *members[(m + 1) % members.size()];
  }
  std::size_t placeOf(std::int32_t rank) const {
    const std::vector<unsigned> &ranks = members[0]->members;
    return static_cast<std::size_t>(
        std::find(ranks.begin(), ranks.end(), static_cast<unsigned>(rank)) -
        ranks.begin());
  }

  static void give(PeerOp &op, std::size_t k, Values values) {
    const View &place = op.dsts[k];
    op.landings.push_back(
        {&place, 0, place.totalElements(), std::move(values)});
  }
  static void give(PeerOp &op, std::size_t k, Bytes values) {
    give(op, k, std::make_shared<const Bytes>(std::move(values)));
  }
  void giveAll(std::size_t k, Bytes values) {
    const auto all = std::make_shared<const Bytes>(std::move(values));
    for (PeerOp *member : members)
      give(*member, k, all);
  }

  /// `count` elements of each, in fp32 from the first operand to the last, then
  /// cast.
  Bytes fold(const std::vector<const std::uint8_t *> &operands,
             isa::DType dtype, isa::AluOp op, std::size_t count) {
    const std::size_t width = isa::sizeInBytes(dtype);
    std::vector<float> sum(count), next(count);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      converter.widen(dtype, operands[i], i == 0 ? sum.data() : next.data(),
                      count);
      if (i > 0)
        kernels.vv[static_cast<std::size_t>(op)](sum.data(), next.data(),
                                                 sum.data(), count);
    }
    converter.settle(sum.data(), count);
    Bytes result(count * width);
    converter.narrow(dtype, sum.data(), result.data(), count);
    return result;
  }
  Bytes reduced(std::size_t k, isa::AluOp op, std::size_t first,
                std::size_t count) {
    const isa::DType dtype = members[0]->srcs[k].dtype;
    std::vector<const std::uint8_t *> operands;
    for (const PeerOp *member : members)
      operands.push_back(member->sent[k].data() +
                         first * isa::sizeInBytes(dtype));
    return fold(operands, dtype, op, count);
  }

  void giveCounted(bool countsKnown) {
    const std::size_t width = members[0]->srcs[0].layout.elementBytes;
    for (const CountedPiece &piece : pieces) {
      if (piece.count == 0)
        continue;
      const auto begin = sent(piece.from, 0).begin() +
                         static_cast<std::ptrdiff_t>(piece.source * width);
      PeerOp &to = *members[piece.to];
      to.landings.push_back({&to.dsts[0], piece.target, piece.count,
                             std::make_shared<const Bytes>(
                                 begin, begin + static_cast<std::ptrdiff_t>(
                                                    piece.count * width))});
    }
    if (!countsKnown)
      giveCounts();
  }

  /// Piece j of all makes what member j gets.
  void giveReduced(isa::AluOp op) {
    const isa::DType dtype = members[0]->srcs[0].dtype;
    for (std::size_t to = 0; to < members.size(); ++to) {
      std::vector<const std::uint8_t *> operands;
      std::uint64_t count = 0;
      for (const CountedPiece &piece : pieces)
        if (piece.to == to) {
          operands.push_back(sent(piece.from, 0).data() +
                             piece.source * isa::sizeInBytes(dtype));
          count = piece.count;
        }
      if (count > 0)
        members[to]->landings.push_back(
            {&members[to]->dsts[0], 0, count,
             std::make_shared<const Bytes>(fold(operands, dtype, op, count))});
    }
  }

  void giveCounts() {
    const std::size_t size = members.size();
    std::vector<std::vector<std::uint32_t>> counts(
        size, std::vector<std::uint32_t>(size));
    for (const CountedPiece &piece : pieces)
      counts[piece.to][piece.from] = static_cast<std::uint32_t>(piece.count);
    for (std::size_t m = 0; m < size; ++m) {
      Bytes row(size * sizeof(std::uint32_t));
      std::memcpy(row.data(), counts[m].data(), row.size());
      members[m]->landings.push_back(
          {&*members[m]->metadata, receiveCount * size, size,
           std::make_shared<const Bytes>(std::move(row))});
    }
  }

  std::span<PeerOp *const> members;
  const std::vector<CountedPiece> &pieces;
  const Kernels &kernels;
  Converter &converter;
};

} // namespace

void takeSources(PeerOp &op) {
  for (const View &view : op.srcs)
    op.sent.push_back(collect(view));
  for (const View &view : op.srcs1)
    op.sent1.push_back(collect(view));
}

void makeLandings(std::span<PeerOp *const> members,
                  const std::vector<CountedPiece> &pieces,
                  const Kernels &kernels, Converter &converter) {
  Exchange meeting(members, pieces, kernels, converter);
  std::visit(
      [&](const auto &op) {
        if constexpr (requires { meeting.run(op); })
          meeting.run(op);
      },
      *members.front()->body);
  for (PeerOp *member : members) {
    member->sent.clear();
    member->sent1.clear();
  }
}

void land(PeerOp &op) {
  for (const Landing &landing : op.landings) {
    const View &view = *landing.place;
    const std::uint64_t width = view.layout.elementBytes;
    const std::uint8_t *dense = landing.values->data();
    // A part of an operand without gaps.
    if (landing.count != view.totalElements()) {
      std::memcpy(view.lane(0) + landing.first * width, dense,
                  landing.count * width);
      continue;
    }
    for (unsigned p = 0; p < view.lanes; ++p)
      scatter(dense + p * view.elements() * width, view, p);
  }
  op.landings.clear();
}

} // namespace kiln::sim
