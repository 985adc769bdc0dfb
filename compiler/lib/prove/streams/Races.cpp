//===- Races.cpp - Conflicting accesses in sequential order ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the steps in the order of the sequential program. Each pair of
// accesses that share a byte, one of them a write, must be ordered by clocks,
// and if they are of one tensor or buffer, as the source has them.
//
//===----------------------------------------------------------------------===//

#include "AccessIndex.h"
#include "SourceTimes.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace kiln::problems::checker {
namespace {

bool isBefore(const Frame::Item &a, const Frame::Item &b) {
  return std::tuple(a.position, a.iteration, a.index) <
         std::tuple(b.position, b.iteration, b.index);
}

/// Each stream has added its own in order, so there are few runs.
void sort(std::vector<Frame::Item> &items) {
  constexpr std::size_t mostRuns = 8;
  std::vector<std::vector<Frame::Item>::iterator> ends{items.begin()};
  while (ends.back() != items.end() && ends.size() <= mostRuns)
    ends.push_back(std::is_sorted_until(ends.back(), items.end(), isBefore));
  if (ends.back() != items.end())
    return std::sort(items.begin(), items.end(), isBefore);
  for (std::size_t width = 1; width + 1 < ends.size(); width *= 2)
    for (std::size_t i = 0; i + width + 1 < ends.size(); i += 2 * width)
      std::inplace_merge(ends[i], ends[i + width],
                         ends[std::min(i + 2 * width, ends.size() - 1)],
                         isBefore);
}

class Races {
public:
  explicit Races(Trace &trace)
      : trace(trace), code(*trace.code), index(code.shapes) {}

  std::optional<SyncReport> run() {
    if (trace.source) {
      times.emplace(trace, *trace.source);
      if (auto wrong = times->run())
        return wrong;
    }
    forAll([&](const IndexedAccess &access) { index.announce(access); });
    index.choosePitches();
    forAll([&](const IndexedAccess &access) { index.measure(access); });
    index.makeBins();
    std::vector<std::uint32_t> order;
    order.reserve(trace.steps.size());
    if (code.numbered)
      sequence(order);
    else
      sequenceByClock(order);
    for (std::uint32_t id : order)
      if (auto wrong = visit(id))
        return wrong;
    return std::nullopt;
  }

private:
  std::pair<std::uint32_t, std::uint32_t> patternsOf(const Step &step) const {
    const StaticInstruction &entry = trace.entry(step);
    return {entry.firstPattern, entry.endPattern};
  }

  IndexedAccess access(std::uint32_t id, std::uint32_t number) const {
    const Step &step = trace.steps[id];
    const StaticInstruction &entry = trace.entry(step);
    const Pattern &pattern = code.patterns[number];
    const std::uint32_t at = step.firstPlace + number - entry.firstPattern;
    const Place place =
        entry.moves ? trace.places[at] : Place{pattern.base, pattern.base};
    IndexedAccess access;
    access.low = place.low;
    access.end = place.high + code.shapes[pattern.shape].extent;
    access.memory = pattern.memory;
    access.shape = pattern.shape;
    access.partition = pattern.partition;
    access.partitionEnd = pattern.partitionEnd;
    access.write = pattern.write;
    access.exact = place.isKnown();
    if (!access.exact)
      if (auto open = trace.openPlaces.find(at);
          open != trace.openPlaces.end()) {
        access.identity = open->second.identity;
        access.known = open->second.known;
      }
    access.executor = step.executor;
    access.object = pattern.object;
    access.owner = access.latest = id;
    access.number = step.number;
    return access;
  }

  template <class Use> void forAll(Use &&use) const {
    for (std::uint32_t id = 0; id < trace.steps.size(); ++id) {
      const auto [first, end] = patternsOf(trace.steps[id]);
      for (std::uint32_t p = first; p < end; ++p)
        use(access(id, p));
    }
  }

  /// Frames and their steps by position and iteration.
  void sequence(std::vector<std::uint32_t> &order) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    for (Frame &frame : trace.frames)
      sort(frame.items);
    while (!stack.empty()) {
      auto &[frame, next] = stack.back();
      if (next == trace.frames[frame].items.size()) {
        stack.pop_back();
        continue;
      }
      const Frame::Item &item = trace.frames[frame].items[next++];
      if (item.frame)
        stack.push_back({item.index, 0});
      else
        order.push_back(item.index);
    }
  }

  /// What happens before a step stands before it: it knows less.
  void sequenceByClock(std::vector<std::uint32_t> &order) {
    std::vector<
        std::tuple<std::uint64_t, std::uint8_t, std::uint32_t, std::uint32_t>>
        keys;
    keys.reserve(trace.steps.size());
    for (std::uint32_t id = 0; id < trace.steps.size(); ++id) {
      const Step &step = trace.steps[id];
      const VectorClock &clock = trace.clocks[id];
      keys.emplace_back(
          std::accumulate(clock.begin(), clock.end(), std::uint64_t{0}),
          step.executor, step.number, id);
    }
    std::sort(keys.begin(), keys.end());
    for (const auto &key : keys)
      order.push_back(std::get<3>(key));
  }

  std::optional<SyncReport> visit(std::uint32_t id) {
    const Step &step = trace.steps[id];
    std::optional<SyncReport> wrong;
    const auto [first, end] = patternsOf(step);
    for (std::uint32_t p = first; p < end && !wrong; ++p) {
      const IndexedAccess fresh = access(id, p);
      index.visit(
          fresh,
          [&](const IndexedAccess &old, const IndexedAccess &) {
            return trace.complete(trace.steps[old.owner], step) &&
                   !isBehind(old, fresh);
          },
          [&](const IndexedAccess &old) {
            if (!trace.complete(trace.steps[old.owner], step))
              wrong = report(old, fresh);
            else if (mayMeet(old, fresh))
              wrong = reportSource(old, fresh);
            return wrong.has_value();
          },
          [&](std::uint32_t a, std::uint32_t b) {
            return times && times->isLater(a, b);
          });
    }
    return wrong;
  }

  /// `old` is later in the source than `fresh`.
  bool isBehind(const IndexedAccess &old, const IndexedAccess &fresh) const {
    return times && old.object == fresh.object &&
           times->isLater(old.latest, fresh.owner);
  }

  /// Places with the same registers are as far apart as their constant parts.
  bool mayMeet(const IndexedAccess &old, const IndexedAccess &fresh) const {
    return !old.identity || old.identity != fresh.identity ||
           meet(code.shapes[old.shape], code.shapes[fresh.shape],
                fresh.known - old.known);
  }

  /// What a step does to the bytes of an access.
  std::string_view verb(const IndexedAccess &access) const {
    if (!access.write)
      return "reads";
    const auto [first, end] = patternsOf(trace.steps[access.owner]);
    for (std::uint32_t p = first; p < end; ++p)
      if (code.patterns[p].write && code.patterns[p].read &&
          code.patterns[p].memory == access.memory)
        return "updates";
    return "writes";
  }

  SyncReport reportSource(const IndexedAccess &old,
                          const IndexedAccess &fresh) const {
    const Step &before = trace.steps[old.latest],
               &after = trace.steps[fresh.owner];
    return {SyncReport::Kind::wrongOrder,
            fmt::format("{} {} what {}, which is earlier in the source, {}",
                        describe(trace, before), verb(old),
                        describe(trace, after), verb(fresh)),
            {party(trace, before), party(trace, after)}};
  }

  SyncReport report(const IndexedAccess &old,
                    const IndexedAccess &fresh) const {
    const Step &before = trace.steps[old.owner],
               &after = trace.steps[fresh.owner];
    const bool reversed = trace.complete(after, before);
    const std::int64_t low = std::max(old.low, fresh.low),
                       end = std::min(old.end, fresh.end);
    std::string where;
    if (fresh.memory < 2)
      where = fmt::format(
          "{} partitions [{}, {}) bytes [{}, {})",
          isa::name(fresh.memory == 0 ? isa::Space::sbuf : isa::Space::psum),
          std::max(old.partition, fresh.partition),
          std::min(old.partitionEnd, fresh.partitionEnd), low, end);
    else
      where = fmt::format("tensor {} bytes [{}, {})",
                          fresh.memory - 2 < trace.module().tensors.size()
                              ? trace.module().tensors[fresh.memory - 2].name
                              : std::to_string(fresh.memory - 2),
                          low, end);
    return {
        reversed ? SyncReport::Kind::wrongOrder : SyncReport::Kind::unordered,
        fmt::format(
            "{} {} and {} {} {}; {}", describe(trace, before), verb(old),
            describe(trace, after), verb(fresh), where,
            reversed
                ? "the second completes before the first, against program order"
                : "no semaphore makes the second wait for the "
                  "first"),
        {party(trace, before), party(trace, after)}};
  }

  Trace &trace;
  const Code &code;
  AccessIndex index;
  std::optional<SourceTimes> times;
};

} // namespace

std::optional<SyncReport> findRaces(Trace &trace) { return Races(trace).run(); }

} // namespace kiln::problems::checker
