//===- ListSchedule.cpp - One order, by urgency ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListSchedule.h"

#include "BuffersOfOperations.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace kiln::problems {
namespace {

/// The memory that is taken while an order grows.
class Pressure {
public:
  explicit Pressure(const OrderProblem &problem)
      : problem(problem), buffersOf(problem),
        liveInScope(problem.scopeRooms.size(), 0) {
    for (const OrderBuffer &buffer : problem.buffers)
      missing.push_back(buffer.users.size());
  }

  /// Whether there is room for what `op` would be the first to use.
  bool admits(std::uint32_t op) const {
    std::int64_t sbuf = 0, psum = 0;
    std::vector<std::int64_t> scopes(liveInScope.size(), 0);
    for (const std::uint32_t b : buffersOf.of(op)) {
      const OrderBuffer &buffer = problem.buffers[b];
      if (missing[b] != buffer.users.size())
        continue;
      (buffer.space == isa::Space::psum ? psum : sbuf) += buffer.bytes;
      if (buffer.scope)
        scopes[*buffer.scope] += buffer.bytes;
    }
    for (std::size_t i = 0; i < scopes.size(); ++i)
      if (!fits(scopes[i], liveInScope[i], problem.scopeRooms[i]))
        return false;
    return fits(sbuf, liveSbuf, problem.sbufRoom) &&
           fits(psum, livePsum, problem.psumRoom);
  }
  /// `op` comes next. True if it was the last user of something.
  bool take(std::uint32_t op) {
    bool freed = false;
    for (const std::uint32_t b : buffersOf.of(op)) {
      const OrderBuffer &buffer = problem.buffers[b];
      std::int64_t &live =
          buffer.space == isa::Space::psum ? livePsum : liveSbuf;
      std::int64_t change =
          missing[b] == buffer.users.size() ? buffer.bytes : 0;
      if (--missing[b] == 0) {
        change -= buffer.bytes;
        freed = true;
      }
      live += change;
      if (buffer.scope)
        liveInScope[*buffer.scope] += change;
    }
    return freed;
  }

private:
  static bool fits(std::int64_t more, std::int64_t live, std::int64_t room) {
    return more == 0 || room == 0 || live + more <= room;
  }

  const OrderProblem &problem;
  BuffersOfOperations buffersOf;
  std::vector<std::size_t> missing; ///< Users still to come.
  std::int64_t liveSbuf = 0, livePsum = 0;
  std::vector<std::int64_t> liveInScope;
};

} // namespace

std::vector<std::int64_t> heights(const OrderProblem &problem,
                                  const Successors &successors,
                                  std::int64_t interval) {
  std::vector<std::int64_t> height(problem.operations.size());
  for (std::size_t i = 0; i < height.size(); ++i)
    height[i] = problem.operations[i].latency;
  unsigned rounds = interval > 0 ? 4 : 1;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t op = height.size(); op-- > 0;)
      for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
           ++i) {
        const OrderEdge &edge = problem.edges[successors.edge[i]];
        height[op] = std::max(height[op], edge.latency + height[edge.to]);
      }
    if (interval > 0)
      for (const OrderEdge &edge : problem.edges)
        if (edge.distance > 0)
          height[edge.from] =
              std::max(height[edge.from],
                       edge.latency + height[edge.to] -
                           interval * static_cast<std::int64_t>(edge.distance));
  }
  return height;
}

std::vector<std::int64_t> urgencies(const OrderProblem &problem,
                                    const Successors &successors) {
  std::vector<std::int64_t> urgency(problem.operations.size());
  for (std::size_t op = urgency.size(); op-- > 0;) {
    urgency[op] = problem.operations[op].urgency;
    for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
         ++i)
      urgency[op] =
          std::max(urgency[op], urgency[problem.edges[successors.edge[i]].to]);
  }
  return urgency;
}

OrderSolution listSchedule(const OrderProblem &problem,
                           const Successors &successors,
                           const std::vector<std::int64_t> &height,
                           Steady &steady) {
  std::size_t size = problem.operations.size();
  const std::vector<std::int64_t> urgency = urgencies(problem, successors);
  std::vector<std::uint32_t> missing(size, 0);
  std::vector<std::int64_t> ready(size, 0), starts(size, 0);
  for (const OrderEdge &edge : problem.edges)
    if (edge.distance == 0)
      ++missing[edge.to];
    else if (edge.distance <= steady.starts.size())
      ready[edge.to] = std::max(
          ready[edge.to],
          steady.starts[steady.starts.size() - edge.distance][edge.from] +
              edge.latency);

  // Per engine: operations whose inputs come later, by time; operations that
  // could start now, by urgency and height. Indices break ties.
  using Later = std::pair<std::int64_t, std::uint32_t>;
  using Now = std::tuple<std::pair<std::int64_t, std::int64_t>, std::uint32_t>;
  struct Stream {
    std::priority_queue<Later, std::vector<Later>, std::greater<>> later;
    std::priority_queue<Now, std::vector<Now>, std::greater<>> now;
    std::vector<Now> held;
    std::int64_t free = 0;
  };
  Pressure pressure(problem);
  std::array<Stream, isa::numEngines> streams;
  for (std::size_t i = 0; i < streams.size(); ++i)
    streams[i].free = steady.streams[i];
  auto release = [&](std::uint32_t op) {
    streams[static_cast<std::size_t>(problem.operations[op].engine)].later.push(
        {ready[op], op});
  };
  for (std::uint32_t op = 0; op < size; ++op)
    if (missing[op] == 0)
      release(op);

  auto hold = [&](Stream &stream) {
    while (!stream.now.empty() &&
           !pressure.admits(std::get<1>(stream.now.top()))) {
      stream.held.push_back(stream.now.top());
      stream.now.pop();
    }
  };
  auto letGo = [&] {
    for (Stream &stream : streams) {
      for (const Now &entry : stream.held)
        stream.now.push(entry);
      stream.held.clear();
    }
  };
  // Everything waits for room: the source order keeps less live at once.
  auto force = [&]() -> std::pair<Stream *, std::uint32_t> {
    Stream *owner = nullptr;
    std::vector<Now>::iterator earliest;
    for (Stream &stream : streams)
      for (auto it = stream.held.begin(); it != stream.held.end(); ++it)
        if (!owner || std::get<1>(*it) < std::get<1>(*earliest)) {
          owner = &stream;
          earliest = it;
        }
    const std::uint32_t op = std::get<1>(*earliest);
    owner->held.erase(earliest);
    return {owner, op};
  };

  OrderSolution solution;
  solution.order.reserve(size);
  while (solution.order.size() < size) {
    Stream *best = nullptr;
    std::int64_t soonest = 0;
    for (Stream &stream : streams) {
      hold(stream);
      if (stream.now.empty() && stream.later.empty())
        continue;
      std::int64_t start = stream.now.empty()
                               ? std::max(stream.free, stream.later.top().first)
                               : stream.free;
      if (!best || start < soonest) {
        best = &stream;
        soonest = start;
      }
    }
    std::uint32_t op = 0;
    if (!best) {
      std::tie(best, op) = force();
      soonest = best->free;
    } else {
      while (!best->later.empty() && best->later.top().first <= soonest) {
        op = best->later.top().second;
        best->later.pop();
        best->now.push({{-urgency[op], -height[op]}, op});
      }
      hold(*best);
      if (best->now.empty())
        continue;
      op = std::get<1>(best->now.top());
      best->now.pop();
    }
    const OrderOperation &operation = problem.operations[op];
    std::int64_t start = std::max(soonest, steady.banks.take(op));
    if (pressure.take(op))
      letGo();
    if (operation.queue >= 0) {
      best->free = start + operation.issue;
      std::int64_t &queue = steady.queues[operation.execution()];
      start = std::max(queue, best->free);
      if (!problem.loop) {
        start = std::max(start, steady.moved);
        steady.moved = start + operation.moving;
      }
      queue = start + operation.occupancy;
    } else {
      best->free = start + operation.occupancy;
    }
    steady.banks.leave(op, start + operation.occupancy);
    starts[op] = start;
    solution.order.push_back(op);
    for (std::uint32_t i = successors.first[op]; i < successors.first[op + 1];
         ++i) {
      const OrderEdge &edge = problem.edges[successors.edge[i]];
      ready[edge.to] = std::max(ready[edge.to], start + edge.latency);
      if (--missing[edge.to] == 0)
        release(edge.to);
    }
  }
  for (std::size_t i = 0; i < streams.size(); ++i)
    steady.streams[i] = streams[i].free;
  steady.starts.push_back(std::move(starts));
  return solution;
}

} // namespace kiln::problems
