//===- PeerSide.h - Where a core meets other cores ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_PEERSIDE_H
#define KILN_SIM_LIB_TIMING_PEERSIDE_H

#include "Accounts.h"
#include "PeerWaits.h"

#include "kiln/isa/diagnostic.h"

#include <array>
#include <optional>
#include <vector>

namespace kiln::sim::timing {

class Core;
class DmaSide;
class Sequencer;
class World;

/// Tells the world that a core has arrived at a meeting.
class PeerSide {
public:
  /// The world tells `core` when all have arrived.
  PeerSide(const CoreSettings &settings, Core &core, World &world,
           Accounts &accounts, std::optional<isa::Diagnostic> &error);

  /// The head of `sequencer`, a transfer that others join, takes its place in
  /// its queue at `time` and waits there.
  void meet(const Sequencer &sequencer, const machine::DmaPlan &own,
            Picoseconds time, DmaSide &dma);
  /// The head, a barrier, waits from `since` on.
  void waitAtBarrier(const Sequencer &sequencer, Picoseconds since);
  /// Since when `engine` has waited at the barrier that it passes now.
  Picoseconds waitedSince(isa::Engine engine) const {
    return barriers[numberOf(engine)];
  }
  bool isOwn(const Producer &member) const {
    return member.core == settings.number;
  }

private:
  using Counts = std::vector<std::uint32_t>;
  bool findCounts(const Sequencer &sequencer, std::size_t members,
                  const Counts *&sent);

  const CoreSettings &settings;
  Core &core;
  World &world;
  Accounts &accounts;
  std::optional<isa::Diagnostic> &error;
  /// Collectives so far of which a table says what is sent, by stream.
  std::array<std::size_t, isa::numEngines> tables{};
  std::array<Picoseconds, isa::numEngines> barriers{};
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_PEERSIDE_H
