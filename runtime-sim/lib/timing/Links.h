//===- Links.h - Links that collectives in flight share ------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_LINKS_H
#define KILN_SIM_LIB_TIMING_LINKS_H

#include "DmaEngine.h"

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace kiln::sim::timing {

/// Something between cores that carries bytes at a rate, in one direction.
struct Link {
  enum class Kind : std::uint8_t {
    core, ///< The DMA engines of core `from`, within its chip.
    chip, ///< From chip `from` to chip `to`.
    rank, ///< What rank `from` has of the way to other nodes.
  };
  Kind kind = Kind::core;
  unsigned from = 0, to = 0;
  unsigned channel = 0; ///< Each has wires of its own.
  auto operator<=>(const Link &) const = default;
};

/// Flows over links. Those on one link share it equally; a flow is as fast as
/// its most crowded link lets it be.
class Links {
public:
  /// From `begin` on a flow that takes `length` if it is alone everywhere.
  void add(std::uint32_t tag, Picoseconds begin, Picoseconds length,
           std::vector<Link> links);

  /// When a flow begins or ends next.
  Picoseconds next() const { return soonest; }
  /// Handles the event at next(); appends the tags of flows that ended.
  void step(std::vector<std::uint32_t> &ended);

private:
  struct Flow {
    std::uint32_t tag = 0;
    bool active = false;
    Picoseconds begin = 0;
    std::int64_t remaining = 0; ///< In 1/65536 ps.
    std::int64_t rate = 0;      ///< In 1/65536.
    std::vector<Link> links;
  };

  void plan(Picoseconds now);

  std::vector<Flow> flows;        ///< In the order in which they came.
  std::map<Link, unsigned> users; ///< Active flows of each link.
  Picoseconds updated = 0;
  Picoseconds soonest = never;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_LINKS_H
