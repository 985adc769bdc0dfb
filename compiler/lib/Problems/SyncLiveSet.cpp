//===- SyncLiveSet.cpp - Accesses that may still conflict -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncLiveSet.h"

#include <algorithm>

namespace kiln::problems::sync {

LiveSet::LiveSet(const std::vector<FlatAccess> &accesses)
    : accesses(accesses), dead(accesses.size(), 1), seen(accesses.size(), 0) {
  constexpr std::int64_t finest = 64, most = 4096;
  std::vector<std::int64_t> total, count;
  for (const FlatAccess &access : accesses) {
    if (access.memory >= memories.size()) {
      memories.resize(access.memory + 1);
      total.resize(memories.size());
      count.resize(memories.size());
    }
    Memory &memory = memories[access.memory];
    bool first = count[access.memory]++ == 0;
    memory.low =
        first ? access.hull.low : std::min(memory.low, access.hull.low);
    memory.high =
        first ? access.hull.high : std::max(memory.high, access.hull.high);
    // Averages stay small even where a hull is "anywhere".
    total[access.memory] += std::min<std::int64_t>(
        access.hull.high - access.hull.low, std::int64_t{1} << 32);
  }
  for (std::size_t i = 0; i < memories.size(); ++i) {
    Memory &memory = memories[i];
    if (count[i] == 0)
      continue;
    std::int64_t extent = memory.high - memory.low;
    memory.granule = std::max({finest, extent / most + 1, total[i] / count[i]});
    memory.granules.resize(static_cast<std::size_t>(extent / memory.granule) +
                           1);
  }
}

void LiveSet::clear() {
  for (std::uint32_t access : inserted) {
    dead[access] = 1;
    Memory &memory = memories[accesses[access].memory];
    auto [first, last] = memory.range(accesses[access].hull);
    for (std::size_t granule = first; granule <= last; ++granule)
      memory.granules[granule].clear();
  }
  inserted.clear();
}

void LiveSet::insert(std::uint32_t access) {
  dead[access] = 0;
  inserted.push_back(access);
  Memory &memory = memories[accesses[access].memory];
  auto [first, last] = memory.range(accesses[access].hull);
  for (std::size_t granule = first; granule <= last; ++granule)
    memory.granules[granule].push_back(access);
}

} // namespace kiln::problems::sync
