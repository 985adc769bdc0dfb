//===- OperandTypes.h - What type an operand's values have ----- -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_CHECKS_OPERANDTYPES_H
#define KILN_SIM_LIB_CHECKS_OPERANDTYPES_H

#include "kiln/isa/instruction.h"
#include "kiln/isa/module.h"

#include <span>
#include <vector>

namespace kiln::sim {

/// Appends the isa::DType of the values of each of `operands`, all those of
/// `body`; 0 if the instruction only moves bits, whatever they mean: integers
/// that are moved and not computed with, bitwise operators, zeros, and patterns
/// of integers that fill memory.
void appendTypes(const isa::Body &body, const isa::Module &module,
                 std::span<const isa::OperandAccess> operands,
                 std::vector<std::uint8_t> &types);

} // namespace kiln::sim

#endif // KILN_SIM_LIB_CHECKS_OPERANDTYPES_H
