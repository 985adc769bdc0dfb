//===- ModuloBounds.cpp - Intervals that no schedule beats ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuloGraph.h"

#include <algorithm>

namespace kiln::problems {

std::int64_t ModuloBounds::resource() const {
  return std::max(transfers, *std::max_element(streams.begin(), streams.end()));
}

/// Buffers that the program gave a number of copies.
static std::vector<std::uint32_t> fixedCopies(const ModuloProblem &problem) {
  std::vector<std::uint32_t> copies;
  for (const ModuloBuffer &buffer : problem.buffers)
    copies.push_back(buffer.copies);
  return copies;
}

ModuloBounds moduloBounds(const ModuloProblem &problem) {
  ModuloBounds bounds;
  for (const ModuloOperation &op : problem.operations) {
    bounds.streams[static_cast<std::size_t>(op.engine)] += op.issue;
    bounds.transfers += op.work;
  }
  const ModuloGraph graph(problem, 1, 0, fixedCopies(problem));
  std::int64_t atMost = 0;
  for (const ModuloGraph::Edge &edge : graph.edges)
    atMost += edge.latency;
  bounds.recurrence = recurrenceOf(graph, atMost);
  if (bounds.recurrence > 0)
    for (std::uint32_t e : cycleAt(graph, bounds.recurrence - 1))
      if (graph.edges[e].source != ModuloGraph::noSource)
        bounds.cycle.push_back(graph.edges[e].source);
  return bounds;
}

} // namespace kiln::problems
