//===- SyncShapes.cpp - The bytes of each access, listed ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncShapes.h"

#include <algorithm>
#include <map>

namespace kiln::problems::verification {

static Runs listRuns(const Footprint &bytes) {
  std::vector<std::int64_t> starts{0};
  for (const ByteDim &dim : bytes.dims) {
    std::vector<std::int64_t> more;
    more.reserve(starts.size() * dim.count);
    for (std::int64_t start : starts)
      for (std::uint64_t i = 0; i < (dim.stride ? dim.count : 1); ++i)
        more.push_back(start + dim.stride * static_cast<std::int64_t>(i));
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    starts = std::move(more);
  }
  Runs runs;
  for (std::int64_t start : starts) {
    std::int64_t end = start + static_cast<std::int64_t>(bytes.run);
    if (!runs.empty() && start <= runs.back().second)
      runs.back().second = std::max(runs.back().second, end);
    else
      runs.push_back({start, end});
  }
  return runs;
}

Shapes::Shapes(const SyncProblem &problem) {
  std::map<std::vector<std::int64_t>, std::uint32_t> known;
  std::map<std::pair<isa::Space, std::uint32_t>, std::uint32_t> memories;
  std::vector<std::int64_t> total, count;
  std::vector<std::int64_t> key;
  for (const SyncInstruction &instruction : problem.instructions) {
    first.push_back(accesses.size());
    for (const SyncAccess &access : instruction.accesses) {
      const Footprint &bytes = access.bytes;
      key.assign(1, static_cast<std::int64_t>(bytes.run));
      for (const ByteDim &dim : bytes.dims) {
        key.push_back(dim.stride);
        key.push_back(static_cast<std::int64_t>(dim.count));
      }
      auto [shape, fresh] =
          known.try_emplace(key, static_cast<std::uint32_t>(lists.size()));
      if (fresh)
        lists.push_back(listRuns(bytes));
      auto [memory, unseen] = memories.try_emplace(
          {bytes.space, bytes.space == isa::Space::hbm ? bytes.tensor : 0},
          static_cast<std::uint32_t>(memories.size()));
      if (unseen) {
        total.push_back(0);
        count.push_back(0);
      }
      accesses.push_back({shape->second, memory->second});
      const Runs &runs = lists[shape->second];
      total[memory->second] += runs.back().second - runs.front().first;
      ++count[memory->second];
    }
  }
  for (std::size_t i = 0; i < total.size(); ++i)
    pages.push_back(std::max<std::int64_t>(256, total[i] / count[i]));
}

} // namespace kiln::problems::verification
