//===- Compare.h - Results against the plain-loop reference -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_COMPARE_H
#define KILN_TOOLS_KILN_COMPARE_H

#include "Tensors.h"

namespace kiln::tool {

/// Failure KILN-T040 if the kernel has no reference: reported before it runs.
void requireReference(const ModuleInput &input);

/// Prints the largest errors of every output; Failure KILN-T041 where one is
/// beyond the tolerance of its element type.
void compareWithReference(
    const ModuleInput &input, const RankTensors &inputs,
    const std::vector<std::vector<sim::TensorData>> &outputs);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_COMPARE_H
