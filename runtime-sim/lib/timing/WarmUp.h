//===- WarmUp.h - TensorE's issue limit while it is cold -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_WARMUP_H
#define KILN_SIM_LIB_TIMING_WARMUP_H

#include "InstructionCost.h"

#include <deque>

namespace kiln::sim::timing {

/// Watches the demand of TensorE over a sliding window. It starts cold, at
/// `pe_cold_rate` of its speed; a window of continuous demand warms it up, a
/// window with less useful work than `pe_cold_rate` cools it down.
class WarmUp {
public:
  explicit WarmUp(const isa::Target &target)
      : rate(target.pe_cold_rate), window(nanoseconds(target.pe_warmup_ns)),
        continuous(target.pe_continuous_demand), cold(rate < 1) {}

  /// How much longer than `interval` an instruction occupies the engine that
  /// starts at `start`. Calls come in order of start.
  Picoseconds delay(Picoseconds start, Picoseconds interval) {
    if (rate >= 1)
      return 0;
    forget(start - window);
    if (runs.empty()) {
      cold = true;
      since = start;
    }
    if (start - since >= window) {
      const double all = static_cast<double>(window);
      const Picoseconds cut = clipped(start - window);
      const bool wasCold = cold;
      if (cold)
        cold = static_cast<double>(occupied - cut) < continuous * all;
      else
        cold = static_cast<double>(useful - usefulCut(cut)) < rate * all;
      if (cold != wasCold)
        since = start;
    }
    const Picoseconds extra =
        cold ? static_cast<Picoseconds>(static_cast<double>(interval) *
                                        (1 / rate - 1))
             : 0;
    runs.push_back({start, start + interval + extra, interval});
    occupied += interval + extra;
    useful += interval;
    return extra;
  }

private:
  struct Run {
    Picoseconds begin;
    Picoseconds end;
    Picoseconds useful;
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
    return runs.empty() ? 0
                        : std::max<Picoseconds>(0, begin - runs.front().begin);
  }
  Picoseconds usefulCut(Picoseconds cut) const {
    if (cut == 0)
      return 0;
    const Run &run = runs.front();
    return static_cast<Picoseconds>(static_cast<double>(cut) *
                                    static_cast<double>(run.useful) /
                                    static_cast<double>(run.end - run.begin));
  }

  double rate;
  Picoseconds window;
  double continuous;
  bool cold;
  Picoseconds since = 0; ///< Start of the demand, or of the present state.
  std::deque<Run> runs;
  Picoseconds occupied = 0;
  Picoseconds useful = 0;
};

} // namespace kiln::sim::timing

#endif // KILN_SIM_LIB_TIMING_WARMUP_H
