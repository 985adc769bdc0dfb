//===- InFlight.cpp - Results that are on their way to memory -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InFlight.h"

#include <algorithm>

namespace kiln::sim::timing {

InFlight::Ready InFlight::readyFor(std::span<const PlannedOperand> operands,
                                   Shifts shifts, Picoseconds from) const {
  Ready ready;
  const std::size_t live = std::min(added, depth);
  for (std::size_t i = 0; i < live; ++i) {
    const Result &result = results[i];
    if (result.complete + turnaround <= std::max(ready.time, from))
      continue;
    for (std::size_t j = 0; j < operands.size(); ++j)
      if (operands[j].reads &&
          machine::overlap(operands[j].box, shiftOf(shifts, j), result.box,
                           result.shift))
        ready = {result.complete + turnaround, result.producer};
  }
  return ready;
}

} // namespace kiln::sim::timing
