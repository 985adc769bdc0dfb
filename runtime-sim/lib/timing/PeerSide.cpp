//===- PeerSide.cpp - Where a core meets other cores ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerSide.h"

#include "World.h"

#include "kiln/isa/noun.h"

#include <fmt/format.h>

namespace kiln::sim::timing {

PeerSide::PeerSide(const CoreSettings &settings, Core &core, World &world,
                   Accounts &accounts, std::optional<isa::Diagnostic> &error)
    : settings(settings), core(core), world(world), accounts(accounts),
      error(error) {}

/// Finds the counts in the table of the head; `sent` stays null if they are not
/// known. False if they should be known and are not.
bool PeerSide::findCounts(const Sequencer &sequencer, std::size_t members,
                          const Counts *&sent) {
  if (!settings.sentCounts) {
    accounts.countFullBuffers();
    return true;
  }
  const auto &known = (*settings.sentCounts)[numberOf(sequencer.engine)];
  std::size_t &next = tables[numberOf(sequencer.engine)];
  if (next == known.size() || known[next].size() != members) {
    error = sequencer.fault(
        "KILN-X203",
        fmt::format("collective number {} with a table of the {} stream has no "
                    "counts for {}; run with values to supply them",
                    next, isa::name(sequencer.engine),
                    isa::counted(members, "rank")));
    return false;
  }
  sent = &known[next++];
  return true;
}

void PeerSide::meet(const Sequencer &sequencer, const machine::DmaPlan &own,
                    Picoseconds time, DmaSide &dma) {
  const isa::Body &body = sequencer.head().body;
  const std::optional<PeerGroup> group = peerGroupOf(body, settings.id);
  if (!group) {
    error = sequencer.fault(
        "KILN-X015", "the rank is not in any list of the replica group; name "
                     "every rank of the launch in it");
    return;
  }
  const Counts *sent = nullptr;
  if (hasTable(body) && !findCounts(sequencer, group->members.size(), sent))
    return;
  const Producer self = sequencer.self();
  world.arrive(*group, body,
               {&core, settings.number, self.engine, self.index, time,
                dma.hold(self, own.queue, time), &own, sent});
}

void PeerSide::waitAtBarrier(const Sequencer &sequencer, Picoseconds since) {
  barriers[numberOf(sequencer.engine)] = since;
  const isa::Body &body = sequencer.head().body;
  const Producer self = sequencer.self();
  world.arrive(*peerGroupOf(body, settings.id), body,
               {&core,
                settings.number,
                self.engine,
                self.index,
                since,
                {},
                nullptr,
                nullptr});
}

} // namespace kiln::sim::timing
