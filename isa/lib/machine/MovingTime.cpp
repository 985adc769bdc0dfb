//===- MovingTime.cpp - A transfer alone ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/isa/rounding.h"
#include "kiln/machine/dma_plan.h"

#include <algorithm>
#include <limits>

namespace kiln::machine {
namespace {

/// Engines that start one after the other and slow down alike while together
/// they ask for more than the HBM stack gives.
class Throttled {
public:
  Throttled(const DmaPlan &plan, const isa::Target &target, unsigned cores)
      : plan(plan), engines(dmaEngines(target)), cores(cores),
        skew(dmaSkew(target)), rate(hbmRate(target, cores)) {
    for (unsigned e = 0; e < engines; ++e)
      left[e] = plan.work[e] * fullRate;
  }

  Picoseconds run() {
    Picoseconds now = 0;
    while (step(now)) {
    }
    return now;
  }

private:
  /// Goes on to the next start or end of an engine, if there is one.
  bool step(Picoseconds &now) {
    constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();
    unsigned moving = 0;
    for (unsigned e = 0; e < engines; ++e)
      moving += isMoving(e, now);
    const std::int64_t scale = scaleFor(moving);
    Picoseconds next = never;
    for (unsigned e = 0; e < engines; ++e)
      if (isMoving(e, now))
        next = std::min(next, now + isa::ceilDiv(left[e], scale));
      else if (left[e] > 0)
        next = std::min(next, e * skew);
    if (next == never)
      return false;
    for (unsigned e = 0; e < engines; ++e)
      if (isMoving(e, now))
        left[e] -= (next - now) * scale;
    now = next;
    return true;
  }
  bool isMoving(unsigned engine, Picoseconds now) const {
    return left[engine] > 0 && engine * skew <= now;
  }
  std::int64_t scaleFor(unsigned moving) const {
    const double demand = cores * moving * plan.hbmBytesPerWork;
    return demand > rate
               ? std::max<std::int64_t>(
                     1, static_cast<std::int64_t>(
                            static_cast<double>(fullRate) * rate / demand))
               : fullRate;
  }

  const DmaPlan &plan;
  unsigned engines, cores;
  Picoseconds skew;
  double rate;                                    ///< Bytes in a picosecond.
  std::array<std::int64_t, maxDmaEngines> left{}; ///< 1/fullRate ps.
};

} // namespace

Picoseconds movingTime(const DmaPlan &plan, const isa::Target &target,
                       unsigned cores) {
  const unsigned engines = dmaEngines(target);
  if (cores * engines * plan.hbmBytesPerWork > hbmRate(target, cores))
    return Throttled(plan, target, cores).run();
  Picoseconds last = 0;
  for (unsigned e = 0; e < engines; ++e)
    if (plan.work[e] > 0)
      last = std::max(last, e * dmaSkew(target) + plan.work[e]);
  return last;
}

} // namespace kiln::machine
