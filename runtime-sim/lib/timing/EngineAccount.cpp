//===- EngineAccount.cpp - Where the time of one engine went --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineAccount.h"

namespace kiln::sim::timing {

void EngineAccount::lose(std::uint32_t index, StallReason reason,
                         Picoseconds begin, Picoseconds time,
                         const Producer &producer) {
  if (time <= 0)
    return;
  if (trace.isWanted)
    trace.waits.push_back(
        {engine, reason, WaitKind::none, index, producer, begin, begin + time});
  sums.stalls[static_cast<std::size_t>(reason)] += time;
  book.add(index, reason, producer, time);
}

EngineTime EngineAccount::total() const {
  EngineTime total = sums;
  for (std::size_t i = 0; i < numStallReasons; ++i)
    if (isSemaphoreWait(static_cast<StallReason>(i)))
      total.stall += total.stalls[i];
  return total;
}

} // namespace kiln::sim::timing
