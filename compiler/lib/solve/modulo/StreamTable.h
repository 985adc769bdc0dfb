//===- StreamTable.h - One stream over one interval -----*- C++ -*- -------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_SOLVE_MODULO_STREAMTABLE_H
#define KILN_COMPILER_LIB_SOLVE_MODULO_STREAMTABLE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::problems {

/// Which node holds which part of the interval. Times are taken modulo it.
class StreamTable {
public:
  explicit StreamTable(std::int64_t interval) : interval(interval) {}

  struct Entry {
    std::int64_t begin = 0, length = 0;
    std::uint32_t node = 0;
    std::int64_t end() const { return begin + length; }
  };

  /// The first free place of `length` in [time, time + interval).
  std::optional<std::int64_t> earliestFree(std::int64_t time,
                                           std::int64_t length) const {
    if (length == 0 || entries.empty())
      return time;
    const std::int64_t phase = phaseOf(time);
    std::size_t next = firstFrom(phase);
    const Entry &before = entries[(next ? next : entries.size()) - 1];
    std::int64_t place = std::max(phase, before.end() - (next ? 0 : interval));
    for (std::int64_t turn = 0; place < phase + interval; ++next) {
      if (next == entries.size()) {
        next = 0;
        turn += interval;
      }
      const Entry &entry = entries[next];
      if (entry.begin + turn >= place + length)
        return time + place - phase;
      place = std::max(place, entry.end() + turn);
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
    const std::int64_t phase = phaseOf(time);
    std::optional<std::int64_t> best;
    const auto offer = [&](std::int64_t place) {
      std::int64_t after = place - phase;
      after += after < 0 ? interval : after >= interval ? -interval : 0;
      if (!best || after < *best)
        best = after;
    };
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const bool isLast = e + 1 == entries.size();
      const std::int64_t next =
          isLast ? entries.front().begin + interval : entries[e + 1].begin;
      if (next - entries[e].end() < length)
        continue;
      offer(entries[e].end());
      offer(next - length);
    }
    return best ? std::optional(time + *best) : std::nullopt;
  }

  /// The last one in [first, time].
  std::optional<std::int64_t> latestFree(std::int64_t first, std::int64_t time,
                                         std::int64_t length) const {
    first = std::max(first, time - interval + 1);
    if (length == 0)
      return time >= first ? std::optional(time) : std::nullopt;
    while (time >= first) {
      const Entry *wall = overlap(time, length);
      if (!wall)
        return time;
      const std::int64_t back = phaseOf(time + length - wall->begin);
      time -= back == 0 ? interval : back;
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
    if (length == 0)
      return;
    const std::int64_t begin = phaseOf(time);
    entries.insert(entries.begin() +
                       static_cast<std::ptrdiff_t>(firstFrom(begin)),
                   {begin, length, node});
  }
  void remove(std::uint32_t node) {
    std::erase_if(entries, [&](const Entry &e) { return e.node == node; });
  }

private:
  /// In [0, interval).
  std::int64_t phaseOf(std::int64_t time) const {
    const std::int64_t rest = time % interval;
    return rest < 0 ? rest + interval : rest;
  }

  /// The index of the first entry that begins at `phase` or later.
  std::size_t firstFrom(std::int64_t phase) const {
    std::size_t e = 0;
    while (e < entries.size() && entries[e].begin < phase)
      ++e;
    return e;
  }

  const Entry *overlap(std::int64_t time, std::int64_t length) const {
    if (length == 0)
      return nullptr;
    const std::int64_t phase = phaseOf(time);
    for (const Entry &entry : entries) {
      const std::int64_t after =
          entry.begin - phase + (entry.begin < phase ? interval : 0);
      if (after < length || after + entry.length > interval)
        return &entry;
    }
    return nullptr;
  }

  std::int64_t interval;
  /// By their begin. No two overlap, but the last one may reach into the next
  /// interval.
  std::vector<Entry> entries;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_SOLVE_MODULO_STREAMTABLE_H
