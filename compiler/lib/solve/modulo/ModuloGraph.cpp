//===- ModuloGraph.cpp - Unrolling, and longest ways ----------------- -===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuloGraph.h"

#include "kiln/isa/rounding.h"

#include <algorithm>

namespace kiln::problems {

static void index(const std::vector<ModuloGraph::Edge> &edges,
                  std::uint32_t nodes, std::uint32_t ModuloGraph::Edge::*end,
                  ModuloGraph::Adjacency &adjacency) {
  adjacency.first.assign(nodes + 1, 0);
  for (const ModuloGraph::Edge &edge : edges)
    ++adjacency.first[edge.*end + 1];
  for (std::uint32_t i = 0; i < nodes; ++i)
    adjacency.first[i + 1] += adjacency.first[i];
  adjacency.list.resize(edges.size());
  std::vector<std::uint32_t> cursor(adjacency.first.begin(),
                                    adjacency.first.end() - 1);
  for (std::uint32_t e = 0; e < edges.size(); ++e)
    adjacency.list[cursor[edges[e].*end]++] = e;
}

/// Of each operation, or of one that waits for it in the same iteration.
static std::vector<std::int64_t> urgencies(const ModuloProblem &problem) {
  std::vector<std::int64_t> urgency;
  for (const ModuloOperation &operation : problem.operations)
    urgency.push_back(operation.urgency);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ModuloEdge &edge : problem.edges)
      if (edge.distance == 0 && urgency[edge.from] < urgency[edge.to]) {
        urgency[edge.from] = urgency[edge.to];
        changed = true;
      }
  }
  return urgency;
}

ModuloGraph::ModuloGraph(const ModuloProblem &problem, std::uint32_t unroll,
                         std::int64_t margin,
                         const std::vector<std::uint32_t> &copies) {
  const auto size = static_cast<std::uint32_t>(problem.operations.size());
  nodes = size * unroll;
  for (std::uint32_t u = 0; u < unroll; ++u)
    for (const ModuloOperation &operation : problem.operations) {
      stream.push_back(static_cast<std::uint8_t>(operation.engine));
      issue.push_back(operation.issue);
      work.push_back(operation.work);
    }
  const std::vector<std::int64_t> own = urgencies(problem);
  for (std::uint32_t u = 0; u < unroll; ++u)
    urgency.insert(urgency.end(), own.begin(), own.end());
  const auto add = [&](std::uint32_t from, std::uint32_t to,
                       std::int64_t latency, std::uint32_t distance,
                       std::uint32_t source) {
    for (std::uint32_t u = 0; u < unroll; ++u)
      edges.push_back({u * size + from, (u + distance) % unroll * size + to,
                       latency, (u + distance) / unroll, source});
  };
  const auto marginOf = [&](std::uint32_t operation) {
    return margin > 0 && problem.operations[operation].work > 0
               ? margin + transferMargin
               : margin;
  };
  for (std::uint32_t e = 0; e < problem.edges.size(); ++e) {
    const ModuloEdge &edge = problem.edges[e];
    add(edge.from, edge.to,
        edge.latency + (edge.spreads ? marginOf(edge.from) : 0), edge.distance,
        e);
  }
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    if (copies[b] == 0)
      continue;
    const ModuloBuffer &buffer = problem.buffers[b];
    for (const ModuloBuffer::User &user : buffer.users)
      for (const ModuloBuffer::User &writer : buffer.users)
        if (writer.writes)
          add(user.operation, writer.operation,
              user.release + marginOf(user.operation), copies[b], noSource);
  }
  index(edges, nodes, &Edge::from, out);
  index(edges, nodes, &Edge::to, in);
}

namespace {

constexpr std::uint32_t noNode = ~std::uint32_t{0};

/// Raises `value` along the edges until nothing moves: then `cycle` is noNode,
/// else a node of a cycle that gains. `last` is the edge that moved each node
/// last; a cycle of such edges gains, so the search need not go on until each
/// node could have moved all others.
struct Relaxation {
  std::vector<std::int64_t> value;
  std::vector<std::uint32_t> last;
  std::uint32_t cycle = noNode;

  Relaxation(const ModuloGraph &graph, std::int64_t interval,
             std::vector<std::int64_t> from)
      : value(std::move(from)), last(graph.nodes, ModuloGraph::noSource) {
    while (cycle == noNode && moveAll(graph, interval))
      cycle = nodeOnCycle(graph);
  }

private:
  bool moveAll(const ModuloGraph &graph, std::int64_t interval) {
    bool moved = false;
    for (std::uint32_t e = static_cast<std::uint32_t>(graph.edges.size());
         e-- > 0;) {
      const ModuloGraph::Edge &edge = graph.edges[e];
      const std::int64_t reached =
          value[edge.to] + edge.latency -
          interval * static_cast<std::int64_t>(edge.distance);
      if (reached <= value[edge.from])
        continue;
      value[edge.from] = reached;
      last[edge.from] = e;
      moved = true;
    }
    return moved;
  }

  std::uint32_t nodeOnCycle(const ModuloGraph &graph) const {
    std::vector<std::uint32_t> seenFrom(graph.nodes, noNode);
    for (std::uint32_t begin = 0; begin < graph.nodes; ++begin) {
      std::uint32_t node = begin;
      while (last[node] != ModuloGraph::noSource && seenFrom[node] == noNode) {
        seenFrom[node] = begin;
        node = graph.edges[last[node]].to;
      }
      if (last[node] != ModuloGraph::noSource && seenFrom[node] == begin)
        return node;
    }
    return noNode;
  }
};

} // namespace

std::optional<std::vector<std::int64_t>> heightsAt(const ModuloGraph &graph,
                                                   std::int64_t interval) {
  Relaxation relaxed(graph, interval, graph.issue);
  if (relaxed.cycle != noNode)
    return std::nullopt;
  return std::move(relaxed.value);
}

std::vector<std::uint32_t> cycleAt(const ModuloGraph &graph,
                                   std::int64_t interval) {
  const Relaxation relaxed(graph, interval,
                           std::vector<std::int64_t>(graph.nodes, 0));
  std::vector<std::uint32_t> cycle;
  if (relaxed.cycle == noNode)
    return cycle;
  std::uint32_t node = relaxed.cycle;
  do {
    cycle.push_back(relaxed.last[node]);
    node = graph.edges[relaxed.last[node]].to;
  } while (node != relaxed.cycle);
  return cycle;
}

/// The interval of a cycle that gains at a shorter one, until none gains: each
/// step finds a worse cycle, and few steps are needed.
std::int64_t recurrenceOf(const ModuloGraph &graph, std::int64_t atMost) {
  std::int64_t interval = 0;
  while (interval < atMost) {
    std::int64_t latency = 0, distance = 0;
    for (const std::uint32_t e : cycleAt(graph, interval)) {
      latency += graph.edges[e].latency;
      distance += static_cast<std::int64_t>(graph.edges[e].distance);
    }
    if (latency <= interval * distance)
      return interval;
    if (distance <= 0)
      return atMost;
    interval = isa::ceilDiv(latency, distance);
  }
  return atMost;
}

} // namespace kiln::problems
