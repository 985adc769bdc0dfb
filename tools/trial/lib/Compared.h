//===- Compared.h - What the interpreter says ---------------- -*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_TRIAL_COMPARED_H
#define KILN_TOOLS_TRIAL_COMPARED_H

#include "kiln/isa/target.h"
#include "kiln/sim/executor.h"
#include "kiln/trial/trial.h"

#include <vector>

namespace kiln::trial {

/// Every element of the outputs against the interpreter's and its bound.
Outcome compareWithMeaning(std::span<const program::Program> cores,
                           const std::vector<sim::TensorData> &inputs,
                           const std::vector<sim::TensorData> &outputs,
                           const isa::Target &target);

} // namespace kiln::trial

#endif // KILN_TOOLS_TRIAL_COMPARED_H
