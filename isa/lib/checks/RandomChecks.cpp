//===- RandomChecks.cpp - Generators and what they need -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {

CheckResult checkDropoutProbability(const CheckContext &context) {
  const Dropout &op = context.as<Dropout>();
  const auto *tile = std::get_if<Access>(&op.prob);
  if (tile && !isFloat(op.data.dtype) && tile->dtype != DType::f32)
    return context.error(
        "KILN-I012",
        "prob is <|{}|>, but must be [|f32 when data holds integers|]",
        name(tile->dtype));
  const float *number = std::get_if<float>(&op.prob);
  if (!tile && !(number && *number >= 0 && *number <= 1))
    return context.error("KILN-I073",
                         "prob is <|{}|>, expected [|a float from 0 to 1|]",
                         number ? *number : 0.0f);
  return std::nullopt;
}

CheckResult checkGpsimdRandom(const CheckContext &context) {
  if (context.stream == Engine::gpsimd &&
      context.target.generation < Generation::v3)
    return context.error(
        "KILN-I001",
        "the gpsimd engine supports it from [|trn2|] on, found <|{}|>",
        targetName(context));
  return std::nullopt;
}

CheckResult checkRandomRange(const CheckContext &context) {
  const Rand2 &op = context.as<Rand2>();
  const auto *low = std::get_if<float>(&op.min);
  const auto *high = std::get_if<float>(&op.max);
  if (low && high && !(*low < *high))
    return context.error("KILN-I073",
                         "min is {} and max is {}, but min must be "
                         "less",
                         *low, *high);
  return std::nullopt;
}

CheckResult checkOneSeed(const CheckContext &context) {
  unsigned partitions = context.access("src_seeds")->partitions;
  if (partitions != 1)
    return context.error("KILN-I073",
                         "src_seeds has <|{}|> partitions, expected [|one|]",
                         partitions);
  return std::nullopt;
}

CheckResult checkRandomState(const CheckContext &context) {
  bool onVector = context.stream == Engine::vector;
  if (onVector && context.target.generation < Generation::v4)
    return context.error(
        "KILN-I001",
        "the vector engine supports it from [|trn3|] on, found <|{}|>",
        targetName(context));
  const CheckedOperand &state = context.operands().front();
  std::uint64_t words = onVector ? 24 : 6;
  if (state.access->elements() != words)
    return context.error(
        "KILN-I073",
        "{} has <|{}|> words per partition, but a state on {} has [|{}|]",
        state.info->name, state.access->elements(), name(context.stream),
        words);
  return std::nullopt;
}

} // namespace kiln::isa
