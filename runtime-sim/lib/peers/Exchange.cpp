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

using Bytes = std::vector<std::uint8_t>;

Bytes collect(const View &view) {
  const std::uint64_t row = view.elements() * view.layout.elementBytes;
  Bytes dense(row * view.lanes);
  for (unsigned p = 0; p < view.lanes; ++p)
    gather(view, p, dense.data() + p * row);
  return dense;
}

void spread(const std::uint8_t *dense, const View &view) {
  const std::uint64_t row = view.elements() * view.layout.elementBytes;
  for (unsigned p = 0; p < view.lanes; ++p)
    scatter(dense + p * row, view, p);
}

/// One meeting. `sources[m][k]` are the dense bytes of tensor k of member m.
class Exchange {
public:
  Exchange(std::span<PeerOp *const> members, const Kernels &kernels,
           Converter &converter)
      : members(members), kernels(kernels), converter(converter) {
    for (const PeerOp *op : members) {
      std::vector<Bytes> &mine = sources.emplace_back();
      for (const View &view : op->srcs)
        mine.push_back(collect(view));
      std::vector<Bytes> &others = second.emplace_back();
      for (const View &view : op->srcs1)
        others.push_back(collect(view));
    }
  }

  void run(const isa::AllReduce &op) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      const Bytes sum = reduced(k, op.op, 0, elements(sources[0][k], k));
      for (PeerOp *member : members)
        spread(sum.data(), member->dsts[k]);
    }
  }
  void run(const isa::ReduceScatter &op) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      const std::size_t part = elements(sources[0][k], k) / members.size();
      for (std::size_t m = 0; m < members.size(); ++m)
        spread(reduced(k, op.op, m * part, part).data(), members[m]->dsts[k]);
    }
  }
  void run(const isa::AllGather &op) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      // Rows: one of a tensor in HBM, and where the partitions are what is
      // concatenated; else one for each partition.
      const View &first = members[0]->dsts[k];
      const std::size_t rows = op.collective_dim == 0 ? 1 : first.lanes;
      const std::size_t piece = sources[0][k].size() / rows;
      Bytes all(piece * rows * members.size());
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t m = 0; m < members.size(); ++m)
          std::memcpy(all.data() + (row * members.size() + m) * piece,
                      sources[m][k].data() + row * piece, piece);
      for (PeerOp *member : members)
        spread(all.data(), member->dsts[k]);
    }
  }
  void run(const isa::AllToAll &) {
    for (std::size_t k = 0; k < tensors(); ++k) {
      const std::size_t part = sources[0][k].size() / members.size();
      Bytes all(sources[0][k].size());
      for (std::size_t to = 0; to < members.size(); ++to) {
        for (std::size_t from = 0; from < members.size(); ++from)
          std::memcpy(all.data() + from * part,
                      sources[from][k].data() + to * part, part);
        spread(all.data(), members[to]->dsts[k]);
      }
    }
  }
  void run(const isa::AllGatherV &op) { moveCounted(op.recv_counts_known); }
  void run(const isa::AllToAllV &op) { moveCounted(op.recv_counts_known); }
  void run(const isa::CollectivePermute &op) {
    for (const auto &pair : op.source_target_pairs) {
      const auto from = placeOf(pair[0]), to = placeOf(pair[1]);
      if (from < members.size() && to < members.size())
        spread(sources[from][0].data(), members[to]->dsts[0]);
    }
  }
  void run(const isa::CollectivePermuteImplicit &) {
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t k = 0; k < tensors(); ++k)
        spread(sources[m][k].data(), successor(m).dsts[k]);
  }
  void run(const isa::CollectivePermuteImplicitReduce &op) {
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t k = 0; k < tensors(); ++k) {
        const Bytes made =
            fold({&sources[m][k], &second[m][k]}, members[m]->dsts[k].dtype,
                 op.op, 0, elements(sources[m][k], k));
        spread(made.data(), successor(m).dsts[k]);
      }
  }
  void run(const isa::Sendrecv &) {
    for (std::size_t m = 0; m < members.size(); ++m)
      spread(sources[members.size() - 1 - m][0].data(), members[m]->dsts[0]);
  }

private:
  std::size_t tensors() const { return members[0]->srcs.size(); }
  std::size_t elements(const Bytes &bytes, std::size_t k) const {
    return bytes.size() / members[0]->srcs[k].layout.elementBytes;
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

  /// Elements [first, first + count), in fp32 from the first operand to the
  /// last, then cast.
  Bytes fold(const std::vector<const Bytes *> &operands, isa::DType dtype,
             isa::AluOp op, std::size_t first, std::size_t count) {
    const std::size_t width = isa::sizeInBytes(dtype);
    std::vector<float> sum(count), next(count);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      converter.widen(dtype, operands[i]->data() + first * width,
                      i == 0 ? sum.data() : next.data(), count);
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
    std::vector<const Bytes *> operands;
    for (const std::vector<Bytes> &mine : sources)
      operands.push_back(&mine[k]);
    return fold(operands, members[0]->srcs[k].dtype, op, first, count);
  }

  void moveCounted(bool countsKnown) {
    std::vector<CountedPiece> pieces;
    findPieces(members, pieces);
    const std::size_t width = members[0]->srcs[0].layout.elementBytes;
    for (std::size_t m = 0; m < members.size(); ++m) {
      Bytes all = collect(members[m]->dsts[0]);
      std::vector<std::uint32_t> table(members[m]->metadata->elements());
      gather(*members[m]->metadata, 0, table.data());
      for (const CountedPiece &piece : pieces) {
        if (piece.to != m)
          continue;
        std::memcpy(all.data() + piece.target * width,
                    sources[piece.from][0].data() + piece.source * width,
                    piece.count * width);
        if (!countsKnown)
          table[2 * members.size() + piece.from] =
              static_cast<std::uint32_t>(piece.count);
      }
      spread(all.data(), members[m]->dsts[0]);
      scatter(table.data(), *members[m]->metadata, 0);
    }
  }

  std::span<PeerOp *const> members;
  const Kernels &kernels;
  Converter &converter;
  std::vector<std::vector<Bytes>> sources, second;
};

} // namespace

void exchange(std::span<PeerOp *const> members, const Kernels &kernels,
              Converter &converter) {
  Exchange meeting(members, kernels, converter);
  std::visit(
      [&](const auto &op) {
        if constexpr (requires { meeting.run(op); })
          meeting.run(op);
      },
      *members.front()->body);
}

} // namespace kiln::sim
