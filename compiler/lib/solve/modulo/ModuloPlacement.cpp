//===- ModuloPlacement.cpp - Iterative modulo scheduling ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rau, "Iterative Modulo Scheduling", MICRO 1994: the operation of the greatest
// height takes the earliest free place in its stream; if there is none, it
// takes the place of others, which are placed anew. Times are picoseconds, so
// places are intervals, not slots.
//
//===----------------------------------------------------------------------===//

#include "ModuloPlacement.h"

#include "kiln/isa/split_mix.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace kiln::problems {
namespace {

/// Between each two nodes the longest way, where each iteration gained takes an
/// interval off.
class LongestWays {
public:
  /// The graph has no cycle that gains.
  LongestWays(const ModuloGraph &graph, std::int64_t interval)
      : nodes(graph.nodes), ways(std::size_t{nodes} * nodes, none) {
    for (const ModuloGraph::Edge &edge : graph.edges) {
      std::int64_t &way = ways[std::size_t{edge.from} * nodes + edge.to];
      way = std::max(way, edge.latency - interval * edge.distance);
    }
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::size_t i = 0; i < nodes; ++i) {
        const std::int64_t first = ways[i * nodes + k];
        if (first == none)
          continue;
        const std::int64_t *from = &ways[k * nodes];
        std::int64_t *to = &ways[i * nodes];
        for (std::size_t j = 0; j < nodes; ++j)
          if (from[j] != none)
            to[j] = std::max(to[j], first + from[j]);
      }
  }

  std::optional<std::int64_t> between(std::uint32_t from,
                                      std::uint32_t to) const {
    const std::int64_t way = ways[std::size_t{from} * nodes + to];
    return way == none ? std::nullopt : std::optional(way);
  }

private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::size_t nodes;
  std::vector<std::int64_t> ways;
};

/// One stream over one interval: which node holds which part of it.
class StreamTable {
public:
  explicit StreamTable(std::int64_t interval) : interval(interval) {}

  struct Entry {
    std::int64_t begin = 0, length = 0;
    std::uint32_t node = 0;
  };

  /// The first free place of `length` in [time, time + interval).
  std::optional<std::int64_t> earliestFree(std::int64_t time,
                                           std::int64_t length) const {
    const std::int64_t end = time + interval;
    while (time < end) {
      const Entry *wall = overlap(time, length);
      if (!wall)
        return time;
      time += phaseOf(wall->begin + wall->length - time, 1);
    }
    return std::nullopt;
  }

  /// The first free place that touches one that is taken; the first one of all
  /// in an empty table. In a stream that is nearly full every other place
  /// leaves gaps that nothing fits in.
  std::optional<std::int64_t> earliestBeside(std::int64_t time,
                                             std::int64_t length) const {
    if (entries.empty())
      return time;
    std::optional<std::int64_t> best;
    for (const Entry &entry : entries)
      for (const std::int64_t phase :
           {entry.begin + entry.length, entry.begin - length}) {
        const std::int64_t candidate = time + phaseOf(phase - time, 0);
        if ((!best || candidate < *best) && !overlap(candidate, length))
          best = candidate;
      }
    return best;
  }

  /// The last one in [first, time].
  std::optional<std::int64_t> latestFree(std::int64_t first, std::int64_t time,
                                         std::int64_t length) const {
    first = std::max(first, time - interval + 1);
    while (time >= first) {
      const Entry *wall = overlap(time, length);
      if (!wall)
        return time;
      time -= phaseOf(time + length - wall->begin, 1);
    }
    return std::nullopt;
  }

  template <class Eject>
  void ejectOverlapping(std::int64_t time, std::int64_t length, Eject eject) {
    while (const Entry *wall = overlap(time, length)) {
      eject(wall->node); // Removes it.
    }
  }
  void add(std::uint32_t node, std::int64_t time, std::int64_t length) {
    if (length > 0)
      entries.push_back({phaseOf(time, 0), length, node});
  }
  void remove(std::uint32_t node) {
    std::erase_if(entries, [&](const Entry &e) { return e.node == node; });
  }

private:
  /// `time` modulo the interval, in [least, least + interval).
  std::int64_t phaseOf(std::int64_t time, std::int64_t least) const {
    const std::int64_t rest = (time - least) % interval;
    return (rest < 0 ? rest + interval : rest) + least;
  }

  const Entry *overlap(std::int64_t time, std::int64_t length) const {
    if (length == 0)
      return nullptr;
    for (const Entry &entry : entries) {
      const std::int64_t after = phaseOf(entry.begin - time, 0);
      if (after < length || after + entry.length > interval)
        return &entry;
    }
    return nullptr;
  }

  std::int64_t interval;
  std::vector<Entry> entries; ///< At most a stream's part of the body.
};

/// Of an interval: a stream that is busy for more of it has no gaps to lose.
constexpr double tight = 0.9;

/// One attempt at one interval.
class Attempt {
public:
  Attempt(const ModuloGraph &graph, const LongestWays &ways,
          std::int64_t interval, Transfers kind)
      : graph(graph), ways(ways), interval(interval), kind(kind),
        time(graph.nodes, 0), previous(graph.nodes, nowhere),
        isPlaced(graph.nodes, false),
        tables(isa::numEngines, StreamTable(interval)), transfers(interval) {
    std::array<std::int64_t, isa::numEngines> busy{};
    for (std::uint32_t n = 0; n < graph.nodes; ++n)
      busy[graph.stream[n]] += graph.issue[n];
    for (std::size_t i = 0; i < busy.size(); ++i)
      isTight[i] =
          static_cast<double>(busy[i]) > tight * static_cast<double>(interval);
  }

  bool run(const std::vector<std::int64_t> &urgency, std::size_t placements) {
    urgencies = &urgency;
    for (std::uint32_t n = 0; n < graph.nodes; ++n) {
      if (graph.issue[n] > interval)
        return false;
      waiting.insert({-urgency[n], n});
    }
    while (!waiting.empty()) {
      if (placements-- == 0)
        return false;
      const std::uint32_t node = waiting.begin()->second;
      waiting.erase(waiting.begin());
      place(node);
    }
    return true;
  }

  /// Moves each node as late as its readers and its stream allow, last ones
  /// first: buffers live shorter, and loads do not run many stages ahead.
  void pullLate() {
    std::vector<std::uint32_t> order(graph.nodes);
    for (std::uint32_t n = 0; n < graph.nodes; ++n)
      order[n] = n;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      return std::pair(-time[a], a) < std::pair(-time[b], b);
    });
    for (std::uint32_t node : order) {
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
  static constexpr std::int64_t nowhere =
      std::numeric_limits<std::int64_t>::min();

  void place(std::uint32_t node) {
    // Nothing starts before the first iteration does: what could start much
    // earlier would take the places of others.
    std::int64_t earliest = 0;
    std::optional<std::int64_t> latest;
    for (std::uint32_t other = 0; other < graph.nodes; ++other) {
      if (!isPlaced[other])
        continue;
      if (const auto way = ways.between(other, node))
        earliest = std::max(earliest, time[other] + *way);
      if (const auto way = ways.between(node, other))
        latest =
            latest ? std::min(*latest, time[other] - *way) : time[other] - *way;
    }
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
      if (previous[node] == nowhere || earliest > previous[node])
        found = earliest;
      else if (!mayStep)
        found = previous[node] + std::max<std::int64_t>(length, 1);
      const auto leave = [&](std::uint32_t other) { eject(other); };
      streamOf(node).ejectOverlapping(*found, graph.issue[node], leave);
      transfers.ejectOverlapping(*found, workOf(node), leave);
      ejectAgainst(node, *found);
    }
    time[node] = previous[node] = *found;
    isPlaced[node] = true;
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
    for (std::uint32_t other = 0; other < graph.nodes; ++other) {
      if (!isPlaced[other])
        continue;
      const auto before = ways.between(other, node),
                 behind = ways.between(node, other);
      if ((before && time[other] + *before > start) ||
          (behind && start + *behind > time[other])) {
        eject(other);
      }
    }
  }

  void eject(std::uint32_t node) {
    release(node);
    isPlaced[node] = false;
    waiting.insert({-(*urgencies)[node], node});
  }

  const ModuloGraph &graph;
  const LongestWays &ways;
  std::int64_t interval;
  Transfers kind;
  std::vector<std::int64_t> time, previous;
  std::vector<bool> isPlaced;
  std::vector<StreamTable> tables; ///< By engine.
  StreamTable transfers;           ///< The DMA engines.
  std::array<bool, isa::numEngines> isTight{};
  /// By urgency; the index breaks ties.
  std::set<std::pair<std::int64_t, std::uint32_t>> waiting;
  const std::vector<std::int64_t> *urgencies = nullptr;
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
    std::vector<std::int64_t> urgency = *height;
    if (i > 0)
      for (std::int64_t &value : urgency)
        value += static_cast<std::int64_t>(
            isa::splitMix(random) %
            static_cast<std::uint64_t>(interval / variation + 1));
    Attempt attempt(graph, ways, interval, kind);
    if (!attempt.run(urgency, std::size_t{placements} * graph.nodes))
      continue;
    attempt.pullLate();
    return attempt.starts();
  }
  return std::nullopt;
}

} // namespace kiln::problems
