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

#include "../PlacedAccess.h"
#include "../function/Rows.h"

#include "kiln/isa/diagnostic.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::sim {

using Bytes = std::vector<std::uint8_t>;

/// Values that a member receives, from an element of a destination on.
struct Landing {
  const View *place = nullptr;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::shared_ptr<const Bytes> values; ///< Those of others, too, perhaps.
};

/// A transfer between cores or ranks, at the addresses of its registers. A
/// member reads its sources and writes its destinations, each at one moment;
/// between the two, all members have arrived and have read.
struct PeerOp : PeerGroup {
  const isa::Body *body = nullptr;
  std::vector<View> srcs, srcs1, dsts;
  std::optional<View> metadata; ///< Where the receive counts are.
  std::optional<View> table;    ///< Where the rest is: there, or kept.
  std::size_t record = 0;       ///< With metadata: its place in SentCounts.
  /// What it really reads and writes. With metadata, that is known when all
  /// have arrived, and `parts` holds it.
  std::vector<PlacedAccess> reads, writes;
  std::deque<isa::Access> parts;

  bool isRead = false;
  std::vector<Bytes> sent, sent1; ///< By tensor, dense, once it is read.
  bool isMade = false;
  std::vector<Landing> landings; ///< Once it is made.
  bool clean = false;            ///< No NaN is sent, if that is checked.
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

/// Rows of a metadata tensor.
enum MetadataRow : unsigned {
  sendCount,
  sendPlace,
  receiveCount,
  receivePlace
};

/// What a transfer reads in order to know what to move: its metadata. `all`
/// are its operands at their places.
std::vector<PlacedAccess> metadataReads(PeerOp &op,
                                        const std::vector<PlacedAccess> &all);

/// What a preparation reads and writes: the parts of the table that its trigger
/// needs.
void setPreparedAccesses(PeerOp &op, const std::vector<PlacedAccess> &all);
/// And what it writes.
void keepTable(PeerOp &op);

/// What one member of a collective with tables sends to one other.
struct CountedPiece {
  std::size_t from = 0, to = 0; ///< Members.
  std::uint64_t source = 0;     ///< First element in the source.
  std::uint64_t target = 0;     ///< First element in the destination.
  std::uint64_t count = 0;
};

/// The pieces that the members' metadata asks for, or why they fit nowhere.
std::optional<WrongMember> findPieces(std::span<PeerOp *const> members,
                                      std::vector<CountedPiece> &pieces);

/// Sets what member number `member` reads and writes because of its metadata.
void setCountedAccesses(PeerOp &op, std::size_t member,
                        const std::vector<CountedPiece> &pieces,
                        const std::vector<PlacedAccess> &all);

/// Copies the sources as they are now.
void takeSources(PeerOp &op);

/// Makes what the members of a complete meeting receive; all sources have been
/// taken, and are given up. Members are in the order of the list.
void makeLandings(std::span<PeerOp *const> members,
                  const std::vector<CountedPiece> &pieces,
                  const Kernels &kernels, Converter &converter);

/// Writes what a member receives.
void land(PeerOp &op);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_PEERS_PEEROP_H
