//===- causes.h - Causes of each start, and the critical path -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_CAUSES_H
#define KILN_PROFILE_CAUSES_H

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/trace.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kiln::profile {

/// Part of the critical path: the time in which the end of the kernel depended
/// on this, and on nothing else.
struct PathStep {
  static constexpr std::uint32_t noEvent = ~std::uint32_t{0};
  std::uint32_t run = sim::Producer::noRun; ///< In Timing::runs.
  std::uint32_t event = noEvent;            ///< In Timing::events.
  /// "work": it occupied its engine or queue; "latency": its result was under
  /// way; else the name of a reason.
  std::string_view reason;
  sim::Picoseconds start = 0;
  sim::Picoseconds end = 0;
};

/// Conclusions from the edges of a traced run. Vectors have one entry per
/// event.
struct Causes {
  static constexpr std::int16_t busy = -1;

  /// The event that its start waited for last; PathStep::noEvent: none.
  std::vector<std::uint32_t> cause;
  /// Why, as a StallReason; `busy`: its engine or queue was.
  std::vector<std::int16_t> reason;
  /// How much later it may end without a longer kernel, if everything keeps its
  /// order. The true slack may be larger: a transfer on a shared DMA engine is
  /// taken to wait for all transfers that were there first. What is on the
  /// critical path has none.
  std::vector<sim::Picoseconds> slack;
  /// How much of it is on the critical path.
  std::vector<sim::Picoseconds> critical;
  /// The steps lead from 0 to the makespan without a gap.
  std::vector<PathStep> path;
  /// `producers[first[e]]` up to `producers[first[e + 1]]`: the events of this
  /// core that gave event `e` the tokens that it took, and those whose results
  /// it waited for on its own engine. An instruction without an event lends its
  /// tokens to the next one of its stream that has one.
  std::vector<std::uint32_t> firstProducer, producers;

  std::span<const std::uint32_t> producersOf(std::size_t event) const {
    return std::span(producers).subspan(
        firstProducer[event], firstProducer[event + 1] - firstProducer[event]);
  }
};

/// `timing` was run with `trace`, of `module` on `target`.
Causes findCauses(const isa::Module &module, const isa::Target &target,
                  const sim::Timing &timing);

} // namespace kiln::profile

#endif // KILN_PROFILE_CAUSES_H
