//===- Roofline.h - What a machine needs whatever the schedule ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_TIMING_ROOFLINE_H
#define KILN_SIM_LIB_TIMING_ROOFLINE_H

#include "kiln/sim/profile.h"

namespace kiln::sim {

/// Fills `roofline`, the utilisations of TensorE and their peaks. `flops` and
/// the traffic of HBM are in the report already.
void addRoofline(ProfileReport &report, std::span<const isa::Module> modules,
                 const isa::Module &module, const Timing &timing,
                 const isa::Target &target);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_TIMING_ROOFLINE_H
