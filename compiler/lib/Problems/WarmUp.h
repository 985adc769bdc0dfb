//===- WarmUp.h - The tensor engine's speed over an order -------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_PROBLEMS_WARMUP_H
#define KILN_COMPILER_LIB_PROBLEMS_WARMUP_H

#include "kiln/compiler/Problems/OrderProblem.h"

#include <algorithm>
#include <deque>

namespace kiln::problems {

/// An engine that slows down where it has too little to do: an order that
/// leaves it idle for long loses more than the pause. Over a window of time it
/// must be taken almost wholly to get fast, and useful for the share of its
/// slow rate to stay fast.
class WarmUp {
public:
  explicit WarmUp(const OrderWarmUp &rule) : rule(rule) {}

  /// What the operation takes longer than its occupancy. In order of start.
  std::int64_t delay(std::int64_t start, std::int64_t occupancy) {
    if (rule.window == 0)
      return 0;
    const std::int64_t begin = start - rule.window;
    while (!runs.empty() && runs.front().end <= begin) {
      taken -= runs.front().end - runs.front().begin;
      useful -= runs.front().useful;
      runs.pop_front();
    }
    if (runs.empty()) {
      slow = true;
      since = start;
    }
    if (start - since >= rule.window) {
      // Of the oldest run only the part inside the window counts.
      const Run &oldest = runs.front();
      const std::int64_t outside =
          std::max<std::int64_t>(0, begin - oldest.begin);
      const std::int64_t share =
          outside * oldest.useful / (oldest.end - oldest.begin);
      const bool before = slow;
      slow = slow ? 1000 * (taken - outside) < rule.demand * rule.window
                  : 1000 * (useful - share) < rule.slowRate * rule.window;
      if (slow != before)
        since = start;
    }
    const std::int64_t extra =
        slow ? occupancy * 1000 / rule.slowRate - occupancy : 0;
    runs.push_back({start, start + occupancy + extra, occupancy});
    taken += occupancy + extra;
    useful += occupancy;
    return extra;
  }

private:
  struct Run {
    std::int64_t begin, end, useful;
  };

  OrderWarmUp rule;
  std::deque<Run> runs;
  std::int64_t taken = 0, useful = 0, since = 0;
  bool slow = true;
};

} // namespace kiln::problems

#endif // KILN_COMPILER_LIB_PROBLEMS_WARMUP_H
