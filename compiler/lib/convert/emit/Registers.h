//===- Registers.h - Virtual registers of a stream -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_LIB_CONVERT_EMIT_REGISTERS_H
#define KILN_COMPILER_LIB_CONVERT_EMIT_REGISTERS_H

#include "kiln/isa/instruction.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace kiln::compiler {

/// Instructions whose register fields are placeholders.
struct VirtualCode {
  std::vector<isa::Instruction> instructions;
  /// Of each instruction, the virtual register of every field in operand order
  /// (of an access: in the order of its terms).
  std::vector<llvm::SmallVector<unsigned, 2>> registers;

  std::size_t size() const { return instructions.size(); }
  void reserve(std::size_t count);
  isa::Instruction &append(isa::Body body,
                           llvm::SmallVector<unsigned, 2> registersOfIt);
  void append(VirtualCode code);
};

struct RegisterShortage {
  unsigned needed = 0;        ///< About how many at once.
  std::uint32_t position = 0; ///< Of the first instruction that finds none.
};

/// Assigns a register of the engine to every virtual register, by liveness: a
/// value that a loop uses and that was computed outside lives until the loop
/// ends. Returns what is missing if there are too few.
std::optional<RegisterShortage> assignRegisters(VirtualCode &code);

} // namespace kiln::compiler

#endif // KILN_COMPILER_LIB_CONVERT_EMIT_REGISTERS_H
