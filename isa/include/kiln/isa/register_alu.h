//===- register_alu.h - What registers compute ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of register_alu. The executor runs it; the compiler folds
// and tracks it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISA_REGISTER_ALU_H
#define KILN_ISA_REGISTER_ALU_H

#include "kiln/isa/enums.h"

#include <cstdint>
#include <optional>

namespace kiln::isa {

/// The 32 bits that an integer operand stands for.
std::int32_t immediateBits(RegisterType type, std::int32_t value);

/// `a op b` on 32 bits read as `type`. Empty for a division by zero, and for an
/// operator that the type does not have.
std::optional<std::int32_t> computeRegister(RegisterOp op, RegisterType type,
                                            std::int32_t a, std::int32_t b);

} // namespace kiln::isa

#endif // KILN_ISA_REGISTER_ALU_H
