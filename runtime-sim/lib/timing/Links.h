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

#include "kiln/machine/links.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kiln::sim::timing {

/// Paces that differ by less than this are one; sums of parts are not exact.
inline constexpr double pacePrecision = 1e-9;

using machine::Link; // What flows pass, and how long alone.
using machine::LinkLoad;

/// Flows over links. Each passes its links at one rate. Whenever one begins or
/// ends, the links are divided again (max-min fairness): on the most loaded
/// link all flows get the same rate, what they leave of other links goes to the
/// others, and so on.
class Links {
public:
  /// From `begin` on a flow that takes the longest of `loads` if it is alone
  /// everywhere; there is at least one.
  void add(std::uint32_t tag, Picoseconds begin,
           const std::vector<LinkLoad> &loads);

  /// When a flow begins or ends next.
  Picoseconds next() const { return soonest; }
  /// Handles the event at next(); appends the tags of flows that ended.
  void step(std::vector<std::uint32_t> &ended);

private:
  /// What a flow takes of a link at full pace.
  struct Share {
    std::size_t link = 0;
    double part = 0;
  };
  struct Flow {
    std::uint32_t tag = 0;
    bool active = false;
    bool settled = false; ///< While shares are worked out.
    Picoseconds begin = 0;
    std::int64_t remaining = 0; ///< In 1/65536 ps.
    std::int64_t rate = 0;      ///< In 1/65536.
    std::vector<Share> shares;
  };
  struct State {
    double left = 1;   ///< Of its capacity.
    double wanted = 0; ///< At full pace, by flows without a pace yet.
  };

  void share();
  void plan(Picoseconds now);

  std::vector<Flow> flows;             ///< In the order in which they came.
  std::map<Link, std::size_t> numbers; ///< Of all links ever used.
  std::vector<State> states;           ///< By number.
  Picoseconds updated = 0;
  Picoseconds soonest = never;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_LINKS_H
