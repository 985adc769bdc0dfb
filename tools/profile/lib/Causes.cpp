//===- Causes.cpp - Who followed whom, and what was critical -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/profile/causes.h"

#include "Labels.h"
#include "RunGraph.h"
#include "Slack.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kiln::profile {

namespace {

using sim::Picoseconds;
using sim::StallReason;
using Point = RunGraph::Point;
constexpr std::uint32_t none = RunGraph::none;

/// The predecessor of a point in time: `run` allowed it at `when`.
struct Follows {
  std::uint32_t run = none;
  Picoseconds when = -1;
  std::int16_t reason = Causes::busy;
  Point point = Point::visible; ///< Of `run`.
};

/// The last of everything that `r` had to wait for.
class Latest {
public:
  explicit Latest(std::uint32_t r) : r(r) {}
  void offer(std::uint32_t run, Picoseconds when, std::int16_t reason,
             Point point) {
    // Causes come first, so a walk from one to the next ends.
    if (run == none || run >= r || when <= last.when)
      return;
    last = {run, when, reason, point};
  }
  Follows last;

private:
  std::uint32_t r;
};

std::int16_t numberOf(StallReason reason) {
  return static_cast<std::int16_t>(reason);
}

/// What allowed run `r` to act.
Follows beforeActing(const RunGraph &graph, std::uint32_t r) {
  const RunGraph::Node &node = graph.nodes[r];
  Latest latest(r);
  if (node.inStream != none)
    latest.offer(node.inStream, graph.run(node.inStream).freed,
                 numberOf(StallReason::control), Point::acted);
  if (node.room != none)
    latest.offer(node.room, graph.eventOf(node.room).start, Causes::busy,
                 Point::started);
  for (const sim::TraceEdge &edge : graph.edgesOf(r))
    if (!edge.starts)
      latest.offer(edge.from, edge.when, numberOf(edge.reason), Point::visible);
  return latest.last;
}

/// What allowed run `r`, which has an event, to start; `r` itself if that was
/// its own issue.
Follows beforeStart(const RunGraph &graph, std::uint32_t r) {
  const RunGraph::Node &node = graph.nodes[r];
  const sim::TraceEvent &event = graph.eventOf(r);
  Latest latest(r);
  if (node.isDma) {
    if (graph.run(r).acted + node.lead >= event.start)
      return {r, graph.run(r).acted, Causes::busy, Point::acted};
    // The transfer that had started last is the one that it waited for.
    const std::uint32_t place = graph.dmaPlace[r];
    if (place > 0 && !node.isShared)
      latest.offer(graph.transfers[place - 1], event.start, Causes::busy,
                   Point::ended);
  } else {
    if (node.inOrder != none)
      latest.offer(node.inOrder, graph.eventOf(node.inOrder).end, Causes::busy,
                   Point::ended);
    for (const sim::TraceEdge &edge : graph.edgesOf(r))
      if (edge.starts)
        latest.offer(edge.from, edge.when, numberOf(edge.reason),
                     Point::visible);
  }
  const Picoseconds acted = graph.run(r).acted;
  if (latest.last.run == none || acted >= latest.last.when)
    return {r, acted, Causes::busy, Point::acted};
  return latest.last;
}

/// Walks from the end to the start.
class PathFinder {
public:
  PathFinder(const RunGraph &graph, Causes &causes)
      : graph(graph), causes(causes) {}

  void find(std::uint32_t last, Picoseconds makespan) {
    now = makespan;
    if (last != none)
      walk(last);
    step(none, "control", 0);
    std::reverse(causes.path.begin(), causes.path.end());
  }

  std::vector<PassedPoint> passed; ///< From the end to the start.

private:
  /// From `to` to now it depended on this.
  void step(std::uint32_t run, std::string_view reason, Picoseconds to) {
    to = std::max<Picoseconds>(to, 0);
    if (to >= now)
      return;
    PathStep made;
    made.run = run;
    made.reason = reason;
    made.start = to;
    made.end = now;
    if (run != none && graph.hasEvent(run)) {
      made.event = graph.nodes[run].event;
      causes.critical[made.event] += now - to;
    }
    causes.path.push_back(made);
    now = to;
  }

  void walk(std::uint32_t r) {
    Point point = Point::visible;
    while (r != none) {
      passed.push_back({r, point});
      if (point != Point::acted && graph.hasEvent(r)) {
        const Follows before = start(r, point);
        if (before.run != r) {
          r = before.run;
          point = before.point;
          continue;
        }
      } else if (point == Point::visible) {
        // A semaphore instruction: the engine's last result before it.
        const std::uint32_t before = graph.nodes[r].inOrder;
        if (before != none && graph.visible(before) > graph.run(r).freed) {
          r = before;
          continue;
        }
      }
      passed.push_back({r, Point::acted});
      const Follows before = beforeActing(graph, r);
      step(r,
           before.run == none || before.reason == Causes::busy
               ? std::string_view("control")
               : nameOf(static_cast<StallReason>(before.reason)),
           before.run == none ? 0 : before.when);
      if (before.run != none && before.point == Point::visible)
        // The latency of the token.
        step(r, "semaphore", graph.visible(before.run));
      r = before.run;
      point = before.point;
    }
  }

  /// Passes the event of `r`, back from `point`.
  Follows start(std::uint32_t r, Point point) {
    const sim::TraceEvent &event = graph.eventOf(r);
    if (point == Point::visible)
      step(r, graph.nodes[r].isDma ? "wait_dma" : "latency", event.end);
    if (point != Point::started)
      step(r, "work", event.start);
    const Follows before = beforeStart(graph, r);
    if (graph.nodes[r].isDma && before.run == r) {
      step(r, "starting",
           std::max(graph.run(r).acted, event.start - graph.nodes[r].lead));
      step(r, "descriptor", graph.run(r).acted);
    } else if (graph.nodes[r].load >= 0 && graph.nodes[r].load >= before.when)
      step(r, "weights", graph.nodes[r].load);
    else if (graph.run(r).lead > 0)
      step(r, "table", now - graph.run(r).lead);
    if (before.run != r)
      step(r,
           before.reason == Causes::busy
               ? std::string_view("work")
               : nameOf(static_cast<StallReason>(before.reason)),
           before.when);
    if (before.run != r && before.point == Point::visible)
      step(r, "dependence", graph.visible(before.run));
    return before;
  }

  const RunGraph &graph;
  Causes &causes;
  Picoseconds now = 0;
};

/// The producers of what each event needed to act or start.
void findProducers(const RunGraph &graph, Causes &causes) {
  std::vector<std::vector<std::uint32_t>> needs(causes.cause.size());
  std::array<std::vector<std::uint32_t>, isa::numEngines> lent;
  for (std::uint32_t r = 0; r < graph.nodes.size(); ++r) {
    std::vector<std::uint32_t> &taken = lent[graph.run(r).engine];
    for (const sim::TraceEdge &edge : graph.edgesOf(r)) {
      // A run without an event signals that those before it are complete.
      const std::uint32_t from = graph.hasEvent(edge.from)
                                     ? edge.from
                                     : graph.nodes[edge.from].inOrder;
      if (from != none)
        taken.push_back(graph.nodes[from].event);
    }
    if (graph.hasEvent(r))
      needs[graph.nodes[r].event] = std::exchange(taken, {});
  }
  causes.firstProducer.push_back(0);
  for (std::vector<std::uint32_t> &own : needs) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    causes.producers.insert(causes.producers.end(), own.begin(), own.end());
    causes.firstProducer.push_back(
        static_cast<std::uint32_t>(causes.producers.size()));
  }
}

/// The run that ends last.
std::uint32_t lastRun(const RunGraph &graph) {
  std::uint32_t last = none;
  for (std::uint32_t r = 0; r < graph.nodes.size(); ++r)
    if (last == none || graph.visible(r) >= graph.visible(last))
      last = r;
  return last;
}

} // namespace

Causes findCauses(const isa::Module &module, const isa::Target &target,
                  const sim::Timing &timing) {
  Causes causes;
  const std::size_t events = timing.events.size();
  causes.cause.assign(events, PathStep::noEvent);
  causes.reason.assign(events, Causes::busy);
  causes.slack.assign(events, 0);
  causes.critical.assign(events, 0);
  const RunGraph graph(module, target, timing);
  for (std::uint32_t r = 0; r < graph.nodes.size(); ++r) {
    if (!graph.hasEvent(r))
      continue;
    Follows before = beforeStart(graph, r);
    if (before.run == r)
      before = beforeActing(graph, r);
    if (before.run == none || !graph.hasEvent(before.run))
      continue;
    causes.cause[graph.nodes[r].event] = graph.nodes[before.run].event;
    causes.reason[graph.nodes[r].event] = before.reason;
  }
  findProducers(graph, causes);
  PathFinder finder(graph, causes);
  finder.find(lastRun(graph), timing.makespan);
  findSlack(graph, timing.makespan, finder.passed, causes);
  return causes;
}

} // namespace kiln::profile
