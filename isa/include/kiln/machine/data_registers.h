//===- data_registers.h - Registers that hold data -------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MACHINE_DATAREGISTERS_H
#define KILN_MACHINE_DATAREGISTERS_H

#include "kiln/isa/instruction.h"

#include <cstdint>
#include <span>

namespace kiln::machine {

/// Registers of a stream that may hold what a register_load read, or
/// something computed from it.
class DataRegisters {
public:
  explicit DataRegisters(std::span<const isa::Instruction> stream);

  /// Does one of them place an operand of `body`?
  bool place(const isa::Body &body) const;

private:
  std::uint64_t mask = 0; ///< One bit per register.
};

} // namespace kiln::machine

#endif // KILN_MACHINE_DATAREGISTERS_H
