//===- warm_up.h - TensorE's issue limit while it is cold ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_WARMUP_H
#define KILN_MACHINE_WARMUP_H

#include "kiln/isa/target.h"
#include "kiln/machine/time.h"

#include <algorithm>
#include <deque>

namespace kiln::machine {

/// When TensorE issues at a reduced rate: until it has been busy for the
/// fraction `demand` of a window, and again after a window whose useful work is
/// below the fraction `coldRate`.
struct WarmUpRule {
  Picoseconds window = 0; ///< 0 = never reduced.
  double coldRate = 1;    ///< A fraction of the full issue rate.
  double demand = 1;      ///< A fraction of the window.
  friend bool operator==(const WarmUpRule &, const WarmUpRule &) = default;
};

inline WarmUpRule warmUpRule(const isa::Target &target) {
  if (target.pe_cold_rate >= 1)
    return {};
  return {nanoseconds(target.pe_warmup_ns), target.pe_cold_rate,
          target.pe_continuous_demand};
}

/// Watches the demand on TensorE over a sliding window.
class WarmUp {
public:
  explicit WarmUp(const WarmUpRule &rule) : rule(rule) {}

  /// How much longer than `interval` an instruction that starts at `start`
  /// occupies the engine. Calls come in order of start.
  Picoseconds delay(Picoseconds start, Picoseconds interval) {
    if (rule.window == 0 || rule.coldRate >= 1)
      return 0;
    forget(start - rule.window);
    if (runs.empty()) {
      cold = true;
      since = start;
    }
    if (start - since >= rule.window) {
      const auto all = static_cast<double>(rule.window);
      const Picoseconds cut = clipped(start - rule.window);
      const bool wasCold = cold;
      if (cold)
        cold = static_cast<double>(occupied - cut) < rule.demand * all;
      else
        cold =
            static_cast<double>(useful - usefulCut(cut)) < rule.coldRate * all;
      if (cold != wasCold)
        since = start;
    }
    const Picoseconds extra =
        cold ? static_cast<Picoseconds>(static_cast<double>(interval) *
                                        (1 / rule.coldRate - 1))
             : 0;
    // Field by field: a copy of what was just written waits for it.
    Run &run = runs.emplace_back();
    run.begin = start;
    run.end = start + interval + extra;
    run.useful = interval;
    occupied += interval + extra;
    useful += interval;
    return extra;
  }

private:
  struct Run {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    Picoseconds useful = 0;
  };

  void forget(Picoseconds before) {
    while (!runs.empty() && runs.front().end <= before) {
      occupied -= runs.front().end - runs.front().begin;
      useful -= runs.front().useful;
      runs.pop_front();
    }
  }
  /// The part of the oldest run that lies before the window.
  Picoseconds clipped(Picoseconds begin) const {
    return std::max<Picoseconds>(0, begin - runs.front().begin);
  }
  Picoseconds usefulCut(Picoseconds cut) const {
    if (cut == 0)
      return 0;
    const Run &run = runs.front();
    return static_cast<Picoseconds>(static_cast<double>(cut) *
                                    static_cast<double>(run.useful) /
                                    static_cast<double>(run.end - run.begin));
  }

  WarmUpRule rule;
  bool cold = true;
  Picoseconds since = 0; ///< Start of the demand, or of the present state.
  std::deque<Run> runs;
  Picoseconds occupied = 0;
  Picoseconds useful = 0;
};

} // namespace kiln::machine

#endif // KILN_MACHINE_WARMUP_H
