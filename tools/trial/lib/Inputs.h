//===- Inputs.h - Values for the tensors of a trial ---------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_TRIAL_INPUTS_H
#define KILN_TOOLS_TRIAL_INPUTS_H

#include "kiln/program.h"
#include "kiln/sim/executor.h"

#include <vector>

namespace kiln::trial {

/// For input and inout tensors, by name. Floats are normal, or integers from -8
/// to 8 where the Program asks for them: then most results are exact.
std::vector<sim::TensorData> inputsFor(const program::Program &program,
                                       std::uint64_t seed);

} // namespace kiln::trial

#endif // KILN_TOOLS_TRIAL_INPUTS_H
