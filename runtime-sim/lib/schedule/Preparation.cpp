//===- Preparation.cpp - A collective that waits for its trigger ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparation.h"

#include "CoreContext.h"

#include "kiln/isa/fields.h"

#include <fmt/format.h>

namespace kiln::sim {

namespace {

/// "all_to_all_v" of its two parts.
std::string_view wholeOf(const isa::Body &body) {
  const std::string_view mnemonic = isa::mnemonic(isa::opcode(body));
  return mnemonic.substr(0, mnemonic.rfind('_'));
}

} // namespace

std::optional<std::string> Preparation::issue(const CoreContext &core,
                                              isa::Engine engine,
                                              std::uint32_t index,
                                              const PeerOp &op) {
  if (isPreparation(*op.body)) {
    if (room)
      return fmt::format("prepares a collective while that of {} is not "
                         "triggered; a core has room for one, so trigger that "
                         "one first",
                         nameOf(core.party(room->engine, room->index)));
    room = Room{engine, index, op.body, op.dsts.front().lane(0),
                op.metadata->lane(0)};
  } else if (isTrigger(*op.body)) {
    if (!room)
      return "triggers a collective that is not prepared; prepare it before, "
             "once for each trigger";
    if (const auto what = difference(*room, op))
      return fmt::format("triggers a different collective than {} has "
                         "prepared: its {}; prepare and trigger the same one",
                         nameOf(core.party(room->engine, room->index)), *what);
    room.reset();
  }
  return std::nullopt;
}

std::optional<std::string> Preparation::difference(const Room &prepared,
                                                   const PeerOp &trigger) {
  const isa::Body &first = *prepared.body, &second = *trigger.body;
  if (wholeOf(first) != wholeOf(second))
    return fmt::format("kind is {}, not {}", wholeOf(second), wholeOf(first));
  if (*rankListsOf(first) != *rankListsOf(second))
    return "replica_group differs";
  for (const std::string_view name : {"recv_counts_known", "has_rdispls"})
    if (*fieldOf<bool>(first, name) != *fieldOf<bool>(second, name))
      return fmt::format("{} differs", name);
  if (prepared.kept != trigger.table->lane(0))
    return "prepared is at a different place";
  if (prepared.metadata != trigger.metadata->lane(0))
    return "metadata_tensor is at a different place";
  return std::nullopt;
}

std::optional<Fault> Preparation::findLeft(const CoreContext &core) const {
  if (!room)
    return std::nullopt;
  const FaultParty self = core.party(room->engine, room->index);
  Fault fault = makeFault(FaultKind::outOfTurn, code::outOfTurn,
                          nameOf(self) + " prepares a collective that is never "
                                         "triggered; trigger it, or remove "
                                         "the preparation");
  involve(fault, self);
  return fault;
}

} // namespace kiln::sim
