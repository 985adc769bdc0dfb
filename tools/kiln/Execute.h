//===- Execute.h - The executor's answer, as the tool tells it ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_EXECUTE_H
#define KILN_TOOLS_KILN_EXECUTE_H

#include "ModuleInput.h"

#include "kiln/sim/executor.h"

namespace kiln::tool {

/// Runs the module; a fault becomes a Failure that names both instructions
/// and both source lines.
sim::Result execute(const ModuleInput &input,
                    const std::vector<sim::TensorData> &tensors,
                    const sim::Options &options);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_EXECUTE_H
