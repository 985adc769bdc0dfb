//===- CheckSource.h - Results against the meaning of the source ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_CHECKSOURCE_H
#define KILN_TOOLS_KILN_CHECKSOURCE_H

#include "Tensors.h"

namespace kiln::tool {

/// Failure KILN-T045 if the kernel is not available: reported before it runs.
void requireSource(const ModuleInput &input);

/// Interprets what the kernel recorded on the same inputs. Prints how much of
/// the bounds the outputs use; Failure KILN-T044 if an element is outside,
/// KILN-T045 if the interpreter cannot decide.
void checkSource(const ModuleInput &input, const RankTensors &inputs,
                 const std::vector<std::vector<sim::TensorData>> &outputs);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_CHECKSOURCE_H
