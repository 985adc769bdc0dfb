//===- RankModules.h - The modules of a rank and what they share -*- C++
//-*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SIM_LIB_RANKMODULES_H
#define KILN_SIM_LIB_RANKMODULES_H

#include "StreamCursor.h"

#include "kiln/isa/module.h"

#include <span>
#include <vector>

namespace kiln::sim {

/// The streams of a module with everything that is known before they run;
/// shared by the cores of all ranks that run it.
struct PlannedModule {
  explicit PlannedModule(const isa::Module &module);

  struct Stream {
    Stream(const std::vector<isa::Instruction> &instructions,
           const isa::Module &module);
    StreamPlan plan;
    std::vector<isa::OperandAccess> operands;
    std::vector<std::uint32_t> firstOperand; ///< Of each instruction.
    /// Of each operand: the isa::DType of its values, 0 where the instruction
    /// takes or leaves mere bits.
    std::vector<std::uint8_t> types;
    /// From this instruction on, with no loop open that comes back, nothing
    /// touches on-chip memory.
    std::uint32_t onChipEnd = 0;
  };
  const isa::Module &module;
  std::vector<Stream> streams; ///< By engine; they never move.
};

/// The modules of the cores of a rank; all ranks have the same.
struct RankModules {
  explicit RankModules(std::span<const isa::Module> modules);

  /// Tensors in HBM that cores share have one home, with the first core that
  /// has a tensor of that name.
  struct Home {
    unsigned core = 0;
    std::size_t tensor = 0;
  };
  std::vector<PlannedModule> cores;
  std::vector<std::vector<Home>> homes; ///< By core and tensor.

  const isa::Module &module(unsigned core) const { return cores[core].module; }
  bool isHome(unsigned core, std::size_t tensor) const {
    return homes[core][tensor].core == core;
  }
};

/// Seen by all cores of a rank, if they name it.
constexpr bool isShared(isa::TensorKind kind) {
  return kind != isa::TensorKind::internal && kind != isa::TensorKind::constant;
}
/// Its values come from outside.
constexpr bool isGiven(isa::TensorKind kind) {
  return kind == isa::TensorKind::input || kind == isa::TensorKind::inout;
}
/// Its values are a result.
constexpr bool isResult(isa::TensorKind kind) {
  return kind == isa::TensorKind::output || kind == isa::TensorKind::inout;
}

} // namespace kiln::sim

#endif // KILN_SIM_LIB_RANKMODULES_H
