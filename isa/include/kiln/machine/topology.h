//===- topology.h - Where ranks and cores are ------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank runs on one or two neighbouring cores. Ranks fill chips, and chips
// fill nodes, in the order of their numbers. Neighbouring cores share an HBM
// stack.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_TOPOLOGY_H
#define KILN_MACHINE_TOPOLOGY_H

#include "kiln/isa/target.h"

#include <algorithm>

namespace kiln::machine {

/// Cores that share one HBM stack.
inline unsigned coresOfStack(const isa::Target &target) {
  return static_cast<unsigned>(std::max(1, target.hbm_cores_per_stack));
}

class Topology {
public:
  Topology(const isa::Target &target, unsigned coresOfRank)
      : cores(coresOfRank), stack(coresOfStack(target)),
        chip(std::max(1u, static_cast<unsigned>(target.cores_per_chip) /
                              coresOfRank)),
        node(chip *
             std::max(1u, static_cast<unsigned>(target.chips_per_node))) {}

  unsigned coresOfRank() const { return cores; }
  unsigned ranksOfChip() const { return chip; }

  unsigned chipOf(unsigned rank) const { return rank / chip; }
  unsigned nodeOf(unsigned rank) const { return rank / node; }
  /// The first core of `rank`, among all cores of a launch.
  unsigned coreOf(unsigned rank) const { return rank * cores; }
  /// The HBM stack of its first core.
  unsigned stackOf(unsigned rank) const { return coreOf(rank) / stack; }

private:
  unsigned cores, stack;
  unsigned chip, node; ///< Ranks of a chip, and of a node.
};

/// The route of bytes from one rank to another.
enum class Way : std::uint8_t {
  core, ///< The DMA engines of a core, within its chip.
  chip, ///< A link between two chips of a node.
  node, ///< The network, out of one node into another.
};

inline Way wayBetween(const Topology &topology, unsigned from, unsigned to) {
  return topology.chipOf(from) == topology.chipOf(to)   ? Way::core
         : topology.nodeOf(from) == topology.nodeOf(to) ? Way::chip
                                                        : Way::node;
}

/// Bytes per nanosecond in one direction: of the DMA engines of a core, of one
/// link, or of the share of the network that a rank has.
inline double rateOf(Way way, const Topology &topology,
                     const isa::Target &target) {
  switch (way) {
  case Way::core:
    return target.dma_engines * target.dma_engine_bytes_per_ns;
  case Way::chip:
    return target.link_bytes_per_ns;
  case Way::node:
    break;
  }
  return target.node_core_bytes_per_ns * topology.coresOfRank();
}

/// Bytes per nanosecond that leave a chip over all its links. As many can enter
/// it.
inline double chipRate(const isa::Target &target) {
  return target.link_bytes_per_ns * target.links_per_chip;
}

} // namespace kiln::machine

#endif // KILN_MACHINE_TOPOLOGY_H
