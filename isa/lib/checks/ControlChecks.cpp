//===- ControlChecks.cpp - Conditions of registers and loops --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {

CheckResult checkRegisterOperator(const CheckContext &context) {
  const RegisterAlu &op = context.as<RegisterAlu>();
  const std::int32_t *divisor = std::get_if<std::int32_t>(&op.b.value);
  if (op.type == RegisterType::f32 && isInteger(op.op))
    return context.error("KILN-I077",
                         "{} is for i32 and u32, but type is f32; use an "
                         "operator that takes f32",
                         name(op.op));
  if (isDivision(op.op) && divisor && *divisor == 0)
    return context.error("KILN-I031", "{} by 0", name(op.op));
  return std::nullopt;
}

CheckResult checkRegisterElement(const CheckContext &context) {
  const CheckedOperand &operand = context.operands().front();
  const Access &access = *operand.access;
  if (access.totalElements() != 1)
    return context.error("KILN-I030",
                         "{} has <|{}|> elements, a register holds [|one|]",
                         operand.info->name, access.totalElements());
  return std::nullopt;
}

CheckResult checkLoopStep(const CheckContext &context) {
  const LoopBegin &op = context.as<LoopBegin>();
  if (op.step < 1)
    return context.error("KILN-I029",
                         "step is <|{}|>, but must be [|positive|]", op.step);
  return std::nullopt;
}

} // namespace kiln::isa
