//===- SyncFootprint.cpp - When two footprints can meet -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncFootprint.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace kiln::problems::sync {
namespace {

/// No address computation reaches beyond this.
constexpr std::int64_t farAway = std::int64_t{1} << 46;
/// Distances beyond this are rounded down to it.
constexpr std::uint32_t maxDistance = 16;

std::int64_t coefficient(const Footprint &bytes, LoopId loop) {
  std::int64_t sum = 0;
  for (const LoopTerm &term : bytes.terms)
    if (term.loop == loop)
      sum += term.bytes;
  return sum;
}

std::int64_t clampedCount(std::int64_t stride, std::int64_t count) {
  std::int64_t size = std::abs(stride);
  return size == 0 ? 1 : std::min(count, farAway / size + 1);
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return -floorDivide(-a, b);
}

/// Steps sorted by falling stride, all strides positive.
class Search {
public:
  explicit Search(std::vector<Steps> sorted) : steps(std::move(sorted)) {
    rest.assign(steps.size() + 1, 0);
    divisor.assign(steps.size() + 1, 0);
    for (std::size_t i = steps.size(); i-- > 0;) {
      rest[i] = rest[i + 1] + steps[i].stride * (steps[i].count - 1);
      divisor[i] = std::gcd(divisor[i + 1], steps[i].stride);
    }
  }

  bool run(std::size_t level, std::int64_t low, std::int64_t high) {
    if (high < 0 || low > rest[level])
      return false;
    if (level == steps.size())
      return low <= 0 && high >= 0;
    if (ceilDivide(low, divisor[level]) > floorDivide(high, divisor[level]))
      return false;
    if (--budget < 0)
      return true; // Too entangled to decide: the safe answer.
    const Steps &step = steps[level];
    std::int64_t first = std::max<std::int64_t>(
        0, ceilDivide(low - rest[level + 1], step.stride));
    std::int64_t last =
        std::min(step.count - 1, floorDivide(high, step.stride));
    for (std::int64_t x = first; x <= last; ++x)
      if (run(level + 1, low - x * step.stride, high - x * step.stride))
        return true;
    return false;
  }

private:
  std::vector<Steps> steps;
  std::vector<std::int64_t> rest;    ///< Largest sum from this level on.
  std::vector<std::int64_t> divisor; ///< gcd of the strides from here on.
  int budget = 20000;
};

} // namespace

bool reaches(std::vector<Steps> steps, std::int64_t low, std::int64_t high) {
  // Turn negative strides round, drop what does not move.
  std::size_t kept = 0;
  for (Steps step : steps) {
    step.count = clampedCount(step.stride, step.count);
    if (step.count <= 1)
      continue;
    if (step.stride < 0) {
      low -= step.stride * (step.count - 1);
      high -= step.stride * (step.count - 1);
      step.stride = -step.stride;
    }
    steps[kept++] = step;
  }
  steps.resize(kept);
  std::sort(steps.begin(), steps.end(),
            [](const Steps &a, const Steps &b) { return a.stride < b.stride; });
  // Smallest first: a step no wider than the window widens the window; a
  // step that continues the one below without gaps prolongs it.
  std::vector<Steps> merged;
  for (const Steps &step : steps) {
    if (merged.empty() && step.stride <= high - low + 1) {
      low -= step.stride * (step.count - 1);
      continue;
    }
    if (!merged.empty()) {
      Steps &below = merged.back();
      if (step.stride % below.stride == 0 &&
          step.stride / below.stride <= below.count) {
        below.count += step.stride / below.stride * (step.count - 1);
        continue;
      }
    }
    merged.push_back(step);
  }
  std::reverse(merged.begin(), merged.end());
  return Search(std::move(merged)).run(0, low, high);
}

LoopTree::LoopTree(const SyncProblem &problem) : problem(problem) {
  depths.resize(problem.loops.size());
  for (LoopId loop = 0; loop < depths.size(); ++loop)
    depths[loop] = depth(problem.loops[loop].parent) + 1;
}

bool LoopTree::encloses(LoopId outer, LoopId inner) const {
  while (depth(inner) > depth(outer))
    inner = parent(inner);
  return inner == outer;
}

bool LoopTree::surelyRuns(LoopId loop) const {
  const SyncLoop &entry = problem.loops[loop];
  return entry.trips ? *entry.trips >= 1 : entry.minTrips >= 1;
}

std::int64_t LoopTree::maxTrips(LoopId loop) const {
  const SyncLoop &entry = problem.loops[loop];
  return entry.trips ? static_cast<std::int64_t>(std::min<std::uint64_t>(
                           std::max<std::uint64_t>(*entry.trips, 1), farAway))
                     : farAway;
}

LoopId LoopTree::root(LoopId loop) const {
  while (parent(loop) != noLoop)
    loop = parent(loop);
  return loop;
}

Hull FootprintAnalysis::hull(const Footprint &bytes) const {
  Hull hull{bytes.offset, bytes.offset + static_cast<std::int64_t>(bytes.run)};
  auto add = [&](std::int64_t stride, std::int64_t count) {
    std::int64_t reach = stride * (clampedCount(stride, count) - 1);
    (reach < 0 ? hull.low : hull.high) += reach;
  };
  for (const ByteDim &dim : bytes.dims)
    add(dim.stride, static_cast<std::int64_t>(dim.count));
  for (const LoopTerm &term : bytes.terms)
    add(term.bytes, tree.maxTrips(term.loop));
  if (bytes.ring)
    add(bytes.ring->slotBytes, bytes.ring->slots);
  return hull;
}

bool FootprintAnalysis::sameRing(const Footprint &a, const Footprint &b) const {
  return a.ring && b.ring && *a.ring == *b.ring;
}

/// `a` in an iteration of `loop` and `b` `distance` iterations later, in the
/// same iteration of every loop outside `loop`; loops inside are free.
bool FootprintAnalysis::meet(const PlacedAccess &a, const PlacedAccess &b,
                             LoopId loop, std::int64_t distance) const {
  const Footprint &x = *a.bytes, &y = *b.bytes;
  std::int64_t gap = y.offset - x.offset;
  std::vector<Steps> steps;
  for (const ByteDim &dim : x.dims)
    steps.push_back({dim.stride, static_cast<std::int64_t>(dim.count)});
  for (const ByteDim &dim : y.dims)
    steps.push_back({-dim.stride, static_cast<std::int64_t>(dim.count)});

  auto addTerms = [&](const Footprint &from, std::int64_t sign) {
    for (const LoopTerm &term : from.terms)
      if (!tree.encloses(term.loop, loop))
        steps.push_back({sign * term.bytes, tree.maxTrips(term.loop)});
  };
  addTerms(x, 1);
  addTerms(y, -1);
  for (LoopId at = loop; at != noLoop; at = tree.parent(at)) {
    std::int64_t cx = coefficient(x, at), cy = coefficient(y, at);
    if (cx != cy)
      steps.push_back({cx - cy, tree.maxTrips(at)});
    if (at == loop)
      gap += cy * distance;
  }

  std::int64_t low = gap - (static_cast<std::int64_t>(x.run) - 1);
  std::int64_t high = gap + (static_cast<std::int64_t>(y.run) - 1);
  if (sameRing(x, y) && loop != noLoop && tree.encloses(x.ring->loop, loop)) {
    std::int64_t slots = x.ring->slots;
    std::int64_t shift = x.ring->loop == loop ? distance % slots : 0;
    if (shift == 0)
      return reaches(std::move(steps), low, high);
    // Slot of a minus slot of b: -shift, or slots - shift where b wrapped.
    std::int64_t back = -shift * x.ring->slotBytes;
    std::int64_t wrap = (slots - shift) * x.ring->slotBytes;
    return reaches(steps, low - back, high - back) ||
           reaches(steps, low - wrap, high - wrap);
  }
  if (x.ring)
    steps.push_back({x.ring->slotBytes, x.ring->slots});
  if (y.ring)
    steps.push_back({-y.ring->slotBytes, y.ring->slots});
  return reaches(std::move(steps), low, high);
}

namespace {
bool sameMemory(const Footprint &a, const Footprint &b) {
  if (a.space != b.space)
    return false;
  if (a.space == isa::Space::hbm)
    return a.tensor == b.tensor;
  return a.partition < b.partition + b.partitions &&
         b.partition < a.partition + a.partitions;
}
} // namespace

bool FootprintAnalysis::meetWithin(const PlacedAccess &a, const PlacedAccess &b,
                                   LoopId block) const {
  return sameMemory(*a.bytes, *b.bytes) && meet(a, b, block, 0);
}

std::uint32_t FootprintAnalysis::carriedDistance(const PlacedAccess &a,
                                                 const PlacedAccess &b,
                                                 LoopId loop) const {
  const Footprint &x = *a.bytes, &y = *b.bytes;
  if (!sameMemory(x, y))
    return 0;
  std::int64_t cx = coefficient(x, loop), cy = coefficient(y, loop);
  bool ring = sameRing(x, y) && x.ring->loop == loop;
  if (cx == 0 && cy == 0) {
    // The address repeats with the ring, or never moves.
    std::uint32_t period = ring ? x.ring->slots : 1;
    for (std::uint32_t distance = 1; distance <= period; ++distance)
      if (meet(a, b, loop, distance))
        return distance;
    return 0;
  }
  if (cx != cy || ring) {
    // They drift apart: any distance the trip count allows.
    Footprint still = y;
    Footprint moving = x;
    for (Footprint *bytes : {&still, &moving})
      bytes->terms.erase(std::remove_if(bytes->terms.begin(),
                                        bytes->terms.end(),
                                        [&](const LoopTerm &term) {
                                          return term.loop == loop;
                                        }),
                         bytes->terms.end());
    moving.dims.push_back(
        {cx, static_cast<std::uint64_t>(tree.maxTrips(loop))});
    still.dims.push_back({cy, static_cast<std::uint64_t>(tree.maxTrips(loop))});
    if (ring) {
      moving.dims.push_back({x.ring->slotBytes, x.ring->slots});
      still.dims.push_back({y.ring->slotBytes, y.ring->slots});
      moving.ring.reset();
      still.ring.reset();
    }
    return meet({&moving, a.loop}, {&still, b.loop}, loop, 1) ? 1 : 0;
  }
  // Both advance by the same step, the usual walk over a tensor.
  std::int64_t last = tree.maxTrips(loop) - 1;
  for (std::int64_t distance = 1;
       distance <= std::min<std::int64_t>(last, maxDistance); ++distance)
    if (meet(a, b, loop, distance))
      return static_cast<std::uint32_t>(distance);
  if (last <= maxDistance)
    return 0;
  Footprint ahead = y;
  ahead.offset += cy * (maxDistance + 1);
  ahead.dims.push_back({cy, static_cast<std::uint64_t>(last - maxDistance)});
  return meet(a, {&ahead, b.loop}, loop, 0) ? maxDistance : 0;
}

/// A ring that is not reset meets itself a whole number of revolutions later,
/// counted over all entries of its loop: that loop's flow orders it further
/// out.
bool FootprintAnalysis::orderedByRing(const PlacedAccess &a,
                                      const PlacedAccess &b,
                                      LoopId outer) const {
  const Footprint &x = *a.bytes, &y = *b.bytes;
  if (!sameRing(x, y) || !tree.strictlyEncloses(outer, x.ring->loop) ||
      !tree.strictlyEncloses(x.ring->scope, outer) ||
      !tree.encloses(x.ring->loop, b.loop))
    return false;
  // Nothing else may move the addresses, from the inside up to `outer`.
  auto fixed = [&](const PlacedAccess &access) {
    return std::none_of(
        access.bytes->terms.begin(), access.bytes->terms.end(),
        [&](const LoopTerm &term) { return tree.encloses(outer, term.loop); });
  };
  return fixed(a) && fixed(b);
}

bool FootprintAnalysis::orderedBelow(const PlacedAccess &a,
                                     const PlacedAccess &b,
                                     LoopId outer) const {
  if (orderedByRing(a, b, outer))
    return true;
  LoopId common = a.loop;
  while (!tree.encloses(common, b.loop))
    common = tree.parent(common);
  for (LoopId at = common; at != outer && at != noLoop; at = tree.parent(at))
    if (carriedDistance(a, b, at) == 1 && !orderedByRing(a, b, at))
      return true;
  return false;
}

bool FootprintAnalysis::covers(const PlacedAccess &fresh,
                               const PlacedAccess &old, LoopId block,
                               bool carried) const {
  const Footprint &x = *fresh.bytes, &y = *old.bytes;
  if (x.space != y.space || x.tensor != y.tensor)
    return false;
  if (x.space != isa::Space::hbm &&
      (x.partition > y.partition ||
       x.partition + x.partitions < y.partition + y.partitions))
    return false;
  if (x.ring.has_value() != y.ring.has_value() ||
      (x.ring && !(*x.ring == *y.ring)))
    return false;
  if (carried && (coefficient(x, block) != 0 || coefficient(y, block) != 0))
    return false;

  // A slot or a moving address repeats only some iterations later, and accesses
  // in the same inner loop as `fresh` may come before it there.
  if (carried && x.ring && !tree.strictlyEncloses(x.ring->loop, block))
    return false;
  bool sameLoop = fresh.loop == old.loop && (!carried || fresh.loop == block);
  if (x.ring && !sameLoop && !tree.encloses(x.ring->loop, block))
    return false;
  if (!sameLoop && (carried || !tree.encloses(fresh.loop, old.loop)))
    for (LoopId at = fresh.loop; at != block; at = tree.parent(at))
      if (!tree.surelyRuns(at))
        return false;

  // In the same loop both move alike; else only what both share may move.
  auto subset = [&](const Footprint &p, const Footprint &q) {
    return std::all_of(p.terms.begin(), p.terms.end(), [&](const LoopTerm &t) {
      return coefficient(p, t.loop) == coefficient(q, t.loop);
    });
  };
  if (sameLoop) {
    if (!subset(x, y) || !subset(y, x))
      return false;
    if (x.dims == y.dims && x.offset == y.offset && x.run == y.run)
      return true;
  } else {
    for (const LoopTerm &term : x.terms)
      if (!tree.encloses(term.loop, block))
        return false;
    for (LoopId at = block; at != noLoop; at = tree.parent(at))
      if (coefficient(x, at) != coefficient(y, at))
        return false;
  }
  if (!x.dims.empty())
    return false;
  std::int64_t low = y.offset,
               high = y.offset + static_cast<std::int64_t>(y.run);
  auto widen = [&](std::int64_t stride, std::int64_t count) {
    std::int64_t reach = stride * (clampedCount(stride, count) - 1);
    (reach < 0 ? low : high) += reach;
  };
  for (const ByteDim &dim : y.dims)
    widen(dim.stride, static_cast<std::int64_t>(dim.count));
  if (!sameLoop)
    for (const LoopTerm &term : y.terms)
      if (!tree.encloses(term.loop, block))
        widen(term.bytes, tree.maxTrips(term.loop));
  return x.offset <= low && high <= x.offset + static_cast<std::int64_t>(x.run);
}

} // namespace kiln::problems::sync
