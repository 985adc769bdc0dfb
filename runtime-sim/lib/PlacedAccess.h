//===- PlacedAccess.h - An operand at its place -----------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_PLACEDACCESS_H
#define KILN_SIM_LIB_PLACEDACCESS_H

#include "kiln/isa/instruction.h"

#include <cstdint>

namespace kiln::sim {

/// One operand of an instruction, where the registers put it now.
struct PlacedAccess {
  isa::OperandAccess operand;
  std::int64_t offset = 0;
  std::uint8_t type = 0; ///< See PlannedModule::Stream::types.
};

} // namespace kiln::sim

#endif // KILN_SIM_LIB_PLACEDACCESS_H
