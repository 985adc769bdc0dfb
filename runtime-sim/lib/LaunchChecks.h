//===- LaunchChecks.h - What can be said before a launch ------ -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_LAUNCHCHECKS_H
#define KILN_SIM_LIB_LAUNCHCHECKS_H

#include "kiln/sim/launch.h"

namespace kiln::sim {

/// True if the executor has a meaning for the instruction: in the sequencer, as
/// a transfer, at a meeting, or (all others, see function/Meanings.h) in the
/// data path of an engine.
bool hasMeaning(const isa::Body &body);

/// Why the launch cannot run, or nothing: modules that break a rule of the
/// instruction set or do not fit together, or ranks that do not exist.
std::optional<Fault> checkLaunch(const Launch &launch,
                                 const isa::Target &target,
                                 const Options &options);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_LAUNCHCHECKS_H
