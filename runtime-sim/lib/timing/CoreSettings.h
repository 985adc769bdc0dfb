//===- CoreSettings.h - What the parts of a core know of it ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_CORESETTINGS_H
#define KILN_SIM_LIB_TIMING_CORESETTINGS_H

#include "../Faults.h"
#include "TimingPlan.h"

#include "kiln/sim/register_loads.h"
#include "kiln/sim/sent_counts.h"

#include <array>
#include <cstdint>
#include <utility>

namespace kiln::sim::timing {

/// One core of a launch. What it refers to outlives it.
struct CoreSettings {
  CoreSettings(TimingPlan &plan, const isa::Target &target)
      : plan(plan), target(target) {}

  TimingPlan &plan;
  const isa::Target &target;
  CoreId id;
  std::size_t number = 0;
  bool trace = false;
  const RegisterLoads *registerLoads = nullptr;
  const SentCounts *sentCounts = nullptr; ///< Null: not known.
  std::uint64_t maxSteps = 0;
  Picoseconds patience = 0;
};

/// What `make(engine)` gives, for each engine. Parts need not be movable.
template <class Make> auto onePerEngine(Make make) {
  return [&]<std::size_t... engine>(std::index_sequence<engine...>) {
    return std::array<decltype(make(isa::Engine{})), isa::numEngines>{
        make(static_cast<isa::Engine>(engine))...};
  }(std::make_index_sequence<isa::numEngines>());
}

inline std::size_t numberOf(isa::Engine engine) {
  return static_cast<std::size_t>(engine);
}

/// Instruction `index` of `engine` in its own core.
inline Producer instructionAt(isa::Engine engine, std::uint32_t index,
                              std::uint32_t run = Producer::noRun) {
  return {static_cast<std::uint8_t>(engine), index, Producer::sameCore, run};
}

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_CORESETTINGS_H
