//===- SpaceVerify.cpp - Places, checked without the solver ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/compiler/problem/SpaceProblem.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace kiln::problems {

Problem verify(const SpaceProblem &problem, const SpaceSolution &solution) {
  if (Problem wrong = problem.check())
    return wrong;
  if (solution.places.size() != problem.rectangles.size())
    return fmt::format("{} places for {} tiles", solution.places.size(),
                       problem.rectangles.size());
  std::uint64_t peak = 0;
  for (std::size_t i = 0; i < problem.rectangles.size(); ++i) {
    const SpaceRectangle &tile = problem.rectangles[i];
    const SpacePlace &place = solution.places[i];
    std::uint64_t end = place.offset + tile.totalBytes();
    peak = std::max(peak, end);
    if (end > problem.capacity)
      return fmt::format("{} ends at byte {} of {}", problem.title(i), end,
                         problem.capacity);
    if (tile.pin && (place.partition != tile.pin->partition ||
                     place.offset != tile.pin->offset))
      return fmt::format("{} is pinned but was moved", problem.title(i));
    if (tile.within &&
        (place.offset < tile.within->begin || end > tile.within->end))
      return fmt::format("{} is at bytes {} to {}, outside of {} to {}",
                         problem.title(i), place.offset, end,
                         tile.within->begin, tile.within->end);
    if (place.partition % tile.partitionUnit() != 0 ||
        place.partition + tile.partitions > isa::maxPartitions)
      return fmt::format("{} starts at partition {}", problem.title(i),
                         place.partition);
    if (place.offset % tile.alignment != 0)
      return fmt::format("{} is not aligned to {}", problem.title(i),
                         tile.alignment);
    for (std::uint32_t slot = 0; slot < tile.slots; ++slot) {
      std::uint64_t at = place.offset + slot * tile.slotBytes();
      if (tile.wholeBank && at % isa::psumBankBytes != 0)
        return fmt::format("{} does not start a bank", problem.title(i));
      if (problem.space == isa::Space::psum &&
          tile.bytes <= isa::psumBankBytes &&
          at / isa::psumBankBytes != (at + tile.bytes - 1) / isa::psumBankBytes)
        return fmt::format("{} crosses a bank", problem.title(i));
    }
  }
  if (peak != solution.peakBytes)
    return fmt::format("the peak is {}, not {}", peak, solution.peakBytes);

  // Sweep over time; what is alive is kept by offset. Neighbours in offset may
  // lie in other partitions, so each quadrant has its own order.
  struct Moment {
    std::uint32_t position;
    bool begins;
    std::uint32_t tile;
  };
  std::vector<Moment> moments;
  for (std::uint32_t i = 0; i < problem.rectangles.size(); ++i) {
    moments.push_back({problem.rectangles[i].begin, true, i});
    moments.push_back({problem.rectangles[i].end, false, i});
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment &a, const Moment &b) {
              return std::tuple(a.position, !a.begins, a.tile) <
                     std::tuple(b.position, !b.begins, b.tile);
            });
  std::array<std::map<std::uint64_t, std::uint32_t>, 4> alive;
  for (const Moment &moment : moments) {
    const SpaceRectangle &tile = problem.rectangles[moment.tile];
    const SpacePlace &place = solution.places[moment.tile];
    std::uint32_t firstQuadrant = place.partition / 32;
    std::uint32_t lastQuadrant = (place.partition + tile.partitions - 1) / 32;
    for (std::uint32_t q = firstQuadrant; q <= lastQuadrant; ++q) {
      auto &row = alive[q];
      if (!moment.begins) {
        row.erase(place.offset);
        continue;
      }
      auto after = row.lower_bound(place.offset);
      std::optional<std::uint32_t> other;
      if (after != row.end() && after->first < place.offset + tile.totalBytes())
        other = after->second;
      if (after != row.begin()) {
        auto below = std::prev(after);
        if (below->first + problem.rectangles[below->second].totalBytes() >
            place.offset)
          other = below->second;
      }
      if (other)
        return fmt::format("{} and {} share bytes at position {}",
                           problem.title(*other), problem.title(moment.tile),
                           moment.position);
      row.emplace(place.offset, moment.tile);
    }
  }
  return std::nullopt;
}

} // namespace kiln::problems
