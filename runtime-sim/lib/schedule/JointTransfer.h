//===- JointTransfer.h - Transfers that move together -----------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_SCHEDULE_JOINTTRANSFER_H
#define KILN_SIM_LIB_SCHEDULE_JOINTTRANSFER_H

#include "CoreContext.h"

namespace kiln::sim {

/// All members of the meeting have arrived: reads what they send, and computes
/// what each of them gets. `core`, which asks, takes over the fault of another
/// one.
Progress makeJointTransfer(CoreContext &core, CoreMeeting &meeting);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_SCHEDULE_JOINTTRANSFER_H
