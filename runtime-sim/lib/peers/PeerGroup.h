//===- PeerGroup.h - Which cores an instruction meets --------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_PEERS_PEERGROUP_H
#define KILN_SIM_LIB_PEERS_PEERGROUP_H

#include "../Faults.h"

#include "kiln/isa/meeting.h"

#include <compare>
#include <optional>
#include <vector>

namespace kiln::sim {

/// Which instructions meet each other: the n-th of one core with this key the
/// n-th of every other.
struct PeerKey {
  enum class Kind : std::uint8_t { barrier, pipe, lists };
  Kind kind = Kind::lists;
  /// Of a barrier and a pipe the rank; of lists the core: the same core of
  /// every rank.
  unsigned scope = 0;
  std::vector<std::int32_t> numbers; ///< The pipe, or the ranks.
  auto operator<=>(const PeerKey &) const = default;
};

/// The cores that an instruction meets, itself among them.
struct PeerGroup {
  PeerKey key;
  /// Ranks (of a barrier or a pipe: cores), in the order of the list.
  std::vector<unsigned> members;
  unsigned self = 0; ///< Its own place among the members.

  /// The number in the launch of the core at a place.
  std::size_t numberOf(std::size_t place, std::size_t coresOfRank) const {
    return key.kind == PeerKey::Kind::lists
               ? members[place] * coresOfRank + key.scope
               : key.scope * coresOfRank + members[place];
  }
};

/// Its peers; nothing if there are none, or if this rank is in no list.
std::optional<PeerGroup> peerGroupOf(const isa::Body &body, const CoreId &id);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_PEERS_PEERGROUP_H
