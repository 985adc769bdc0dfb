//===- ModuloReplay.cpp - What in-order streams make of a schedule ---- ===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/ModuloProblem.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace kiln::problems {
namespace {

constexpr std::int64_t notYet = -1;

/// Streams run against each other: of those whose next instruction has
/// everything that it waits for, the one that can start first continues.
/// Transfers reach the DMA engines in this order, not in that of the schedule.
class Replay {
public:
  Replay(const ModuloProblem &problem, const ModuloSolution &solution,
         std::uint32_t trips, const std::vector<ModuloTurns> &turns)
      : problem(problem),
        size(static_cast<std::uint32_t>(problem.operations.size())),
        waits(size), start(std::size_t{trips} * size, notYet), end(trips, 0),
        turnsOf(size) {
    for (const ModuloTurns &entry : turns)
      turnsOf[entry.operation] = turnsOf[entry.placeholder] = &entry;
    for (const ModuloEdge &edge : problem.edges)
      waits[edge.to].push_back({edge.from, edge.latency, edge.distance});
    for (std::size_t b = 0; b < problem.buffers.size(); ++b)
      for (const ModuloBuffer::User &user : problem.buffers[b].users)
        for (const ModuloBuffer::User &writer : problem.buffers[b].users)
          if (writer.writes)
            waits[writer.operation].push_back(
                {user.operation, user.release, solution.copies[b]});
    for (std::vector<Wait> &list : waits)
      keepLongest(list);
    for (const ModuloInstance &instance :
         moduloOrder(solution, size, 0, trips)) {
      const ModuloTurns *taken = turnsOf[instance.operation];
      if (taken && taken->placeholder == instance.operation)
        continue;
      const isa::Engine engine =
          taken && taken->isOthers(instance.iteration)
              ? taken->other
              : problem.operations[instance.operation].engine;
      streams[static_cast<std::size_t>(engine)].list.push_back(instance);
    }
  }

  /// When the last instruction of each iteration ends.
  std::vector<std::int64_t> run() {
    while (true) {
      Stream *first = nullptr;
      for (Stream &stream : streams) {
        if (stream.next == stream.list.size())
          continue;
        // Once known, it does not change until the instruction starts.
        if (stream.ready == notYet)
          stream.ready = readyTime(stream);
        if (stream.ready != notYet && (!first || stream.ready < first->ready))
          first = &stream;
      }
      if (!first)
        return std::move(end);
      execute(*first, std::exchange(first->ready, notYet));
    }
  }

  /// After run(): when the operations of an iteration started.
  std::vector<std::int64_t> startsOf(std::uint32_t iteration) const {
    const auto first = start.begin() + std::ptrdiff_t{iteration} * size;
    return {first, first + size};
  }

private:
  struct Wait {
    std::uint32_t from;
    std::int64_t latency;
    std::uint32_t distance;
  };
  struct Stream {
    std::vector<ModuloInstance> list;
    std::size_t next = 0;
    std::int64_t free = 0;
    std::int64_t ready = notYet; ///< When its next instruction may start.
  };

  /// Of the waits for one operation, where there are several.
  static void keepLongest(std::vector<Wait> &list) {
    std::sort(list.begin(), list.end(), [](const Wait &a, const Wait &b) {
      return std::tie(a.from, a.distance, b.latency) <
             std::tie(b.from, b.distance, a.latency);
    });
    const auto last =
        std::unique(list.begin(), list.end(), [](const Wait &a, const Wait &b) {
          return a.from == b.from && a.distance == b.distance;
        });
    list.erase(last, list.end());
  }

  std::int64_t readyTime(const Stream &stream) const {
    const ModuloInstance &instance = stream.list[stream.next];
    std::int64_t ready = stream.free;
    for (const Wait &wait : waits[instance.operation]) {
      if (wait.distance > instance.iteration)
        continue;
      const std::int64_t source =
          start[std::size_t{instance.iteration - wait.distance} * size +
                wait.from];
      if (source == notYet)
        return notYet;
      ready = std::max(
          ready, source + wait.latency +
                     longer(wait.from, instance.iteration - wait.distance));
    }
    return ready;
  }

  /// ps by which the engine that takes it takes longer than its own.
  std::int64_t longer(std::uint32_t operation, std::uint32_t iteration) const {
    const ModuloTurns *taken = turnsOf[operation];
    return taken && taken->isOthers(iteration) ? taken->others - taken->own : 0;
  }

  void execute(Stream &stream, std::int64_t time) {
    const ModuloInstance &instance = stream.list[stream.next++];
    const ModuloOperation &op = problem.operations[instance.operation];
    const ModuloTurns *taken = turnsOf[instance.operation];
    const std::int64_t issue =
        taken ? taken->own + longer(instance.operation, instance.iteration)
              : op.issue;
    stream.free = time + issue;
    if (op.work > 0) {
      time = std::max(time, transfers);
      transfers = time + op.work;
    }
    start[std::size_t{instance.iteration} * size + instance.operation] = time;
    std::int64_t &last = end[instance.iteration];
    last = std::max(last, time + std::max(issue, op.work));
  }

  const ModuloProblem &problem;
  std::uint32_t size;
  std::vector<std::vector<Wait>> waits;
  std::vector<std::int64_t> start, end;
  std::vector<const ModuloTurns *> turnsOf; ///< By operation; null = none.
  std::array<Stream, isa::numEngines> streams;
  std::int64_t transfers = 0; ///< When all DMA engines are done.
};

} // namespace

ModuloReport replayModulo(const ModuloProblem &problem,
                          const ModuloSolution &solution, std::uint32_t trips,
                          const std::vector<ModuloTurns> &turns) {
  Replay replay(problem, solution, trips, turns);
  std::vector<std::int64_t> end = replay.run();
  for (std::uint32_t i = 1; i < trips; ++i)
    end[i] = std::max(end[i], end[i - 1]);
  ModuloReport report;
  report.makespan = trips ? end[trips - 1] : 0;
  if (trips > 0)
    report.start = replay.startsOf(trips / 2);
  // Neither the fill nor the drain.
  const std::uint32_t first = trips / 4, last = trips - 1 - trips / 4;
  if (trips > 1)
    report.interval =
        static_cast<double>(end[last] - end[first]) / (last - first);
  return report;
}

} // namespace kiln::problems
