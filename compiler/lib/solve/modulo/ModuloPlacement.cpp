//===- ModuloPlacement.cpp - Iterative modulo scheduling ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rau, "Iterative Modulo Scheduling", MICRO 1994: of the most urgent
// operations, that of the greatest height takes the earliest free place in its
// stream; if there is none, it takes the place of others, which are placed
// anew. Times are picoseconds, so places are intervals, not slots.
//
//===----------------------------------------------------------------------===//

#include "ModuloPlacement.h"
#include "StreamTable.h"

#include "kiln/isa/split_mix.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

namespace kiln::problems {
namespace {

/// No time, and no way. Nor is what is found on such ways: it is as far from
/// all times.
constexpr std::int64_t noTime = std::numeric_limits<std::int64_t>::min() / 8;
constexpr bool isTime(std::int64_t value) { return value > noTime / 2; }

// Half of the time of a search is in the loops below. With AVX2, four ways are
// compared at a time; the results are the same without.
#if defined(__x86_64__) && defined(__linux__)
#define KILN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define KILN_WIDE
#endif

/// Makes all ways that lead over other nodes: Floyd, "Algorithm 97", CACM 1962.
KILN_WIDE void closeWays(std::int64_t *ways, std::size_t nodes) {
  for (std::size_t k = 0; k < nodes; ++k)
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::int64_t first = ways[i * nodes + k];
      // No way over k is longer than one that returns to it.
      if (!isTime(first) || i == k)
        continue;
      const std::int64_t *from = ways + k * nodes;
      std::int64_t *to = ways + i * nodes;
      for (std::size_t j = 0; j < nodes; ++j)
        to[j] = std::max(to[j], first + from[j]);
    }
}

/// The greatest sum of two elements with the same index.
KILN_WIDE std::int64_t mostOf(const std::int64_t *a, const std::int64_t *b,
                              std::size_t count, std::int64_t most) {
  for (std::size_t i = 0; i < count; ++i)
    most = std::max(most, a[i] + b[i]);
  return most;
}

/// The least difference of two elements with the same index.
KILN_WIDE std::int64_t leastOf(const std::int64_t *a, const std::int64_t *b,
                               std::size_t count, std::int64_t least) {
  for (std::size_t i = 0; i < count; ++i)
    least = std::min(least, a[i] - b[i]);
  return least;
}

/// Whether a node with these ways to and from it may not start at `start`, by
/// the other node: not 0 where it may not.
KILN_WIDE void findWrong(const std::int64_t *begun, const std::int64_t *to,
                         const std::int64_t *needed, const std::int64_t *from,
                         std::int64_t start, std::size_t count,
                         std::int64_t *wrong) {
  for (std::size_t i = 0; i < count; ++i)
    wrong[i] = (begun[i] + to[i] > start) | (start + from[i] > needed[i]);
}

/// Between each two nodes the longest way, where each iteration gained takes an
/// interval off.
class LongestWays {
public:
  /// The graph has no cycle that gains.
  LongestWays(const ModuloGraph &graph, std::int64_t interval)
      : nodes(graph.nodes), ways(std::size_t{nodes} * nodes, noTime),
        waysTo(ways.size()) {
    for (const ModuloGraph::Edge &edge : graph.edges) {
      std::int64_t &way = ways[std::size_t{edge.from} * nodes + edge.to];
      way = std::max(way, edge.latency - interval * edge.distance);
    }
    closeWays(ways.data(), nodes);
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t j = 0; j < nodes; ++j)
        waysTo[j * nodes + i] = ways[i * nodes + j];
  }

  /// By node: the way to it, and from it.
  const std::int64_t *from(std::uint32_t node) const {
    return &ways[std::size_t{node} * nodes];
  }
  const std::int64_t *to(std::uint32_t node) const {
    return &waysTo[std::size_t{node} * nodes];
  }

private:
  std::size_t nodes;
  std::vector<std::int64_t> ways, waysTo;
};

/// Of an interval: a stream that is busy for more of it has no gaps to lose.
constexpr double tight = 0.9;

/// One attempt at one interval.
class Attempt {
public:
  Attempt(const ModuloGraph &graph, const LongestWays &ways,
          std::int64_t interval, Transfers kind)
      : graph(graph), ways(ways), interval(interval), kind(kind),
        time(graph.nodes, 0), previous(graph.nodes, noTime),
        begun(graph.nodes, noTime), needed(graph.nodes, -noTime),
        tables(isa::numEngines, StreamTable(interval)), transfers(interval),
        rank(graph.nodes), wrong(graph.nodes) {
    std::array<std::int64_t, isa::numEngines> busy{};
    for (std::uint32_t n = 0; n < graph.nodes; ++n)
      busy[graph.stream[n]] += graph.issue[n];
    for (std::size_t i = 0; i < busy.size(); ++i)
      isTight[i] =
          static_cast<double>(busy[i]) > tight * static_cast<double>(interval);
  }

  bool run(const std::vector<std::int64_t> &height, std::size_t placements) {
    for (std::uint32_t n = 0; n < graph.nodes; ++n)
      if (graph.issue[n] > interval)
        return false;
    byUrgency.resize(graph.nodes);
    std::iota(byUrgency.begin(), byUrgency.end(), 0);
    std::sort(byUrgency.begin(), byUrgency.end(), [&](auto a, auto b) {
      return std::tuple(-graph.urgency[a], -height[a], a) <
             std::tuple(-graph.urgency[b], -height[b], b);
    });
    for (std::uint32_t i = 0; i < graph.nodes; ++i)
      rank[byUrgency[i]] = i;
    while (true) {
      while (next < graph.nodes && isTime(begun[byUrgency[next]]))
        ++next;
      if (next == graph.nodes)
        return true;
      if (placements-- == 0)
        return false;
      place(byUrgency[next]);
    }
  }

  /// Moves each node as late as its readers and its stream allow, last ones
  /// first: buffers live shorter, and loads do not run many stages ahead. What
  /// is urgent stays.
  void pullLate() {
    std::vector<std::uint32_t> order(graph.nodes);
    for (std::uint32_t n = 0; n < graph.nodes; ++n)
      order[n] = n;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      return std::pair(-time[a], a) < std::pair(-time[b], b);
    });
    for (std::uint32_t node : order) {
      if (graph.urgency[node] > 0)
        continue;
      std::optional<std::int64_t> latest;
      for (std::uint32_t e : graph.out.of(node)) {
        const ModuloGraph::Edge &edge = graph.edges[e];
        if (edge.to == node)
          continue;
        const std::int64_t bound =
            time[edge.to] - edge.latency + interval * edge.distance;
        latest = latest ? std::min(*latest, bound) : bound;
      }
      if (!latest || *latest <= time[node])
        continue;
      release(node);
      time[node] = latestFree(node, time[node], *latest).value_or(time[node]);
      take(node);
    }
  }

  std::vector<std::int64_t> starts() const {
    const std::int64_t first = *std::min_element(time.begin(), time.end());
    std::int64_t stages = first / interval;
    stages -= first % interval < 0 ? 1 : 0;
    std::vector<std::int64_t> result = time;
    for (std::int64_t &value : result)
      value -= stages * interval;
    return result;
  }

private:
  void place(std::uint32_t node) {
    // Nothing starts before the first iteration does: what could start much
    // earlier would take the places of others.
    const std::int64_t earliest =
        mostOf(begun.data(), ways.to(node), graph.nodes, 0);
    const std::int64_t until =
        leastOf(needed.data(), ways.from(node), graph.nodes, -noTime);
    const std::optional<std::int64_t> latest =
        isTime(-until) ? std::optional(until) : std::nullopt;
    const std::int64_t length = std::max(graph.issue[node], workOf(node));
    std::optional<std::int64_t> found;
    if (!latest || earliest <= *latest)
      found = earliestFree(node, earliest, isTight[graph.stream[node]]);
    if (latest && found && *found > *latest)
      found = earliestFree(node, earliest, false);
    if (!found || (latest && *found > *latest)) {
      // Not at the place from which it was ejected, or two nodes would
      // alternate forever. Then the first node in a place keeps it, and those
      // that depend on this one move.
      const bool mayStep = found && *found > previous[node];
      if (!isTime(previous[node]) || earliest > previous[node])
        found = earliest;
      else if (!mayStep)
        found = previous[node] + std::max<std::int64_t>(length, 1);
      const auto leave = [&](std::uint32_t other) { eject(other); };
      streamOf(node).ejectOverlapping(*found, graph.issue[node], leave);
      transfers.ejectOverlapping(*found, workOf(node), leave);
      ejectAgainst(node, *found);
    }
    time[node] = previous[node] = begun[node] = needed[node] = *found;
    take(node);
  }

  std::int64_t workOf(std::uint32_t node) const {
    return kind == Transfers::placed ? graph.work[node] : 0;
  }
  StreamTable &streamOf(std::uint32_t node) {
    return tables[graph.stream[node]];
  }
  void take(std::uint32_t node) {
    streamOf(node).add(node, time[node], graph.issue[node]);
    transfers.add(node, time[node], workOf(node));
  }
  void release(std::uint32_t node) {
    streamOf(node).remove(node);
    if (workOf(node) > 0)
      transfers.remove(node);
  }

  /// A place in its stream and, for a transfer, on the DMA engines, within an
  /// interval.
  std::optional<std::int64_t> earliestFree(std::uint32_t node,
                                           std::int64_t first, bool beside) {
    std::int64_t from = first;
    while (from < first + interval) {
      const StreamTable &table = streamOf(node);
      const std::optional<std::int64_t> inStream =
          beside ? table.earliestBeside(from, graph.issue[node])
                 : table.earliestFree(from, graph.issue[node]);
      if (!inStream)
        return std::nullopt;
      const std::optional<std::int64_t> both =
          transfers.earliestFree(*inStream, workOf(node));
      if (!both || *both == *inStream)
        return both;
      from = *both;
    }
    return std::nullopt;
  }
  std::optional<std::int64_t> latestFree(std::uint32_t node, std::int64_t first,
                                         std::int64_t last) {
    std::int64_t until = last;
    while (until >= first) {
      const std::optional<std::int64_t> inStream =
          streamOf(node).latestFree(first, until, graph.issue[node]);
      if (!inStream)
        return std::nullopt;
      const std::optional<std::int64_t> both =
          transfers.latestFree(first, *inStream, workOf(node));
      if (!both || *both == *inStream)
        return both;
      until = *both;
    }
    return std::nullopt;
  }

  /// The nodes that have to move if `node` starts at `start`.
  void ejectAgainst(std::uint32_t node, std::int64_t start) {
    findWrong(begun.data(), ways.to(node), needed.data(), ways.from(node),
              start, graph.nodes, wrong.data());
    for (std::uint32_t other = 0; other < graph.nodes; ++other)
      if (wrong[other] != 0)
        eject(other);
  }

  void eject(std::uint32_t node) {
    release(node);
    begun[node] = noTime;
    needed[node] = -noTime;
    next = std::min(next, rank[node]);
  }

  const ModuloGraph &graph;
  const LongestWays &ways;
  std::int64_t interval;
  Transfers kind;
  /// By node: its place, and where it was last.
  std::vector<std::int64_t> time, previous;
  /// Its place while it has one. Without one, it is behind no node and before
  /// none.
  std::vector<std::int64_t> begun, needed;
  std::vector<StreamTable> tables; ///< By engine.
  StreamTable transfers;           ///< The DMA engines.
  std::array<bool, isa::numEngines> isTight{};
  /// Nodes by urgency and height, where the index breaks ties, and where each
  /// of them is.
  std::vector<std::uint32_t> byUrgency, rank;
  std::uint32_t next = 0;          ///< All before it have places.
  std::vector<std::int64_t> wrong; ///< Of ejectAgainst().
};

} // namespace

/// Heights of attempts but the first are raised by up to so much of an
/// interval.
static constexpr std::int64_t variation = 2;

std::optional<std::vector<std::int64_t>>
placeModulo(const ModuloGraph &graph, std::int64_t interval,
            unsigned placements, unsigned attempts, Transfers kind) {
  const auto height = heightsAt(graph, interval);
  if (!height)
    return std::nullopt;
  const LongestWays ways(graph, interval);
  std::uint64_t random = 0;
  for (unsigned i = 0; i < attempts; ++i) {
    std::vector<std::int64_t> varied = *height;
    if (i > 0)
      for (std::int64_t &value : varied)
        value += static_cast<std::int64_t>(
            isa::splitMix(random) %
            static_cast<std::uint64_t>(interval / variation + 1));
    Attempt attempt(graph, ways, interval, kind);
    if (!attempt.run(varied, std::size_t{placements} * graph.nodes))
      continue;
    attempt.pullLate();
    return attempt.starts();
  }
  return std::nullopt;
}

} // namespace kiln::problems
