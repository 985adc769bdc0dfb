//===- SyncLiveSet.cpp - Accesses that may still conflict -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncLiveSet.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace kiln::problems::sync {
namespace {

constexpr std::int64_t mostGranules = 65536;

std::int64_t down(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return rest < 0 ? value - rest - step : value - rest;
}

/// The step from row to row: the smallest one that leaves bytes out.
std::int64_t rowStep(const Footprint &bytes) {
  std::int64_t best = 0;
  for (const ByteDim &dim : bytes.dims) {
    const std::int64_t step = std::abs(dim.stride);
    if (dim.count > 1 && step > static_cast<std::int64_t>(bytes.run) &&
        (best == 0 || step < best))
      best = step;
  }
  return best;
}

} // namespace

/// Of the accesses of one memory.
struct LiveSet::Extents {
  std::int64_t count = 0;
  std::map<std::int64_t, std::size_t> votes; ///< For pitches.
  std::int64_t columnSum = 0, rowSum = 0;
};

LiveSet::LiveSet(const Pieces<FlatAccess> &accesses) : accesses(accesses) {
  std::vector<Extents> extents;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const FlatAccess &access = accesses[i];
    if (access.memory >= memories.size()) {
      memories.resize(access.memory + 1);
      extents.resize(access.memory + 1);
    }
    Memory &memory = memories[access.memory];
    Extents &all = extents[access.memory];
    memory.isWritten |= access.write;
    memory.low =
        all.count ? std::min(memory.low, access.hull.low) : access.hull.low;
    memory.high =
        all.count ? std::max(memory.high, access.hull.high) : access.hull.high;
    ++all.count;
    if (const std::int64_t step = rowStep(*access.place.bytes))
      ++all.votes[step];
  }
  for (std::size_t i = 0; i < memories.size(); ++i)
    choosePitch(memories[i], extents[i]);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const FlatAccess &access = accesses[i];
    const Memory &memory = memories[access.memory];
    if (!memory.isWritten)
      continue;
    Extents &all = extents[access.memory];
    // Averages stay small even where a hull is "anywhere".
    constexpr std::int64_t wide = std::int64_t{1} << 32;
    const Columns columns = columnsOf(memory, access);
    all.columnSum += std::min(columns.high - columns.low, wide);
    all.rowSum += std::min(
        (access.hull.high - access.hull.low - 1) / memory.rowBytes() + 1, wide);
  }
  for (std::size_t i = 0; i < memories.size(); ++i)
    if (memories[i].isWritten)
      cut(memories[i], extents[i]);
}

void LiveSet::choosePitch(Memory &memory, const Extents &extents) {
  std::size_t most = 0;
  for (const auto &[step, count] : extents.votes)
    if (count > most) {
      memory.pitch = step;
      most = count;
    }
  if (memory.pitch)
    memory.low = down(memory.low, memory.pitch);
}

void LiveSet::cut(Memory &memory, const Extents &extents) {
  const std::int64_t rowBytes = memory.rowBytes();
  const std::int64_t rows = (memory.high - memory.low - 1) / rowBytes + 1;
  const std::int64_t count = extents.count;
  const std::int64_t allowed = std::min(mostGranules, 64 + 4 * count);
  memory.width =
      std::max({std::int64_t{memory.pitch ? 4 : 64},
                extents.columnSum / count / 4, rowBytes / allowed + 1});
  memory.columns = static_cast<std::size_t>((rowBytes - 1) / memory.width + 1);
  memory.height = std::max(
      {std::int64_t{1}, extents.rowSum / count / 2,
       rows / std::max<std::int64_t>(
                  1, allowed / static_cast<std::int64_t>(memory.columns)) +
           1});
  const auto bands = static_cast<std::size_t>((rows - 1) / memory.height + 1);
  memory.granules.resize(bands * memory.columns);
}

/// Bytes of a row that it can touch, in whatever rows.
LiveSet::Columns LiveSet::columnsOf(const Memory &memory,
                                    const FlatAccess &access) {
  const std::int64_t low = access.hull.low - memory.low,
                     high = access.hull.high - memory.low;
  if (!memory.pitch)
    return {low, high};
  const Footprint &bytes = *access.place.bytes;
  std::int64_t begin = bytes.offset - memory.low;
  std::int64_t end = begin + static_cast<std::int64_t>(bytes.run);
  bool walks = !bytes.ring;
  for (const LoopTerm &term : bytes.terms)
    walks &= term.bytes % memory.pitch == 0;
  for (const ByteDim &dim : bytes.dims)
    if (dim.stride % memory.pitch != 0)
      (dim.stride < 0 ? begin : end) +=
          dim.stride * (static_cast<std::int64_t>(dim.count) - 1);
  const std::int64_t first = down(begin, memory.pitch);
  if (walks && end - first <= memory.pitch)
    return {begin - first, end - first};
  return {0, memory.pitch};
}

LiveSet::Cells LiveSet::cellsOf(const Memory &memory,
                                const FlatAccess &access) {
  const Columns columns = columnsOf(memory, access);
  const std::int64_t band = memory.height * memory.rowBytes();
  return {static_cast<std::size_t>((access.hull.low - memory.low) / band),
          static_cast<std::size_t>((access.hull.high - 1 - memory.low) / band),
          static_cast<std::size_t>(columns.low / memory.width),
          static_cast<std::size_t>((columns.high - 1) / memory.width)};
}

void LiveSet::clear() {
  for (const Slot &slot : slots) {
    const FlatAccess &access = accesses[slot.access];
    Memory &memory = memories[access.memory];
    forEachGranule(memory, cellsOf(memory, access), [](Granule &granule) {
      granule.reads.clear();
      granule.writes.clear();
    });
  }
  slots.clear();
  reads.clear();
}

std::uint64_t LiveSet::keyOf(const FlatAccess &access) const {
  const Footprint &bytes = *access.place.bytes;
  std::uint64_t key = access.memory;
  const auto add = [&](std::uint64_t value) {
    key = (key ^ value) * 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
  };
  add(access.execution);
  add(access.place.loop);
  add(std::uint64_t{bytes.partition} << 32 | bytes.partitions);
  add(static_cast<std::uint64_t>(bytes.offset));
  add(bytes.run);
  for (const ByteDim &dim : bytes.dims) {
    add(static_cast<std::uint64_t>(dim.stride));
    add(dim.count);
  }
  for (const LoopTerm &term : bytes.terms) {
    add(term.loop);
    add(static_cast<std::uint64_t>(term.bytes));
  }
  return key;
}

bool LiveSet::replaces(const FlatAccess &fresh, const FlatAccess &old) const {
  return !old.write && fresh.execution == old.execution &&
         fresh.memory == old.memory && fresh.place.loop == old.place.loop &&
         *fresh.place.bytes == *old.place.bytes;
}

void LiveSet::insert(std::uint32_t number) {
  const FlatAccess &access = accesses[number];
  if (!memories[access.memory].isWritten)
    return;
  const auto slot = static_cast<std::uint32_t>(slots.size());
  if (!access.write) {
    const auto [entry, fresh] = reads.try_emplace(keyOf(access), slot);
    if (!fresh) {
      Slot &known = slots[entry->second];
      if (!known.dead && replaces(access, accesses[known.access])) {
        known.access = number;
        return;
      }
      entry->second = slot;
    }
  }
  slots.push_back({number});
  Memory &memory = memories[access.memory];
  forEachGranule(memory, cellsOf(memory, access), [&](Granule &granule) {
    (access.write ? granule.writes : granule.reads).push_back(slot);
  });
}

} // namespace kiln::problems::sync
