//===- LiveRanges.cpp - What is on chip, and when ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"

#include "Footprints.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace kiln::profile {

namespace {

using sim::Picoseconds;

constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// Some cells of a group held a value for some time.
struct Held {
  std::uint32_t range = 0;
  std::uint32_t group = 0, bank = 0;
  Picoseconds start = 0, end = 0;
  std::int64_t bytes = 0;
  bool isAlike(const Held &other) const {
    return std::tie(range, group, bank, start, end) ==
           std::tie(other.range, other.group, other.bank, other.start,
                    other.end);
  }
};

/// Follows the values in the cells of one memory.
class Follower {
public:
  Follower(isa::Space space, const Cells &cells, std::vector<LiveRange> &ranges)
      : space(space), cells(cells), ranges(ranges),
        states(cells.count() * cells.groups()) {}

  void read(const Footprint &what, Picoseconds until) {
    forEachCell(what, [&](State &state, std::uint32_t, std::uint32_t) {
      if (state.range == nobody)
        return; // Never written.
      state.isUsed = true;
      isRead[state.range] = true;
      extend(state, until);
    });
  }
  /// Updates the value that is there, as a growing sum does. False if the
  /// buffer has no value there.
  bool update(const Footprint &what, std::uint16_t buffer, Picoseconds until) {
    bool isThere = false;
    forEachCell(what, [&](State &state, std::uint32_t, std::uint32_t) {
      if (state.range == nobody || ranges[state.range].buffer != buffer)
        return;
      isThere = true;
      extend(state, until);
    });
    return isThere;
  }
  void write(const Footprint &what, std::uint16_t buffer, std::uint32_t writer,
             Picoseconds start, Picoseconds until) {
    const std::uint32_t range = rangeFor(what, buffer, writer, start);
    forEachCell(what,
                [&](State &state, std::uint32_t group, std::uint32_t cell) {
                  if (state.range != range) {
                    end(state, group, cell, start);
                    state = {range, start, until, false};
                  }
                  extend(state, until);
                });
  }

  std::vector<Held> finish() {
    for (std::uint32_t g = 0; g < cells.groups(); ++g)
      for (std::uint32_t c = 0; c < cells.count(); ++c) {
        State &state = states[g * cells.count() + c];
        end(state, g, c, state.last);
      }
    return std::move(held);
  }

private:
  struct State {
    std::uint32_t range = nobody;
    Picoseconds start = 0, last = 0;
    bool isUsed = false; ///< By a read since it was written.
  };

  template <class Visitor>
  void forEachCell(const Footprint &what, Visitor visit) {
    for (std::uint32_t g = what.firstGroup; g < what.endGroup; ++g)
      for (const auto &[first, last] : what.cells)
        for (std::uint32_t c = first; c < last; ++c)
          visit(states[g * cells.count() + c], g, c);
  }

  void extend(State &state, Picoseconds until) {
    state.last = std::max(state.last, until);
    LiveRange &range = ranges[state.range];
    range.end = std::max(range.end, until);
  }

  /// The value in the cell is no longer needed, or is overwritten at `now`.
  void end(const State &state, std::uint32_t group, std::uint32_t cell,
           Picoseconds now) {
    const Picoseconds last = std::min(state.last, now);
    if (state.range == nobody || last <= state.start)
      return;
    const auto bank =
        space == isa::Space::psum
            ? static_cast<std::uint32_t>(cells.bytes[cell] / isa::psumBankBytes)
            : 0;
    const Held own{state.range, group, bank,
                   state.start, last,  cells.size(cell)};
    if (!held.empty() && held.back().isAlike(own))
      held.back().bytes += own.bytes;
    else
      held.push_back(own);
  }

  /// The value that such a write starts or continues: the one that is there, if
  /// it was not read, or the latest of the buffer, if that was not read and
  /// another instruction began it.
  std::uint32_t rangeFor(const Footprint &what, std::uint16_t buffer,
                         std::uint32_t writer, Picoseconds start) {
    std::uint32_t found = nobody;
    bool isAnew = false;
    forEachCell(what, [&](const State &state, std::uint32_t, std::uint32_t) {
      if (state.range == nobody || ranges[state.range].buffer != buffer)
        return;
      isAnew |= state.isUsed;
      found = state.range;
    });
    std::uint32_t &latest = latestOf.try_emplace(buffer, nobody).first->second;
    if (found == nobody && buffer != 0 && latest != nobody &&
        ranges[latest].writer != writer && !isRead[latest])
      found = latest;
    if (isAnew || found == nobody) {
      found = static_cast<std::uint32_t>(ranges.size());
      ranges.push_back({space, buffer, what.firstByte,
                        what.endByte - what.firstByte, what.firstPartition,
                        what.endPartition - what.firstPartition, start, start,
                        writer});
      isRead.resize(ranges.size());
    } else {
      widen(ranges[found], what);
    }
    return latest = found;
  }

  static void widen(LiveRange &range, const Footprint &what) {
    const std::int64_t end =
        std::max(range.firstByte + range.bytes, what.endByte);
    range.firstByte = std::min(range.firstByte, what.firstByte);
    range.bytes = end - range.firstByte;
    const unsigned last =
        std::max(range.firstPartition + range.partitions, what.endPartition);
    range.firstPartition = std::min(range.firstPartition, what.firstPartition);
    range.partitions = last - range.firstPartition;
  }

  isa::Space space;
  const Cells &cells;
  std::vector<LiveRange> &ranges;
  std::vector<State> states; ///< Group by group.
  std::vector<Held> held;
  std::vector<bool> isRead; ///< By range: some of it was.
  std::map<std::uint16_t, std::uint32_t> latestOf; ///< By buffer.
};

/// Bytes of each group, and groups and cells of each bank, over time.
LiveBytes summed(const std::vector<Held> &held, std::size_t groups) {
  struct Change {
    Picoseconds time = 0;
    std::uint32_t group = 0, bank = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Change> changes;
  changes.reserve(2 * held.size());
  for (const Held &one : held) {
    changes.push_back({one.start, one.group, one.bank, one.bytes});
    changes.push_back({one.end, one.group, one.bank, -one.bytes});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change &a, const Change &b) { return a.time < b.time; });
  LiveBytes all;
  std::vector<std::int64_t> ofGroup(groups);
  std::map<std::uint32_t, std::int64_t> ofBank;
  std::uint32_t fullest = 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < changes.size();) {
    const Picoseconds time = changes[i].time;
    for (; i < changes.size() && changes[i].time == time; ++i) {
      ofGroup[changes[i].group] += changes[i].bytes;
      std::int64_t &bank = ofBank[changes[i].bank];
      bank += changes[i].bytes;
      if (bank == 0)
        ofBank.erase(changes[i].bank);
    }
    const auto most = std::max_element(ofGroup.begin(), ofGroup.end());
    if (*most != last)
      all.steps.emplace_back(time, last = *most);
    all.banks = std::max(all.banks, static_cast<unsigned>(ofBank.size()));
    if (*most <= all.peak)
      continue;
    all.peak = *most;
    all.peakTime = time;
    fullest = static_cast<std::uint32_t>(most - ofGroup.begin());
  }
  std::map<std::size_t, std::int64_t> owners;
  for (const Held &one : held)
    if (one.group == fullest && one.start <= all.peakTime &&
        all.peakTime < one.end)
      owners[one.range] += one.bytes;
  all.owners.assign(owners.begin(), owners.end());
  return all;
}

} // namespace

std::uint32_t placeOf(const LiveRange &range, const isa::Module &module) {
  return range.buffer < module.buffers.size() ? module.buffers[range.buffer]
                                              : 0;
}

LiveMemory liveMemory(const Binary &binary, const sim::Timing &timing,
                      const isa::Target &target) {
  const Footprints footprints(binary, timing, target);
  LiveMemory memory;
  std::vector<LiveRange> ranges;
  Follower sbuf(isa::Space::sbuf, footprints.sbuf, ranges),
      psum(isa::Space::psum, footprints.psum, ranges);
  for (const Footprints::Use &use : footprints.uses) {
    const auto forEach = [&](isa::Effect effect, auto visit) {
      for (std::uint32_t i = use.first; i < use.end; ++i) {
        const auto &[operand, footprint] = footprints.operands[i];
        if (operand->effect == effect)
          visit(operand->access->space == isa::Space::psum ? psum : sbuf,
                footprints.all[footprint], operand->access->tensor);
      }
    };
    forEach(isa::Effect::read,
            [&](Follower &space, const Footprint &what, std::uint16_t) {
              space.read(what, use.visible);
            });
    forEach(isa::Effect::readWrite,
            [&](Follower &space, const Footprint &what, std::uint16_t buffer) {
              if (!space.update(what, buffer, use.visible))
                space.write(what, buffer, use.number, use.start, use.visible);
            });
    forEach(isa::Effect::write,
            [&](Follower &space, const Footprint &what, std::uint16_t buffer) {
              space.write(what, buffer, use.number, use.start, use.visible);
            });
  }
  memory.sbuf = summed(sbuf.finish(), footprints.sbuf.groups());
  memory.psum = summed(psum.finish(), footprints.psum.groups());

  std::vector<std::size_t> order(ranges.size()), places(ranges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) {
                     const LiveRange &a = ranges[left], &b = ranges[right];
                     return std::tie(a.start, a.space, a.firstByte, a.buffer) <
                            std::tie(b.start, b.space, b.firstByte, b.buffer);
                   });
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    memory.ranges.push_back(ranges[order[i]]);
  }
  for (LiveBytes *live : {&memory.sbuf, &memory.psum}) {
    for (auto &[range, bytes] : live->owners)
      range = places[range];
    std::sort(live->owners.begin(), live->owners.end(),
              [](const auto &a, const auto &b) {
                return a.second != b.second ? a.second > b.second
                                            : a.first < b.first;
              });
  }
  return memory;
}

void addPeaks(sim::ProfileReport &report, const LiveMemory &memory) {
  report.peak = {static_cast<std::uint64_t>(memory.sbuf.peak),
                 static_cast<std::uint64_t>(memory.psum.peak),
                 memory.psum.banks};
}

} // namespace kiln::profile
