//===- RunGraph.cpp - The executed instructions and their order ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunGraph.h"

#include "kiln/machine/sequencer_times.h"

#include <algorithm>
#include <utility>

namespace kiln::profile {

namespace {

constexpr std::uint8_t firstQueue = isa::numEngines;

bool isQueue(std::uint8_t track) {
  return track >= firstQueue && track < sim::weightsTrack;
}

} // namespace

RunGraph::RunGraph(const isa::Module &module, const isa::Target &target,
                   const sim::Timing &timing)
    : module(module), timing(timing), nodes(timing.runs.size()),
      dmaPlace(timing.runs.size(), none),
      waitSlot(machine::furtherWaitTime(target)) {
  findEvents();
  findOrder(target);
  sortEdges();
}

sim::Picoseconds RunGraph::visible(std::uint32_t r) const {
  return hasEvent(r) ? std::max(eventOf(r).visible, eventOf(r).end)
                     : run(r).freed;
}

sim::Picoseconds RunGraph::slots(std::uint32_t r) const {
  const sim::TraceRun &own = run(r);
  const std::size_t waits = module.streams[own.engine][own.index].waits.size();
  return waits < 2 ? 0 : waitSlot * static_cast<Picoseconds>(waits - 1);
}

void RunGraph::findEvents() {
  for (std::uint32_t e = 0; e < timing.events.size(); ++e) {
    const sim::TraceEvent &event = timing.events[e];
    if (event.run >= nodes.size())
      continue;
    Node &node = nodes[event.run];
    if (event.track == sim::weightsTrack) {
      node.load = event.start;
    } else if (isQueue(event.track)) {
      node.event = e;
      node.isDma = true;
    } else if (event.track == event.engine && !node.isDma) {
      node.event = e; // Else descriptors that GpSimd makes for others.
    }
  }
}

void RunGraph::findOrder(const isa::Target &target) {
  const auto depth =
      static_cast<std::size_t>(std::clamp(target.engine_queue_depth, 1, 64));
  const Picoseconds dmaStart = machine::nanoseconds(target.dma_start_ns);
  std::array<std::uint32_t, isa::numEngines> inStream;
  inStream.fill(none);
  std::array<std::uint32_t, sim::weightsTrack> inOrder;
  inOrder.fill(none);
  std::array<std::vector<std::uint32_t>, isa::numEngines> paths;
  for (std::uint32_t r = 0; r < nodes.size(); ++r) {
    Node &node = nodes[r];
    const sim::TraceRun &own = run(r);
    node.inStream = std::exchange(inStream[own.engine], r);
    const isa::Body &body = module.streams[own.engine][own.index].body;
    node.isShared =
        isa::info(isa::opcode(body)).state == isa::HiddenState::peers;
    node.lead = node.isDma ? dmaStart : own.lead;
    if (!hasEvent(r)) {
      node.inOrder = inOrder[own.engine];
      continue;
    }
    const std::uint8_t track = eventOf(r).track;
    node.inOrder = std::exchange(inOrder[track], r);
    if (node.isDma) {
      transfers.push_back(r);
    } else if (own.engine != static_cast<unsigned>(isa::Engine::sync)) {
      std::vector<std::uint32_t> &path = paths[own.engine];
      if (path.size() >= depth)
        node.room = path[path.size() - depth];
      path.push_back(r);
    }
  }
  std::stable_sort(transfers.begin(), transfers.end(), [&](auto a, auto b) {
    return eventOf(a).start < eventOf(b).start;
  });
  std::array<std::uint32_t, isa::dmaQueues> last;
  last.fill(none);
  for (std::uint32_t i = 0; i < transfers.size(); ++i) {
    dmaPlace[transfers[i]] = i;
    startedBefore.push_back(last);
    last[eventOf(transfers[i]).track - firstQueue] = transfers[i];
  }
}

/// By the run that they end at.
void RunGraph::sortEdges() {
  firstEdge.assign(nodes.size() + 1, 0);
  for (const sim::TraceEdge &edge : timing.edges)
    ++firstEdge[edge.to + 1];
  for (std::size_t r = 0; r < nodes.size(); ++r)
    firstEdge[r + 1] += firstEdge[r];
  edges.resize(timing.edges.size());
  std::vector<std::size_t> next(firstEdge.begin(), firstEdge.end() - 1);
  for (const sim::TraceEdge &edge : timing.edges)
    edges[next[edge.to]++] = edge;
}

} // namespace kiln::profile
