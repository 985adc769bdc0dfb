//===- ModuloRecurrences.cpp - The cycles that bound a loop ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/solve/ModuloRecurrences.h"

namespace kiln::problems {

std::vector<ModuloRecurrence>
moduloRecurrences(const ModuloProblem &problem,
                  const std::vector<std::uint32_t> &copies, std::size_t most) {
  // What buffers demand, as edges with names.
  ModuloProblem left;
  left.operations = problem.operations;
  left.edges = problem.edges;
  std::vector<std::optional<std::uint32_t>> bufferOf(left.edges.size());
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    if (copies[b] == 0)
      continue;
    for (const ModuloBuffer::User &user : problem.buffers[b].users)
      for (const ModuloBuffer::User &writer : problem.buffers[b].users)
        if (writer.writes) {
          left.edges.push_back({user.operation, writer.operation, user.release,
                                copies[b], false});
          bufferOf.push_back(b);
        }
  }
  std::vector<ModuloRecurrence> found;
  while (found.size() < most) {
    const ModuloBounds bounds = moduloBounds(left);
    if (bounds.recurrence <= 0 || bounds.cycle.empty())
      break;
    ModuloRecurrence recurrence;
    recurrence.interval = bounds.recurrence;
    std::vector<bool> isTaken(left.edges.size());
    for (std::uint32_t e : bounds.cycle) {
      const ModuloEdge &edge = left.edges[e];
      recurrence.links.push_back(
          {edge.from, edge.latency, edge.distance, bufferOf[e]});
      isTaken[e] = edge.distance > 0;
    }
    found.push_back(std::move(recurrence));
    std::size_t kept = 0;
    for (std::size_t e = 0; e < left.edges.size(); ++e)
      if (!isTaken[e]) {
        left.edges[kept] = left.edges[e];
        bufferOf[kept++] = bufferOf[e];
      }
    left.edges.resize(kept);
    bufferOf.resize(kept);
  }
  return found;
}

} // namespace kiln::problems
