//===- World.h - The cores of a launch on one clock ----------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_WORLD_H
#define KILN_SIM_LIB_TIMING_WORLD_H

#include "../peers/Rendezvous.h"
#include "Core.h"
#include "HbmStack.h"
#include "Links.h"
#include "MeetingBounds.h"

#include "kiln/sim/launch.h"

#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace kiln::sim::timing {

/// The core with the earliest next event continues, until another core has an
/// earlier one or until it meets others. A meeting starts when the last member
/// has arrived.
class World {
public:
  World(const Launch &launch, const isa::Target &target,
        const LaunchTimingOptions &options);

  isa::Expected<LaunchTiming> run();

  /// A core has arrived at a barrier or a joint transfer.
  struct Arrival {
    Core *core = nullptr;
    std::size_t number = 0; ///< Of the core in the launch.
    std::uint8_t engine = 0;
    std::uint32_t index = 0;
    Picoseconds time = 0;
    DmaSide::Held held;                     ///< Of a transfer.
    const machine::DmaPlan *plan = nullptr; ///< Null at a barrier.
    /// What its table says, if that is known.
    const std::vector<std::uint32_t> *sent = nullptr;
  };
  void arrive(const PeerGroup &group, const isa::Body &body, Arrival arrival);

private:
  /// A collective whose bytes are on links.
  struct Carried {
    std::vector<Arrival> members;
    MeetingStart start;
    std::shared_ptr<const MeetingCost> cost;
    Picoseconds launched = 0;
  };

  isa::Diagnostic deadlock() const;
  void addSharedBounds(LaunchTiming &launch) const;
  void release(const Carried &collective, Picoseconds now, Picoseconds ready);
  void trace(const Arrival &member, const Carried &collective,
             const machine::DmaPlan &touch, Picoseconds now,
             Picoseconds ready) const;
  void carry(Carried collective, Picoseconds begin, const PeerKey &group);
  machine::MeetingRanks ranksOf(const PeerGroup &group) const;
  std::shared_ptr<const MeetingCost>
  costOf(const isa::Body &body, const PeerGroup &group,
         const std::vector<Arrival> &members);
  void stepLinks();

  const Launch &launch;
  const isa::Target &target;
  std::deque<TimingPlan> plans; ///< By core of a rank.
  std::deque<HbmStack> stacks;
  std::deque<Core> cores;
  std::vector<Picoseconds> soonest; ///< By core.
  std::vector<std::size_t> touched; ///< Cores whose next event has changed.
  Rendezvous<Arrival> rendezvous;
  Links links;
  MeetingBounds meetingBounds;
  /// Of instructions that cost the same each time; looked up, never walked.
  std::map<std::pair<const isa::Body *, PeerKey>,
           std::shared_ptr<const MeetingCost>>
      costs;
  std::vector<Carried> carried; ///< By tag of its flow.
  std::vector<std::uint32_t> freeCarried;
  std::vector<std::uint32_t> arrived; ///< Flows that have just ended.
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_WORLD_H
