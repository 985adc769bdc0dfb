//===- AccessHistory.cpp - Which earlier accesses a new one must follow ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/solve/AccessHistory.h"

#include "SyncFootprint.h"

#include <algorithm>
#include <bit>

namespace kiln::problems {

static std::int64_t reach(const ByteDim &dim) {
  return dim.stride * (static_cast<std::int64_t>(dim.count) - 1);
}

std::int64_t ByteAccess::begin() const {
  std::int64_t first = offset;
  for (const ByteDim &dim : dims)
    first += std::min<std::int64_t>(0, reach(dim));
  return first;
}

std::int64_t ByteAccess::end() const {
  std::int64_t last = offset + run;
  for (const ByteDim &dim : dims)
    last += std::max<std::int64_t>(0, reach(dim));
  return last;
}

static bool sharePartitions(const ByteAccess &a, const ByteAccess &b) {
  return a.partition < b.partitionEnd && b.partition < a.partitionEnd;
}

/// Windows of rows with one pitch, whose columns do not run into the next row:
/// two rectangles. Most operands in HBM are.
static std::optional<bool> rectanglesOverlap(const ByteAccess &a,
                                             const ByteAccess &b) {
  if (a.dims.size() != 1 || b.dims.size() != 1 ||
      a.dims[0].stride != b.dims[0].stride || a.dims[0].stride <= 0)
    return std::nullopt;
  const std::int64_t pitch = a.dims[0].stride;
  auto floor = [&](std::int64_t byte) {
    return byte >= 0 ? byte / pitch : -((-byte + pitch - 1) / pitch);
  };
  const std::int64_t rowA = floor(a.offset), rowB = floor(b.offset);
  const std::int64_t columnA = a.offset - rowA * pitch,
                     columnB = b.offset - rowB * pitch;
  if (columnA + a.run > pitch || columnB + b.run > pitch)
    return std::nullopt;
  return columnA < columnB + b.run && columnB < columnA + a.run &&
         rowA < rowB + static_cast<std::int64_t>(b.dims[0].count) &&
         rowB < rowA + static_cast<std::int64_t>(a.dims[0].count);
}

bool overlap(const ByteAccess &a, const ByteAccess &b) {
  if (!sharePartitions(a, b))
    return false;
  if (a.dims.empty() && b.dims.empty())
    return a.offset < b.offset + b.run && b.offset < a.offset + a.run;
  if (std::optional<bool> known = rectanglesOverlap(a, b))
    return *known;
  if (a.end() <= b.begin() || b.end() <= a.begin())
    return false;
  std::vector<sync::Steps> steps;
  steps.reserve(a.dims.size() + b.dims.size());
  for (const ByteDim &dim : a.dims)
    steps.push_back({dim.stride, static_cast<std::int64_t>(dim.count)});
  for (const ByteDim &dim : b.dims)
    steps.push_back({-dim.stride, static_cast<std::int64_t>(dim.count)});
  const std::int64_t gap = b.offset - a.offset;
  return sync::reaches(std::move(steps), gap - (a.run - 1), gap + (b.run - 1));
}

bool covers(const ByteAccess &outer, const ByteAccess &inner) {
  if (outer.family == 0 || outer.family != inner.family ||
      inner.partition < outer.partition ||
      inner.partitionEnd > outer.partitionEnd)
    return false;
  if (outer.offset == inner.offset && outer.run >= inner.run &&
      outer.dims == inner.dims)
    return true;
  return outer.dims.empty() && outer.offset <= inner.begin() &&
         inner.end() <= outer.offset + outer.run;
}

bool conflict(const ByteAccess &a, const ByteAccess &b) {
  if (!a.writes && !b.writes)
    return false;
  if (a.family == 0 || a.family != b.family)
    return sharePartitions(a, b);
  return overlap(a, b);
}

static unsigned levelOf(const ByteAccess &access) {
  return static_cast<unsigned>(std::bit_width(
      static_cast<std::uint64_t>(access.end() - access.begin())));
}

/// With everything that is not of family `except`.
void AccessHistory::compareAll(const ByteAccess &fresh, const Found &found,
                               std::uint32_t except) {
  auto compare = [&](const std::map<std::uint32_t, Family> &families) {
    for (const auto &[number, family] : families) {
      ++looks;
      if (number == except)
        continue;
      for (const auto &[bits, level] : family)
        for (const auto &[begin, index] : level) {
          ++looks;
          if (conflict(accesses[index], fresh))
            found(accesses[index], true);
        }
    }
  };
  compare(writes);
  if (fresh.writes)
    compare(reads);
}

void AccessHistory::compareFamily(const ByteAccess &fresh, Family &family,
                                  const Found &found) {
  const std::int64_t begin = fresh.begin(), end = fresh.end();
  for (auto &[bits, level] : family) {
    const std::int64_t longest = std::int64_t{1} << bits;
    for (auto at = level.lower_bound(begin - longest);
         at != level.end() && at->first < end;) {
      const ByteAccess &earlier = accesses[at->second];
      ++looks;
      const bool meets = overlap(earlier, fresh);
      if (meets)
        found(earlier, true);
      if (meets && fresh.writes && earlier.operation != fresh.operation &&
          covers(fresh, earlier))
        at = level.erase(at);
      else
        ++at;
    }
  }
}

void AccessHistory::standForAll(std::uint32_t number, const Found &found) {
  for (std::map<std::uint32_t, Family> *families : {&reads, &writes}) {
    for (const auto &[family, levels] : *families)
      for (const auto &[bits, level] : levels)
        for (const auto &[begin, index] : level)
          if (!conflict(accesses[index], accesses[number]))
            found(accesses[index], false);
    families->clear();
  }
  summary = number;
}

void AccessHistory::add(const ByteAccess &fresh, const Found &found) {
  const auto number = static_cast<std::uint32_t>(accesses.size());
  accesses.push_back(fresh);
  auto report = [&](const ByteAccess &earlier, bool real) {
    if (earlier.operation != fresh.operation)
      found(earlier, real);
  };
  if (summary)
    report(accesses[*summary], conflict(accesses[*summary], fresh));
  compareAll(fresh, report, fresh.family == 0 ? ~0u : fresh.family);
  for (std::map<std::uint32_t, Family> *families : {&writes, &reads})
    if (auto own = families->find(fresh.family);
        own != families->end() && fresh.family != 0 &&
        (fresh.writes || families == &writes))
      compareFamily(fresh, own->second, report);
  if (looks > looksEach * accesses.size() + looksBeside) {
    standForAll(number, report);
    return;
  }
  (fresh.writes ? writes : reads)[fresh.family][levelOf(fresh)].emplace(
      fresh.begin(), number);
}

} // namespace kiln::problems
