//===- ElementwiseChecks.cpp - Conditions of element-wise work ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {

CheckResult checkSameElements(const CheckContext &context) {
  const CheckedOperand *first = nullptr;
  for (const CheckedOperand &operand : context.operands()) {
    if (operand.isIndex())
      continue;
    if (!first) {
      first = &operand;
      continue;
    }
    const Access &a = *first->access, &b = *operand.access;
    if (a.partitions != b.partitions)
      return context.error(
          "KILN-I005",
          "{} has <|{}|> partitions, {} has [|{}|]; they must be equal",
          first->info->name, a.partitions, operand.info->name, b.partitions);
    if (operand.isFullTile() && a.elements() != b.elements())
      return context.error("KILN-I006",
                           "{} has <|{}|> elements per partition, {} has "
                           "[|{}|]; they must be equal",
                           first->info->name, a.elements(), operand.info->name,
                           b.elements());
  }
  return std::nullopt;
}

CheckResult checkSamePartitions(const CheckContext &context) {
  const CheckedOperand &first = context.operands().front();
  for (const CheckedOperand &operand : context.operands())
    if (first.access->partitions != operand.access->partitions)
      return context.error(
          "KILN-I005",
          "{} has <|{}|> partitions, {} has [|{}|]; they must be equal",
          first.info->name, first.access->partitions, operand.info->name,
          operand.access->partitions);
  return std::nullopt;
}

CheckResult checkSameType(const CheckContext &context) {
  const Access *dst = context.access("dst");
  for (std::string_view other : {"src", "data"})
    if (const Access *source = context.access(other))
      if (source->dtype != dst->dtype)
        return context.error(
            "KILN-I012", "dst is <|{}|> and {} is [|{}|]; they must be equal",
            name(dst->dtype), other, name(source->dtype));
  return std::nullopt;
}

CheckResult checkNotBothPsum(const CheckContext &context) {
  const CheckedOperand *first = nullptr;
  for (const CheckedOperand &operand : context.operands()) {
    if (operand.isWritten() || !operand.isFullTile() ||
        operand.access->space != Space::psum)
      continue;
    if (first)
      return context.error("KILN-I011",
                           "{} and {} are both in psum; one of the two inputs "
                           "must be in sbuf",
                           first->info->name, operand.info->name);
    first = &operand;
  }
  return std::nullopt;
}

CheckResult checkGpsimdNoPsum(const CheckContext &context) {
  if (context.stream != Engine::gpsimd)
    return std::nullopt;
  for (const CheckedOperand &operand : context.operands())
    if (operand.access->space == Space::psum)
      return context.error("KILN-I003",
                           "{} is in psum, which the gpsimd engine cannot "
                           "reach; use sbuf or another engine",
                           operand.info->name);
  return std::nullopt;
}

} // namespace kiln::isa
