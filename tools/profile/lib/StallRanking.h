//===- StallRanking.h - Waits by what they cost the kernel -----*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PROFILE_LIB_STALLRANKING_H
#define KILN_PROFILE_LIB_STALLRANKING_H

#include "kiln/profile/causes.h"
#include "kiln/sim/profile.h"

namespace kiln::profile {

/// Sets `criticalNs` of the report's waits and orders them by it: most long
/// waits cost nothing, because the engine has nothing to do. Where the critical
/// path leaves an engine for what that engine waited for, the wait counts for
/// as long as the path is there. So these times add up to no more than the
/// makespan. `timing`, of the same core, was traced.
void rankStalls(sim::ProfileReport &report, const sim::Timing &timing,
                const Causes &causes);

} // namespace kiln::profile

#endif // KILN_PROFILE_LIB_STALLRANKING_H
