//===- SmallIntegers.cpp - Buffers whose integers fp32 holds exactly ------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallIntegers.h"

namespace kiln::isa {
namespace {

bool isShortInteger(DType type) {
  return !isFloat(type) && sizeInBytes(type) <= 2;
}
bool givesTruth(AluOp op) {
  return isComparison(op) || op == AluOp::logical_and ||
         op == AluOp::logical_or || op == AluOp::logical_xor;
}

/// The operator that computes the result.
std::optional<AluOp> lastOperator(const CheckContext &context) {
  switch (context.info.opcode) {
  case Opcode::TensorTensor:
    return context.aluOp("op");
  case Opcode::TensorScalar: {
    const auto second = context.aluOp("op1");
    return second ? second : context.aluOp("op0");
  }
  default:
    return std::nullopt;
  }
}

} // namespace

SmallIntegers::SmallIntegers(const Module &module, const Target &target)
    : wide(module.buffers.size(), false), copies(module.buffers.size()) {
  for (std::size_t i = 0; i < numEngines; ++i)
    for (const Instruction &instruction : module.streams[i]) {
      const CheckContext context(instruction, static_cast<Engine>(i), module,
                                 target);
      for (const CheckedOperand &operand : context.operands())
        if (operand.isWritten() && operand.access->space != Space::hbm)
          note(context, *operand.access);
    }
  // Copies go from buffer to buffer, also around loops.
  std::vector<std::uint32_t> open;
  for (std::uint32_t buffer = 0; buffer < wide.size(); ++buffer)
    if (wide[buffer])
      open.push_back(buffer);
  while (!open.empty()) {
    const std::vector<std::uint32_t> targets = std::move(copies[open.back()]);
    open.pop_back();
    for (std::uint32_t buffer : targets)
      if (!wide[buffer]) {
        wide[buffer] = true;
        open.push_back(buffer);
      }
  }
}

void SmallIntegers::note(const CheckContext &context, const Access &written) {
  const auto op = lastOperator(context);
  const Access *src = context.info.opcode == Opcode::TensorCopy
                          ? context.access("src")
                          : nullptr;
  if (!isWideInteger(written.dtype))
    wide[written.tensor] = true;
  else if ((op && givesTruth(*op)) || (src && isShortInteger(src->dtype)))
    return;
  else if (src && isWideInteger(src->dtype) && src->space != Space::hbm &&
           src->tensor != 0)
    copies[src->tensor].push_back(written.tensor);
  else
    wide[written.tensor] = true;
}

} // namespace kiln::isa
