//===- ControlChecks.cpp - Conditions of registers and loops --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {

CheckResult checkRegisterDivisor(const CheckContext &context) {
  const RegisterAlu &op = context.as<RegisterAlu>();
  const std::int32_t *divisor = std::get_if<std::int32_t>(&op.b.value);
  bool divides =
      op.op == RegisterOp::floor_divide || op.op == RegisterOp::modulo;
  if (divides && divisor && *divisor == 0)
    return context.error("KILN-I031", "{} by 0", name(op.op));
  return std::nullopt;
}

CheckResult checkRegisterElement(const CheckContext &context) {
  const CheckedOperand &operand = context.operands().front();
  const Access &access = *operand.access;
  if (access.totalElements() != 1)
    return context.error("KILN-I030",
                         "{} has {} elements, a register holds one",
                         operand.info->name, access.totalElements());
  if (access.dtype != DType::i32 && access.dtype != DType::u8)
    return context.error("KILN-I030", "{} is {}, allowed are i32 and u8",
                         operand.info->name, name(access.dtype));
  return std::nullopt;
}

CheckResult checkLoopStep(const CheckContext &context) {
  const LoopBegin &op = context.as<LoopBegin>();
  if (op.step < 1)
    return context.error("KILN-I029", "step is {}, but must be positive",
                         op.step);
  return std::nullopt;
}

} // namespace kiln::isa
