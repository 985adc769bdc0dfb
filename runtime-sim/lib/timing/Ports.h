//===- Ports.h - Memory ports that engines exclude each other from -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_PORTS_H
#define KILN_SIM_LIB_TIMING_PORTS_H

#include "kiln/isa/dtype.h"
#include "kiln/sim/trace.h"

#include <array>

namespace kiln::sim::timing {

/// Which intervals of time hold which port.
///
/// One rule serves all generations: of two instructions that want the same
/// port at the same time, the later one streams after the earlier one. Where
/// the hardware alternates cycles instead (one PSUM bank from two engines, the
/// shared bus in a fast mode) both together take equally long.
class Ports {
public:
  static constexpr std::uint16_t allBanks = 0x00FF; ///< Vector against Scalar.
  static constexpr std::uint16_t sbufPort = 0x0100; ///< Vector against GpSimd.

  /// Earliest start >= `start` of an instruction of `engine` that streams
  /// during [start + lead, start + lead + length); `blocked` receives what was
  /// last in its way.
  Picoseconds earliest(isa::Engine engine, std::uint16_t ports,
                       Picoseconds start, Picoseconds lead, Picoseconds length,
                       std::uint16_t &blocked) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t other = 0; other < holds.size(); ++other) {
        const std::uint16_t shared =
            ports & conflicts(engine, static_cast<isa::Engine>(other));
        if (shared == 0)
          continue;
        for (const Hold &hold : holds[other])
          if ((hold.ports & shared) != 0 &&
              hold.begin < start + lead + length && start + lead < hold.end) {
            start = hold.end - lead;
            blocked = hold.ports & shared;
            moved = true;
          }
      }
    }
    return start;
  }

  void hold(isa::Engine engine, std::uint16_t ports, Picoseconds begin,
            Picoseconds end) {
    const auto index = static_cast<std::size_t>(engine);
    holds[index][newest[index]++ % depth] = {begin, end, ports};
  }

private:
  static constexpr std::size_t depth = 8; ///< More are never in flight.
  struct Hold {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    std::uint16_t ports = 0;
  };

  static constexpr std::uint16_t conflicts(isa::Engine a, isa::Engine b) {
    const auto pair = [a, b](isa::Engine x, isa::Engine y) {
      return (a == x && b == y) || (a == y && b == x);
    };
    if (pair(isa::Engine::vector, isa::Engine::scalar))
      return allBanks;
    if (pair(isa::Engine::vector, isa::Engine::gpsimd))
      return sbufPort;
    return 0;
  }

  std::array<std::array<Hold, depth>, isa::numEngines> holds{};
  std::array<std::size_t, isa::numEngines> newest{};
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_PORTS_H
