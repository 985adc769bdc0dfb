//===- OrderProblem.cpp - Instances of ordering: check, bounds, text ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop                            # or: loop 16 (trips), straight
//   warmup 3000000 500 900          # window in ps, slow rate, demand in 1/1000
//   op tensor 100 200               # engine, occupancy, latency in ps
//   op sync q0 1000 2000 issue 50 moving 900
//   op vector 100 200 at 700     # start, where one is given
//   edge 0 1 200                    # from, to, latency
//   edge 1 0 200 distance 2
//   room psum 16384                 # bytes of a partition
//   scope 4096                      # the same for a part of a memory
//   buffer psum 2048 0 1            # bytes, users
//   buffer psum 2048 scope 0 1 2    # that has to lie in that part
//   op vector 100 200 urgency 2     # before others that could start
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/OrderProblem.h"

#include "TextReader.h"

#include "kiln/isa/rounding.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>

namespace kiln::problems {

bool OrderProblem::hasUrgencies() const {
  return std::any_of(operations.begin(), operations.end(),
                     [](const OrderOperation &op) { return op.urgency != 0; });
}

Problem OrderProblem::check() const {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const OrderOperation &op = operations[i];
    if (op.queue >= static_cast<std::int32_t>(isa::dmaQueues))
      return fmt::format("operation {}: DMA queue {} of {}", i, op.queue,
                         isa::dmaQueues);
    if (op.occupancy < 0 || op.latency < 0 || op.issue < 0 || op.moving < 0)
      return fmt::format("operation {}: a negative time", i);
  }
  if (trips < 0)
    return fmt::format("{} trips", trips);
  if (warmUp.window < 0 || !(warmUp.coldRate > 0 && warmUp.coldRate <= 1) ||
      !(warmUp.demand >= 0))
    return fmt::format("a window of {} ps and a rate of {} while cold",
                       warmUp.window, warmUp.coldRate);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const OrderBuffer &buffer = buffers[i];
    if (buffer.bytes < 0 || buffer.users.empty() ||
        buffer.space == isa::Space::hbm)
      return fmt::format("buffer {}: {} bytes for {} users in {}", i,
                         buffer.bytes, buffer.users.size(),
                         isa::name(buffer.space));
    if (buffer.scope && *buffer.scope >= scopeRooms.size())
      return fmt::format("buffer {}: scope {} of {}", i, *buffer.scope,
                         scopeRooms.size());
    if (buffer.users.back() >= operations.size() ||
        std::adjacent_find(buffer.users.begin(), buffer.users.end(),
                           std::greater_equal<>()) != buffer.users.end())
      return fmt::format("buffer {}: its users must ascend and be among {} "
                         "operations",
                         i, operations.size());
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const OrderEdge &edge = edges[i];
    if (edge.from >= operations.size() || edge.to >= operations.size())
      return fmt::format("edge {}: operation {} of {}", i,
                         std::max(edge.from, edge.to), operations.size());
    if (edge.latency < 0)
      return fmt::format("edge {}: a negative latency", i);
    if (edge.distance > 0 && !loop)
      return fmt::format("edge {}: carried by {} iterations, but the block is "
                         "not a loop",
                         i, edge.distance);
    if (edge.distance == 0 && edge.from >= edge.to)
      return fmt::format("edge {}: from {} to {} against the source order", i,
                         edge.from, edge.to);
  }
  return std::nullopt;
}

std::int64_t excessBytes(const OrderProblem &problem,
                         const OrderSolution &solution) {
  std::vector<std::size_t> place(problem.operations.size());
  for (std::size_t at = 0; at < solution.order.size(); ++at)
    place[solution.order[at]] = at;
  std::int64_t excess = 0;
  const auto addExcess = [&](std::int64_t room, auto &&isThere) {
    if (room == 0)
      return;
    std::vector<std::int64_t> change(problem.operations.size() + 1, 0);
    for (const OrderBuffer &buffer : problem.buffers) {
      if (!isThere(buffer))
        continue;
      std::size_t first = place.size(), last = 0;
      for (const std::uint32_t user : buffer.users) {
        first = std::min(first, place[user]);
        last = std::max(last, place[user]);
      }
      change[first] += buffer.bytes;
      change[last + 1] -= buffer.bytes;
    }
    std::int64_t live = 0, most = 0;
    for (const std::int64_t delta : change)
      most = std::max(most, live += delta);
    excess += std::max<std::int64_t>(0, most - room);
  };
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum})
    addExcess(problem.room(space),
              [&](const OrderBuffer &buffer) { return buffer.space == space; });
  for (std::uint32_t i = 0; i < problem.scopeRooms.size(); ++i)
    addExcess(problem.scopeRooms[i],
              [&](const OrderBuffer &buffer) { return buffer.scope == i; });
  return excess;
}

namespace {

/// Whether cycles have more latency than an interval times their distance.
class Recurrence {
public:
  Recurrence(const OrderProblem &problem,
             const std::vector<std::uint32_t> &byTarget)
      : problem(problem), byTarget(byTarget) {
    // Edges of distance 0 follow the numbering, so one pass in target order
    // settles them; each further pass adds one carried edge to the chains.
    const auto carried = static_cast<std::size_t>(
        std::count_if(problem.edges.begin(), problem.edges.end(),
                      [](const OrderEdge &edge) { return edge.distance > 0; }));
    passes = std::min<std::size_t>(carried + 1, mostPasses);
  }

  struct Answer {
    bool isEnough = false;
    /// If not: the interval that a cycle needs, where one was found.
    std::optional<std::int64_t> needed;
  };
  Answer ask(std::int64_t interval) const {
    std::vector<std::int64_t> start(problem.operations.size(), 0);
    // The edge that moved each operation last: a cycle of such edges gains, so
    // the passes need not go on.
    std::vector<std::uint32_t> last(start.size(), noEdge);
    for (std::size_t pass = 0; pass <= passes; ++pass) {
      bool moved = false;
      for (const std::uint32_t index : byTarget) {
        const OrderEdge &edge = problem.edges[index];
        const std::int64_t least =
            start[edge.from] + edge.latency -
            interval * static_cast<std::int64_t>(edge.distance);
        if (least > start[edge.to]) {
          start[edge.to] = least;
          last[edge.to] = index;
          moved = true;
        }
      }
      if (!moved)
        return {.isEnough = true, .needed = std::nullopt};
      if (const auto needed = intervalOfCycle(last))
        return {.isEnough = false, .needed = needed};
    }
    return {};
  }

private:
  static constexpr std::uint32_t noEdge = ~std::uint32_t{0};
  static constexpr std::size_t mostPasses = 64;

  std::optional<std::int64_t>
  intervalOfCycle(const std::vector<std::uint32_t> &last) const {
    std::vector<std::uint32_t> seenFrom(last.size(), noEdge);
    for (std::uint32_t begin = 0; begin < last.size(); ++begin) {
      std::uint32_t op = begin;
      while (last[op] != noEdge && seenFrom[op] == noEdge) {
        seenFrom[op] = begin;
        op = problem.edges[last[op]].from;
      }
      if (last[op] == noEdge || seenFrom[op] != begin)
        continue;
      std::int64_t latency = 0, distance = 0;
      const std::uint32_t first = op;
      do {
        const OrderEdge &edge = problem.edges[last[op]];
        latency += edge.latency;
        distance += static_cast<std::int64_t>(edge.distance);
        op = edge.from;
      } while (op != first);
      // Within an iteration there are no cycles.
      return isa::ceilDiv(latency, std::max<std::int64_t>(distance, 1));
    }
    return std::nullopt;
  }

  const OrderProblem &problem;
  const std::vector<std::uint32_t> &byTarget;
  std::size_t passes = 0;
};

} // namespace

OrderBounds orderBounds(const OrderProblem &problem) {
  OrderBounds bounds;
  std::array<std::int64_t, numExecutionStreams> busy{};
  for (const OrderOperation &op : problem.operations) {
    busy[op.execution()] += op.occupancy;
    if (op.queue >= 0)
      busy[static_cast<std::size_t>(op.engine)] += op.issue;
  }
  for (std::uint32_t s = 0; s < busy.size(); ++s)
    if (busy[s] > bounds.resource) {
      bounds.resource = busy[s];
      bounds.busiest = s;
    }
  std::vector<std::uint32_t> byTarget(problem.edges.size());
  for (std::uint32_t i = 0; i < byTarget.size(); ++i)
    byTarget[i] = i;
  std::sort(byTarget.begin(), byTarget.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return std::pair(problem.edges[a].to, a) <
                     std::pair(problem.edges[b].to, b);
            });
  std::vector<std::int64_t> finish(problem.operations.size());
  std::size_t next = 0;
  for (std::uint32_t op = 0; op < problem.operations.size(); ++op) {
    std::int64_t start = 0;
    for (; next < byTarget.size() && problem.edges[byTarget[next]].to == op;
         ++next) {
      const OrderEdge &edge = problem.edges[byTarget[next]];
      if (edge.distance == 0)
        start = std::max(start, finish[edge.from] + edge.latency);
    }
    finish[op] = start; // Start times first; the path adds the last latency.
    bounds.path = std::max(bounds.path, start + problem.operations[op].latency);
  }
  std::int64_t low = 0, high = 0;
  for (const OrderEdge &edge : problem.edges)
    if (edge.distance > 0)
      high = std::max(high, bounds.path + edge.latency);
  const Recurrence recurrence(problem, byTarget);
  // A cycle says how long the interval has to be at least, which is mostly
  // enough. Without one, the answer is somewhere between.
  for (bool isNeeded = false; low < high;) {
    const std::int64_t tried = isNeeded ? low : low + (high - low) / 2;
    const Recurrence::Answer answer = recurrence.ask(tried);
    isNeeded = answer.needed.has_value();
    if (answer.isEnough)
      high = tried;
    else
      low = std::clamp(answer.needed.value_or(0), tried + 1, high);
  }
  bounds.recurrence = low;
  return bounds;
}

std::string print(const OrderProblem &problem) {
  std::string out = !problem.loop ? "straight\n"
                    : problem.trips > 0
                        ? fmt::format("loop {}\n", problem.trips)
                        : "loop\n";
  if (problem.warmUp.window > 0)
    out += fmt::format("warmup {} {} {}\n", problem.warmUp.window,
                       problem.warmUp.coldRate, problem.warmUp.demand);
  for (const OrderOperation &op : problem.operations) {
    out += fmt::format("op {}", isa::name(op.engine));
    if (op.queue >= 0)
      out += fmt::format(" q{}", op.queue);
    out += fmt::format(" {} {}", op.occupancy, op.latency);
    if (op.issue)
      out += fmt::format(" issue {}", op.issue);
    if (op.moving)
      out += fmt::format(" moving {}", op.moving);
    if (op.start)
      out += fmt::format(" at {}", *op.start);
    if (op.urgency)
      out += fmt::format(" urgency {}", op.urgency);
    out += "\n";
  }
  for (const OrderEdge &edge : problem.edges) {
    out += fmt::format("edge {} {} {}", edge.from, edge.to, edge.latency);
    if (edge.distance)
      out += fmt::format(" distance {}", edge.distance);
    out += "\n";
  }
  for (const isa::Space space : {isa::Space::sbuf, isa::Space::psum})
    if (problem.room(space))
      out += fmt::format("room {} {}\n", isa::name(space), problem.room(space));
  for (const std::int64_t room : problem.scopeRooms)
    out += fmt::format("scope {}\n", room);
  for (const OrderBuffer &buffer : problem.buffers) {
    out += fmt::format("buffer {} {}", isa::name(buffer.space), buffer.bytes);
    if (buffer.scope)
      out += fmt::format(" scope {}", *buffer.scope);
    out += fmt::format(" {}\n", fmt::join(buffer.users, " "));
  }
  return out;
}

Parsed<OrderProblem> parseOrderProblem(std::string_view text) {
  OrderProblem problem;
  TextReader reader(text);
  while (!reader.failed() && reader.nextLine()) {
    if (reader.accept("loop")) {
      problem.loop = true;
      if (!reader.atEnd())
        problem.trips = reader.number<std::int64_t>();
    } else if (reader.accept("straight")) {
      problem.loop = false;
    } else if (reader.accept("op")) {
      OrderOperation op;
      readWhereItRuns(reader, op.engine, op.queue);
      op.occupancy = reader.number<std::int64_t>();
      op.latency = reader.number<std::int64_t>();
      if (reader.accept("issue"))
        op.issue = reader.number<std::int64_t>();
      if (reader.accept("moving"))
        op.moving = reader.number<std::int64_t>();
      if (reader.accept("at"))
        op.start = reader.number<std::int64_t>();
      if (reader.accept("urgency"))
        op.urgency = reader.number<std::int64_t>();
      problem.operations.push_back(op);
    } else if (reader.accept("edge")) {
      OrderEdge edge;
      edge.from = reader.number<std::uint32_t>();
      edge.to = reader.number<std::uint32_t>();
      edge.latency = reader.number<std::int64_t>();
      if (reader.accept("distance"))
        edge.distance = reader.number<std::uint32_t>();
      problem.edges.push_back(edge);
    } else if (reader.accept("warmup")) {
      problem.warmUp.window = reader.number<std::int64_t>();
      problem.warmUp.coldRate = reader.number<double>();
      problem.warmUp.demand = reader.number<double>();
    } else if (reader.accept("room")) {
      const isa::Space space = reader.onChipSpace();
      (space == isa::Space::psum ? problem.psumRoom : problem.sbufRoom) =
          reader.number<std::int64_t>();
    } else if (reader.accept("scope")) {
      problem.scopeRooms.push_back(reader.number<std::int64_t>());
    } else if (reader.accept("buffer")) {
      OrderBuffer buffer;
      buffer.space = reader.onChipSpace();
      buffer.bytes = reader.number<std::int64_t>();
      if (reader.accept("scope"))
        buffer.scope = reader.number<std::uint32_t>();
      while (!reader.failed() && !reader.atEnd())
        buffer.users.push_back(reader.number<std::uint32_t>());
      problem.buffers.push_back(std::move(buffer));
    } else {
      reader.fail(
          "expected loop, straight, warmup, op, edge, room, scope or buffer");
    }
    reader.expectEnd();
  }
  return checked(reader, std::move(problem));
}

} // namespace kiln::problems
