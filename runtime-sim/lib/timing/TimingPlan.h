//===- TimingPlan.h - A module with everything static worked out - -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_TIMINGPLAN_H
#define KILN_SIM_LIB_TIMING_TIMINGPLAN_H

#include "../StreamCursor.h"
#include "PlannedStream.h"
#include "Ports.h"

#include "kiln/isa/module.h"
#include "kiln/sim/timing.h"

#include <array>
#include <span>
#include <vector>

namespace kiln::sim::timing {

/// What all cores that run a module share. Where registers put operands is
/// widened by each of them.
struct TimingPlan {
  /// `changes` are those of this core.
  TimingPlan(const isa::Module &module, const isa::Target &target,
             std::span<const CostChange> changes)
      : module(module) {
    streams.reserve(isa::numEngines);
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      streams.emplace_back(module.streams[e]);
      planned.emplace_back(module.streams[e], static_cast<isa::Engine>(e),
                           target);
    }
    applyChanges(changes);
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      for (std::uint32_t i = 0; i < planned[e].size(); ++i)
        hasTiles[e] |=
            planned[e].op(i).cost.cells != machine::InstructionCost::allCells;
    }
    dropPrivatePorts();
  }

  const isa::Module &module;
  std::vector<StreamPlan> streams; ///< They never move.
  std::vector<PlannedStream> planned;
  std::array<bool, isa::numEngines> hasTiles{};

private:
  void applyChanges(std::span<const CostChange> changes);
  /// A port matters only if another engine ever meets this one there.
  void dropPrivatePorts() {
    std::array<std::uint16_t, isa::numEngines> used{};
    for (std::size_t e = 0; e < isa::numEngines; ++e)
      used[e] = planned[e].usedPorts();
    for (std::size_t e = 0; e < isa::numEngines; ++e) {
      std::uint16_t met = 0;
      for (std::size_t other = 0; other < isa::numEngines; ++other)
        met |= used[other] &
               machine::conflictingPorts(static_cast<isa::Engine>(e),
                                         static_cast<isa::Engine>(other));
      planned[e].keepPorts(met);
    }
  }
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_TIMINGPLAN_H
