//===- ModuloReplay.cpp - What in-order streams make of a schedule ---- ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/ModuloProblem.h"

#include <algorithm>

namespace kiln::problems {

ModuloReport replayModulo(const ModuloProblem &problem,
                          const ModuloSolution &solution, std::uint32_t trips) {
  const auto size = static_cast<std::uint32_t>(problem.operations.size());
  struct Wait {
    std::uint32_t from;
    std::int64_t latency;
    std::uint32_t distance;
  };
  std::vector<std::vector<Wait>> waits(size);
  for (const ModuloEdge &edge : problem.edges)
    waits[edge.to].push_back({edge.from, edge.latency, edge.distance});
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    for (const ModuloBuffer::User &user : problem.buffers[b].users)
      for (const ModuloBuffer::User &writer : problem.buffers[b].users)
        if (writer.writes)
          waits[writer.operation].push_back(
              {user.operation, user.release, solution.copies[b]});
  std::vector<std::int64_t> start(std::size_t{trips} * size, 0);
  std::array<std::int64_t, isa::numEngines> free{};
  std::int64_t transfers = 0; // When all DMA engines are done.
  ModuloReport report;
  std::vector<std::int64_t> end(trips, 0);
  for (const ModuloInstance &instance : moduloOrder(solution, size, 0, trips)) {
    const ModuloOperation &op = problem.operations[instance.operation];
    std::int64_t &stream = free[static_cast<std::size_t>(op.engine)];
    std::int64_t ready = stream;
    for (const Wait &wait : waits[instance.operation])
      if (wait.distance <= instance.iteration)
        ready = std::max(
            ready,
            start[std::size_t{instance.iteration - wait.distance} * size +
                  wait.from] +
                wait.latency);
    stream = ready + op.issue;
    if (op.work > 0) {
      ready = std::max(ready, transfers);
      transfers = ready + op.work;
    }
    start[std::size_t{instance.iteration} * size + instance.operation] = ready;
    std::int64_t &last = end[instance.iteration];
    last = std::max(last, ready + std::max(op.issue, op.work));
  }
  for (std::uint32_t i = 1; i < trips; ++i)
    end[i] = std::max(end[i], end[i - 1]);
  report.makespan = trips ? end[trips - 1] : 0;
  const std::uint32_t middle = trips / 2;
  if (trips > 1)
    report.interval = static_cast<double>(end[trips - 1] - end[middle]) /
                      (trips - 1 - middle);
  return report;
}

} // namespace kiln::problems
