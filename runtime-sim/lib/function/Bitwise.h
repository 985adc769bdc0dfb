//===- Bitwise.h - Integers as patterns -------------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_FUNCTION_BITWISE_H
#define KILN_SIM_LIB_FUNCTION_BITWISE_H

#include "Lanes.h"

namespace kiln::sim {

/// These instructions with bitwise operators, or exact on 32-bit integers.
Outcome bitwise(Lanes &lanes, const isa::TensorTensor &op);
Outcome bitwise(Lanes &lanes, const isa::TensorScalar &op);
Outcome bitwise(Lanes &lanes, const isa::TensorReduce &op);
Outcome bitwise(Lanes &lanes, const isa::TensorPartitionReduce &op);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_FUNCTION_BITWISE_H
