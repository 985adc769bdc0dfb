//===- PeerWaits.h - How long transfers waited for other cores ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_PEERWAITS_H
#define KILN_SIM_LIB_TIMING_PEERWAITS_H

#include "kiln/sim/trace.h"

#include <vector>

namespace kiln::sim::timing {

/// When a meeting got its last member, and which one that was.
struct MeetingStart {
  Picoseconds time = 0;
  Producer last;
};

/// How long the latest transfers waited for other cores, and for which one.
class PeerWaits {
public:
  struct Wait {
    std::uint16_t id = 0; ///< 0: none.
    Picoseconds since = 0, until = 0;
    Producer peer;
  };
  std::uint16_t add(Picoseconds since, const MeetingStart &start) {
    if (latest.empty())
      latest.resize(size);
    last = static_cast<std::uint16_t>(last == 65535 ? 1 : last + 1);
    latest[last % size] = {last, since, start.time, start.last};
    return last;
  }
  /// Null if that was too long ago.
  const Wait *find(std::uint16_t id) const {
    return !latest.empty() && latest[id % size].id == id ? &latest[id % size]
                                                         : nullptr;
  }

private:
  static constexpr std::size_t size = 1024;
  std::vector<Wait> latest;
  std::uint16_t last = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_PEERWAITS_H
