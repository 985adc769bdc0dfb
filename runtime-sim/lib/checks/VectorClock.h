//===- VectorClock.h - What an event knows to have happened -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_VECTORCLOCK_H
#define KILN_SIM_LIB_CHECKS_VECTORCLOCK_H

#include "kiln/isa/dtype.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kiln::sim {

/// Of a core: engines 0..4, then DMA queues.
inline constexpr unsigned agentsOfCore = isa::numEngines + isa::dmaQueues;
/// Those of core 0 of a rank, then those of core 1.
inline constexpr unsigned numAgents = 2 * agentsOfCore;

/// One instruction or transfer as it happened.
struct Event {
  std::uint64_t clock = 0; ///< Its number on its agent, from 1; 0 = start-up.
  std::uint32_t index = 0; ///< Of the instruction in its stream.
  std::uint8_t agent = 0;
  std::uint8_t engine : 3 = 0; ///< Stream that holds the instruction.
  /// An access's: the isa::DType of the values, 0 for mere bits.
  std::uint8_t type : 5 = 0;
  std::uint16_t buffer = 0; ///< That it meant, if it said so: an access's.

  unsigned core() const { return agent / agentsOfCore; }
  bool sameAs(const Event &other) const {
    return clock == other.clock && agent == other.agent;
  }
};

static_assert(isa::numEngines <= 8 && isa::numDTypes <= 32);

/// Component a: every event of agent a up to this number has completed.
///
/// An engine completes its instructions in order. A queue completes its
/// transfers in order too, so that one number does for it, but a transfer is
/// not ordered after earlier ones of its queue: it only knows what the
/// instruction that issued it knew.
struct VectorClock {
  std::array<std::uint64_t, numAgents> time{};

  bool knows(const Event &event) const {
    return time[event.agent] >= event.clock;
  }
  void join(const VectorClock &other) {
    for (unsigned i = 0; i < numAgents; ++i)
      time[i] = std::max(time[i], other.time[i]);
  }
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_VECTORCLOCK_H
