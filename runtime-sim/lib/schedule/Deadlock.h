//===- Deadlock.h - Who waits for whom --------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_DEADLOCK_H
#define KILN_SIM_LIB_SCHEDULE_DEADLOCK_H

#include "Scheduler.h"

#include <span>

namespace kiln::sim {

/// Says why no core of a launch can continue: the cycle of waits over streams,
/// cores and ranks, or the wait that nothing will end. The cores come rank by
/// rank, `coresOfRank` each.
Fault reportDeadlockOf(std::span<const Scheduler *const> cores,
                       unsigned coresOfRank);

/// A semaphore that holds tokens at the end, and their producer.
Fault describeLeftTokens(const CoreContext &core, unsigned semaphore);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_DEADLOCK_H
