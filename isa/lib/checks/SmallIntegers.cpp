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
    : small(module.buffers.size(), true) {
  small[0] = false;
  // Copies go from buffer to buffer, also around loops: all are small until a
  // write shows that they are not.
  do {
    changed = false;
    for (std::size_t i = 0; i < numEngines; ++i)
      for (const Instruction &instruction : module.streams[i]) {
        const CheckContext context(instruction, static_cast<Engine>(i), module,
                                   target);
        for (const CheckedOperand &operand : context.operands())
          if (operand.isWritten() && operand.access->space != Space::hbm)
            note(context, *operand.access);
      }
  } while (changed);
}

void SmallIntegers::note(const CheckContext &context, const Access &written) {
  if (isWideInteger(written.dtype) && isSmall(context))
    return;
  if (written.tensor == 0) { // It may be in any of them.
    small.assign(small.size(), false);
  } else if (small[written.tensor]) {
    small[written.tensor] = false;
    changed = true;
  }
}

bool SmallIntegers::isSmall(const CheckContext &context) const {
  if (const auto op = lastOperator(context))
    return givesTruth(*op);
  if (context.info.opcode != Opcode::TensorCopy)
    return false;
  const Access *src = context.access("src");
  return src && (isShortInteger(src->dtype) ||
                 (isWideInteger(src->dtype) && contains(*src)));
}

} // namespace kiln::isa
