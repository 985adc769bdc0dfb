//===- RunGraph.h - The executed instructions and their order ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_RUNGRAPH_H
#define KILN_PROFILE_LIB_RUNGRAPH_H

#include "kiln/isa/module.h"
#include "kiln/isa/target.h"
#include "kiln/sim/trace.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kiln::profile {

/// The runs of a trace as nodes, with what precedes them in their stream, on
/// their engine and on the DMA engines. A run has up to four points in time:
/// when it acted, started, occupied its engine no longer, and was visible.
class RunGraph {
public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  using Picoseconds = sim::Picoseconds;
  enum class Point : std::uint8_t { acted, started, ended, visible };

  RunGraph(const isa::Module &module, const isa::Target &target,
           const sim::Timing &timing);

  struct Node {
    std::uint32_t event = none; ///< On its engine's track or its DMA queue.
    std::uint32_t inStream = none;
    /// The one before on the engine's data path, or in the DMA queue; of one
    /// that has no event, the last on the data path.
    std::uint32_t inOrder = none;
    /// The one that had to start to make room in the data path's queue.
    std::uint32_t room = none;
    /// Of a product: when its stationary operand began to load.
    Picoseconds load = -1;
    /// From it acting to the first byte of a transfer, if nothing is in the
    /// way; of others, its lead.
    Picoseconds lead = 0;
    bool isDma = false;
    bool isShared = false; ///< Other cores take part.
  };

  const isa::Module &module;
  const sim::Timing &timing;
  std::vector<Node> nodes;
  /// Transfers by start; the place of each in that order is `dmaPlace`.
  std::vector<std::uint32_t> transfers;
  std::vector<std::uint32_t> dmaPlace;
  /// By place: of each queue the transfer that had started last before it.
  std::vector<std::array<std::uint32_t, isa::dmaQueues>> startedBefore;

  const sim::TraceRun &run(std::uint32_t r) const { return timing.runs[r]; }
  const sim::TraceEvent &eventOf(std::uint32_t r) const {
    return timing.events[nodes[r].event];
  }
  bool hasEvent(std::uint32_t r) const { return nodes[r].event != none; }
  /// A run without an event signals when all before it on its engine is
  /// complete.
  Picoseconds visible(std::uint32_t r) const;
  /// The edges that end at run `r`.
  std::span<const sim::TraceEdge> edgesOf(std::uint32_t r) const {
    return {edges.data() + firstEdge[r], edges.data() + firstEdge[r + 1]};
  }
  /// What its waits take after the last token came.
  Picoseconds slots(std::uint32_t r) const;

private:
  void findEvents();
  void findOrder(const isa::Target &target);
  void sortEdges();

  std::vector<sim::TraceEdge> edges;
  std::vector<std::size_t> firstEdge;
  Picoseconds waitSlot = 0;
};

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_RUNGRAPH_H
