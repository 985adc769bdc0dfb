//===- PeerOp.cpp - An instruction that meets others ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerOp.h"

#include "kiln/isa/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::sim {

namespace {

std::string typeOf(const View &view) {
  return view.space == isa::Space::hbm
             ? fmt::format("{} {}", view.elements(), isa::name(view.dtype))
             : fmt::format("{} x {} {}", view.lanes, view.elements(),
                           isa::name(view.dtype));
}

std::optional<std::string> disagreementOf(const std::vector<View> &first,
                                          const std::vector<View> &second,
                                          std::string_view what,
                                          bool sizesMayDiffer) {
  if (first.size() != second.size())
    return fmt::format("{} {} and {}", what, first.size(), second.size());
  for (std::size_t k = 0; k < first.size(); ++k)
    if (first[k].dtype != second[k].dtype ||
        (!sizesMayDiffer && (first[k].elements() != second[k].elements() ||
                             first[k].lanes != second[k].lanes ||
                             (first[k].space == isa::Space::hbm) !=
                                 (second[k].space == isa::Space::hbm))))
      return fmt::format("{} of {} and of {}", what, typeOf(first[k]),
                         typeOf(second[k]));
  return std::nullopt;
}

template <class T>
bool sameField(const isa::Body &first, const isa::Body &second,
               std::string_view name) {
  const T *a = fieldOf<T>(first, name);
  const T *b = fieldOf<T>(second, name);
  return !a || !b || *a == *b;
}

/// A rank that is not a source sends nothing; one that is not a target gets
/// nothing.
bool takesPart(const PeerOp &op, unsigned rank, bool asSource) {
  const auto *permute = std::get_if<isa::CollectivePermute>(op.body);
  if (!permute)
    return true;
  return std::any_of(permute->source_target_pairs.begin(),
                     permute->source_target_pairs.end(), [&](const auto &pair) {
                       return static_cast<unsigned>(pair[asSource ? 0 : 1]) ==
                              rank;
                     });
}

} // namespace

isa::Expected<PeerOp> makePeerOp(const isa::Body &body, const CoreId &id,
                                 const std::vector<PlacedAccess> &accesses,
                                 Memory &memory) {
  const auto refuse = [](std::string text) {
    return isa::makeError(code::mismatch, std::move(text));
  };
  PeerOp op;
  op.body = &body;
  const auto *pair = std::get_if<isa::Sendrecv>(&body);
  if (pair && pair->send_to_rank != pair->recv_from_rank)
    return refuse(
        fmt::format("sends to core {} and receives from core {}; with two "
                    "cores, both must be the other core, or both this one",
                    pair->send_to_rank, pair->recv_from_rank));
  std::optional<PeerGroup> group = peerGroupOf(body, id);
  if (!group)
    return refuse(
        fmt::format("runs on rank {}, which is not in any list of its replica "
                    "group; name every rank of the launch in the group",
                    id.rank));
  if (pair && group->members.size() > 1 && !id.severalCores)
    return refuse(fmt::format("sends to core {}, but the launch has one core "
                              "per rank; compile the kernel for two cores",
                              pair->send_to_rank));
  static_cast<PeerGroup &>(op) = std::move(*group);
  for (const PlacedAccess &placed : accesses) {
    const View view = memory.view(*placed.operand.access, placed.offset);
    const std::string_view name = placed.operand.name;
    if (name == "metadata_tensor")
      op.metadata = view;
    else if (name == "prepared" && isTrigger(body))
      op.table = view;
    else if (name == "prepared" || name.starts_with("dst"))
      op.dsts.push_back(view);
    else if (name == "srcs1")
      op.srcs1.push_back(view);
    else
      op.srcs.push_back(view);
  }
  if (!op.table)
    op.table = op.metadata;
  if (!op.metadata)
    for (const PlacedAccess &placed : accesses) {
      const bool isRead = placed.operand.effect == isa::Effect::read;
      if (takesPart(op, id.rank, isRead))
        (isRead ? op.reads : op.writes).push_back(placed);
    }
  return op;
}

std::optional<std::string> disagreement(const PeerOp &first,
                                        const PeerOp &second) {
  const isa::Body &a = *first.body;
  const isa::Body &b = *second.body;
  if (isa::opcode(a) != isa::opcode(b))
    return fmt::format("{} and {}", isa::mnemonic(isa::opcode(a)),
                       isa::mnemonic(isa::opcode(b)));
  if (!sameField<isa::AluOp>(a, b, "op"))
    return "different operators";
  if (!sameField<std::int32_t>(a, b, "collective_dim"))
    return "different values of collective_dim";
  if (!sameField<bool>(a, b, "recv_counts_known") ||
      !sameField<bool>(a, b, "has_rdispls"))
    return "different kinds of metadata";
  if (isa::isOneOf<isa::Sendrecv>(a)) {
    if (auto text =
            disagreementOf(first.srcs, second.dsts, "src and dst", false))
      return text;
    return disagreementOf(second.srcs, first.dsts, "src and dst", false);
  }
  const bool counted = first.metadata.has_value();
  if (auto text = disagreementOf(first.srcs, second.srcs, "srcs", counted))
    return text;
  return disagreementOf(first.dsts, second.dsts, "dsts", counted);
}

} // namespace kiln::sim
