//===- AccessIndex.cpp - Accesses that may still conflict -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessIndex.h"

#include "Decisions.h"

#include <algorithm>
#include <bit>

namespace kiln::problems::checker {
namespace {

/// Bins of one memory, at most; and bins that an access reaches, on average.
constexpr std::int64_t mostBins = 65536;
constexpr std::int64_t reach = 8;
/// Overlaps that are remembered.
constexpr std::size_t mostMet = 1 << 18;

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return value - rest - (rest < 0 ? step : 0);
}

/// Bytes of a row that a shape takes up, if it walks from row to row.
std::int64_t widthIn(const Shape &shape, std::int64_t pitch) {
  std::int64_t width = shape.run;
  for (const Shape::Stride &stride : shape.strides)
    if (stride.bytes % pitch != 0)
      width += stride.bytes * (stride.count - 1);
  return width;
}

} // namespace

void AccessIndex::announce(const IndexedAccess &access) {
  if (access.memory >= memories.size())
    memories.resize(access.memory + 1);
  Memory &memory = memories[access.memory];
  memory.low = std::min(memory.low, access.low);
  memory.high = std::max(memory.high, access.end);
  ++memory.count;
  memory.isWritten |= access.write;
  const Shape &shape = shapes[access.shape];
  if (access.exact && !shape.isDense())
    ++memory.pitches[shape.strides.back().bytes];
}

void AccessIndex::choosePitches() {
  for (Memory &memory : memories) {
    std::int64_t votes = 0;
    for (const auto &[pitch, count] : memory.pitches)
      if (count > votes) {
        memory.pitch = pitch;
        votes = count;
      }
    if (memory.pitch)
      memory.low = floorTo(memory.low, memory.pitch);
  }
}

AccessIndex::Rectangle
AccessIndex::rectangleOf(const Memory &memory,
                         const IndexedAccess &access) const {
  const std::int64_t begin = access.low - memory.low,
                     end = access.end - memory.low;
  if (!memory.pitch)
    return {begin, end, 0, 1};
  const std::int64_t row = begin / memory.pitch,
                     rowEnd = (end - 1) / memory.pitch + 1;
  if (rowEnd == row + 1)
    return {begin - row * memory.pitch, end - row * memory.pitch, row, rowEnd};
  const std::int64_t column = begin % memory.pitch;
  const std::int64_t width =
      access.exact ? widthIn(shapes[access.shape], memory.pitch) : memory.pitch;
  if (column + width <= memory.pitch)
    return {column, column + width, row, rowEnd};
  return {0, memory.pitch, row, rowEnd};
}

void AccessIndex::measure(const IndexedAccess &access) {
  Memory &memory = memories[access.memory];
  const Rectangle rectangle = rectangleOf(memory, access);
  const std::int64_t width = rectangle.columnEnd - rectangle.column;
  memory.columnSum += static_cast<double>(width);
  memory.bitSum += std::bit_width(static_cast<std::uint64_t>(width));
  memory.rowSum += static_cast<double>(rectangle.rowEnd - rectangle.row);
}

void AccessIndex::makeBins() {
  for (Memory &memory : memories) {
    if (!memory.isWritten)
      continue;
    const std::int64_t span = memory.high - memory.low;
    const std::int64_t rowBytes = memory.pitch ? memory.pitch : span;
    const std::int64_t rows = (span - 1) / rowBytes + 1;
    // More bins than accesses are of no use.
    const std::int64_t most = std::min(
        mostBins, 64 + reach * static_cast<std::int64_t>(memory.count));
    const auto average = [&](double sum) {
      return static_cast<std::int64_t>(sum / memory.count);
    };
    const std::int64_t cut = memory.pitch ? 2 : reach;
    // A few accesses of usual size to a bin: shorter lists would save less than
    // it costs to enter an access in more of them.
    memory.width =
        std::max({std::int64_t{4} << average(memory.bitSum),
                  average(memory.columnSum) / cut, rowBytes / most + 1});
    memory.columns = (rowBytes - 1) / memory.width + 1;
    memory.height = std::max({std::int64_t{1}, average(memory.rowSum) / cut,
                              rows * memory.columns / most + 1});
    const std::int64_t bands = (rows - 1) / memory.height + 1;
    memory.bins.resize(static_cast<std::size_t>(bands * memory.columns));
  }
}

AccessIndex::Cells AccessIndex::cellsOf(const Memory &memory,
                                        const IndexedAccess &access) const {
  const Rectangle rectangle = rectangleOf(memory, access);
  return {
      rectangle.column / memory.width, (rectangle.columnEnd - 1) / memory.width,
      rectangle.row / memory.height, (rectangle.rowEnd - 1) / memory.height};
}

std::size_t AccessIndex::HashOfPair::operator()(const Pair &pair) const {
  return mix(std::uint64_t{pair.a} << 32 | pair.b,
             static_cast<std::uint64_t>(pair.distance));
}

bool AccessIndex::overlap(const Memory &memory, const IndexedAccess &a,
                          const IndexedAccess &b) {
  if (a.low >= b.end || b.low >= a.end || a.partition >= b.partitionEnd ||
      b.partition >= a.partitionEnd)
    return false;
  const std::int64_t distance = b.low - a.low;
  if (!a.exact || !b.exact) {
    const auto anyOf = [](const IndexedAccess &access) {
      const std::int64_t bytes = access.end - access.low;
      return Shape{bytes, bytes, {}};
    };
    return meet(a.exact ? shapes[a.shape] : anyOf(a),
                b.exact ? shapes[b.shape] : anyOf(b), distance);
  }
  const Shape &x = shapes[a.shape], &y = shapes[b.shape];
  if (x.isDense() && y.isDense())
    return true;
  if (memory.pitch) {
    const Rectangle p = rectangleOf(memory, a), q = rectangleOf(memory, b);
    if (p.column >= q.columnEnd || q.column >= p.columnEnd)
      return false;
  }
  if (met.size() > mostMet)
    met.clear();
  const auto [entry, fresh] = met.try_emplace({a.shape, b.shape, distance});
  if (fresh)
    entry->second = meet(x, y, distance);
  return entry->second;
}

bool AccessIndex::covers(const Memory &memory, const IndexedAccess &fresh,
                         const IndexedAccess &old) const {
  if (!fresh.exact || !old.exact || fresh.partition > old.partition ||
      fresh.partitionEnd < old.partitionEnd)
    return false;
  if (fresh.shape == old.shape && fresh.low == old.low)
    return true;
  if (fresh.low > old.low || fresh.end < old.end)
    return false;
  const Shape &shape = shapes[fresh.shape];
  if (shape.isDense())
    return true;
  if (!memory.pitch || shape.strides.size() != 1 ||
      shape.strides[0].bytes != memory.pitch)
    return false;
  // Whole columns of neighbouring rows.
  const Rectangle p = rectangleOf(memory, fresh), q = rectangleOf(memory, old);
  return p.columnEnd - p.column == shape.run && p.column <= q.column &&
         q.columnEnd <= p.columnEnd && p.row <= q.row && q.rowEnd <= p.rowEnd;
}

bool AccessIndex::isSame(const IndexedAccess &a, const IndexedAccess &b) const {
  return a.memory == b.memory && a.low == b.low && a.end == b.end &&
         a.exact == b.exact && (!a.exact || a.shape == b.shape) &&
         a.partition == b.partition && a.partitionEnd == b.partitionEnd &&
         a.write == b.write && a.executor == b.executor &&
         a.object == b.object && a.identity == b.identity && a.known == b.known;
}

AccessIndex::Kept AccessIndex::keep(Memory &memory, const Cells &cells,
                                    const IndexedAccess &fresh) {
  const bool isAlone =
      cells.firstRow == cells.lastRow && cells.firstColumn == cells.lastColumn;
  auto id = static_cast<std::uint32_t>(entries.size());
  if (!unused.empty())
    id = unused.back();
  if (!fresh.write) {
    const std::uint64_t key =
        mix(mix(std::uint64_t{fresh.memory} << 32 | fresh.shape,
                static_cast<std::uint64_t>(fresh.low)),
            mix(std::uint64_t{fresh.partition} << 32 |
                    std::uint64_t{fresh.partitionEnd} << 16 | fresh.executor,
                static_cast<std::uint64_t>(fresh.end) << 1 | fresh.exact));
    const auto [found, isNew] = latest.try_emplace(key, id);
    if (!isNew) {
      Entry &entry = entries[found->second];
      if (!entry.gone && isSame(entry.access, fresh)) {
        std::uint32_t other = fresh.latest;
        if (fresh.number > entry.access.number) {
          other = entry.access.latest;
          entry.access = fresh;
        }
        return {&entry.access, other};
      }
      found->second = id;
    }
  }
  if (unused.empty()) {
    entries.push_back({fresh, false, isAlone});
  } else {
    unused.pop_back();
    entries[id] = {fresh, false, isAlone};
  }
  for (std::int64_t row = cells.firstRow; row <= cells.lastRow; ++row)
    for (std::int64_t column = cells.firstColumn; column <= cells.lastColumn;
         ++column) {
      Bin &bin = memory.bins[memory.binAt(row, column)];
      (fresh.write ? bin.writes : bin.reads).push_back(id);
    }
  return {};
}

} // namespace kiln::problems::checker
