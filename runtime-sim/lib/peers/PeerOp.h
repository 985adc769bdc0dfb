//===- PeerOp.h - An instruction that meets others ------------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_PEERS_PEEROP_H
#define KILN_SIM_LIB_PEERS_PEEROP_H

#include "PeerGroup.h"

#include "../checks/Checker.h"
#include "../function/Rows.h"

#include "kiln/isa/diagnostic.h"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::sim {

/// A transfer between cores or ranks, at the addresses of its registers.
struct PeerOp : PeerGroup {
  const isa::Body *body = nullptr;
  std::vector<View> srcs, srcs1, dsts;
  std::optional<View> metadata;
  /// What it really reads and writes, where that is less than its operands;
  /// known when it moves.
  std::deque<isa::Access> parts;
};

/// The operation that a core's instruction stands for, or why it has none: "is
/// in no list". `accesses` are its operands at their places.
isa::Expected<PeerOp> makePeerOp(const isa::Body &body, const CoreId &id,
                                 const std::vector<PlacedAccess> &accesses,
                                 Memory &memory);

/// Why two members of one meeting do not agree, or nothing.
std::optional<std::string> disagreement(const PeerOp &first,
                                        const PeerOp &second);

/// What is wrong with a member of a meeting.
struct WrongMember {
  std::size_t member = 0;
  std::string text;
};

/// What a transfer reads in order to know what to move: its metadata.
std::vector<PlacedAccess> metadataReads(PeerOp &op,
                                        const std::vector<PlacedAccess> &all);

/// Leaves in the accesses of each member what it really reads and writes.
std::optional<WrongMember>
narrowAccesses(std::span<PeerOp *const> members,
               std::span<std::vector<PlacedAccess> *const> accesses);

/// What one member of an all_gather_v or all_to_all_v sends to one other.
struct CountedPiece {
  std::size_t from = 0, to = 0; ///< Members.
  std::uint64_t source = 0;     ///< First element in the source.
  std::uint64_t target = 0;     ///< First element in the destination.
  std::uint64_t count = 0;
};

/// The pieces that the members' metadata asks for, or why they fit nowhere.
std::optional<WrongMember> findPieces(std::span<PeerOp *const> members,
                                      std::vector<CountedPiece> &pieces);

/// Moves the values of a meeting that is complete and whose metadata, if it
/// has some, is right. Members are in the order of the list. All sources are
/// read before anything is written.
void exchange(std::span<PeerOp *const> members, const Kernels &kernels,
              Converter &converter);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_PEERS_PEEROP_H
