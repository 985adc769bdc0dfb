//===- Slack.cpp - How much later each event may be ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slack.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace kiln::profile {

namespace {

using sim::Picoseconds;
constexpr std::uint32_t none = RunGraph::none;

/// Passes slack from the end to the start.
class SlackFinder {
public:
  SlackFinder(const RunGraph &graph, Picoseconds makespan)
      : graph(graph), makespan(makespan), points(graph.nodes.size()) {}

  void find(std::span<const PassedPoint> passed, Causes &causes) {
    for (std::uint32_t r = 0; r < points.size(); ++r) {
      points[r].acted = makespan - graph.run(r).freed;
      points[r].visible = makespan - graph.visible(r);
      if (graph.hasEvent(r))
        points[r].ended = makespan - graph.eventOf(r).end;
    }
    for (const PassedPoint &one : passed)
      of(one) = 0;
    passOvertakers();
    for (auto r = static_cast<std::uint32_t>(points.size()); r-- > 0;)
      pass(r);
    // The path may have passed only its issue: then its run may be later, but
    // not the instruction as a whole.
    for (std::uint32_t r = 0; r < points.size(); ++r)
      if (graph.hasEvent(r)) {
        const std::uint32_t event = graph.nodes[r].event;
        causes.slack[event] =
            causes.critical[event] > 0 ? 0 : points[r].started;
      }
  }

private:
  static constexpr Picoseconds unlimited =
      std::numeric_limits<Picoseconds>::max();
  /// How much later each may be.
  struct Points {
    Picoseconds acted = unlimited;
    Picoseconds started = unlimited;
    Picoseconds ended = unlimited;
    Picoseconds visible = unlimited;
  };

  Picoseconds &of(const PassedPoint &one) {
    Points &own = points[one.run];
    switch (one.point) {
    case RunGraph::Point::acted:
      return own.acted;
    case RunGraph::Point::started:
      return own.started;
    case RunGraph::Point::ended:
      return own.ended;
    case RunGraph::Point::visible:
      break;
    }
    return own.visible;
  }

  static void limit(Picoseconds &slack, Picoseconds gap, Picoseconds later) {
    slack = std::min(slack, std::max<Picoseconds>(0, gap) + later);
  }

  void pass(std::uint32_t r) {
    Points &own = points[r];
    const RunGraph::Node &node = graph.nodes[r];
    const Picoseconds acted = graph.run(r).acted;
    if (node.isShared) // Its effect on other cores is not known here.
      own.visible = own.acted = 0;
    if (graph.hasEvent(r)) {
      own.started = std::min({own.started, own.ended, own.visible});
      const Picoseconds start = graph.eventOf(r).start;
      const Picoseconds lead = node.load >= 0 ? start - node.load : node.lead;
      limit(own.acted, isExplained(r, start - lead) ? start - lead - acted : 0,
            own.started);
      passOrder(r, start - (node.isDma ? 0 : node.lead));
      for (const sim::TraceEdge &edge : graph.edgesOf(r))
        if (edge.starts)
          limit(points[edge.from].visible, start - node.lead - edge.when,
                own.started);
    } else {
      limit(own.acted, 0, own.visible);
      const std::uint32_t before = node.inOrder;
      if (before != none)
        limit(points[before].visible,
              graph.run(r).freed - graph.visible(before), own.visible);
    }
    if (node.inStream != none)
      limit(points[node.inStream].acted, acted - graph.run(node.inStream).freed,
            own.acted);
    if (node.room != none)
      limit(points[node.room].started, acted - graph.eventOf(node.room).start,
            own.acted);
    for (const sim::TraceEdge &edge : graph.edgesOf(r))
      if (!edge.starts)
        limit(points[edge.from].visible, acted - graph.slots(r) - edge.when,
              own.acted);
  }

  /// True if the known predecessors of run `r` lasted until it could begin.
  /// Otherwise it was held up since it acted, for example while descriptors
  /// were generated: if it acts later, it also begins later.
  bool isExplained(std::uint32_t r, Picoseconds begins) const {
    const RunGraph::Node &node = graph.nodes[r];
    if (node.load >= 0 || begins <= graph.run(r).acted)
      return true;
    const auto lasts = [&](std::uint32_t other) {
      return other != none && begins <= graph.eventOf(other).end;
    };
    if (node.isDma)
      return std::ranges::any_of(graph.startedBefore[graph.dmaPlace[r]], lasts);
    return lasts(node.inOrder) ||
           std::ranges::any_of(graph.edgesOf(r),
                               [&](const sim::TraceEdge &edge) {
                                 return edge.starts && begins <= edge.when;
                               });
  }

  /// What comes before it on its engine or on the DMA engines.
  void passOrder(std::uint32_t r, Picoseconds wanted) {
    const RunGraph::Node &node = graph.nodes[r];
    const Points &own = points[r];
    if (node.inOrder != none) {
      Points &before = points[node.inOrder];
      const sim::TraceEvent &event = graph.eventOf(node.inOrder);
      limit(before.ended, wanted - event.end, own.started);
      limit(before.visible, graph.visible(r) - graph.visible(node.inOrder),
            own.visible);
    }
    if (!node.isDma)
      return;
    for (const std::uint32_t other : graph.startedBefore[graph.dmaPlace[r]])
      if (other != none && other < r)
        limit(points[other].ended, wanted - graph.eventOf(other).end,
              own.started);
  }
  /// Transfers that were triggered later and started earlier: all that is
  /// known yet of those behind them is that they may not be late at all.
  void passOvertakers() {
    for (const std::uint32_t r : graph.transfers)
      for (const std::uint32_t other : graph.startedBefore[graph.dmaPlace[r]])
        if (other != none && other > r)
          limit(points[other].ended,
                graph.eventOf(r).start - graph.eventOf(other).end, 0);
  }

  const RunGraph &graph;
  Picoseconds makespan;
  std::vector<Points> points;
};

} // namespace

void findSlack(const RunGraph &graph, Picoseconds makespan,
               std::span<const PassedPoint> passed, Causes &causes) {
  SlackFinder(graph, makespan).find(passed, causes);
}

} // namespace kiln::profile
