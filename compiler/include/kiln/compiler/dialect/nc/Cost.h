//===- Cost.h - How long an instruction takes -------------------*- C++ -*-===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_COMPILER_DIALECT_NC_COST_H
#define KILN_COMPILER_DIALECT_NC_COST_H

#include "kiln/compiler/dialect/nc/Analysis.h"
#include "kiln/machine/instruction_times.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace kiln::compiler::nc {

/// The executor's own times (kiln/machine/instruction_times.h) of instructions
/// that have no addresses and no registers yet.
class Costs {
public:
  explicit Costs(const isa::Target &target, unsigned coresOfRank = 1)
      : ofTarget(target), coresOfRank(coresOfRank),
        recent(std::variant_size_v<isa::Bodies>) {}
  /// Costs on the target of the function that `op` is, or is part of.
  explicit Costs(mlir::Operation *op);

  const isa::Target &target() const { return ofTarget; }
  machine::InstructionTimes of(const BuiltInstruction &instruction,
                               isa::Engine engine);

private:
  bool isFromMemory(mlir::Value index);

  isa::Target ofTarget;
  unsigned coresOfRank;
  /// The last ones of each opcode: straight-line code has few instructions that
  /// differ in more than addresses.
  struct Known {
    isa::Body body;
    isa::Engine engine = isa::Engine::sync;
    bool addressIsData = false;
    machine::InstructionTimes times;
  };
  struct Recent {
    llvm::SmallVector<Known, 0> known;
    size_t next = 0;
  };
  std::vector<Recent> recent;
  llvm::DenseMap<mlir::Value, bool> fromMemory; ///< Per index; only looked up.
};

} // namespace kiln::compiler::nc

#endif // KILN_COMPILER_DIALECT_NC_COST_H
