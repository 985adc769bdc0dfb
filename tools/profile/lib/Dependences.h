//===- Dependences.h - Which event had to come before which -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semaphores, the streams and the queues order the events of a core. Two
// things follow: the slack of each event, and the chain of events that sets the
// makespan.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_DEPENDENCES_H
#define KILN_PROFILE_LIB_DEPENDENCES_H

#include "kiln/sim/trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kiln::profile {

/// Of the events of one core, by their numbers in Timing::events.
struct Dependences {
  static constexpr std::uint32_t none = UINT32_MAX;

  /// `producers[first[e]]` to `producers[first[e + 1] - 1]`: whose tokens event
  /// `e` took, and whose results it waited for on its own engine; those of
  /// another core left out.
  std::vector<std::uint32_t> first, producers;
  /// An event may be so much later before the kernel ends later, all else as it
  /// was: the same order, and every instruction and transfer as long as it
  /// took. Where it is not known whether one event needs another, it does: the
  /// slack is never too large.
  std::vector<sim::Picoseconds> slack;
  /// Each one begins when the one before it lets it, and the last one ends the
  /// kernel. In order of time.
  std::vector<std::uint32_t> criticalPath;

  std::span<const std::uint32_t> producersOf(std::uint32_t event) const {
    return std::span(producers).subspan(first[event],
                                        first[event + 1] - first[event]);
  }
};

/// `timing` was run with `trace`. Takes n log n in its events.
Dependences dependencesOf(const sim::Timing &timing);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_DEPENDENCES_H
