//===- ElementwiseChecks.cpp - Conditions of element-wise work ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {
namespace {

bool isUnary(AluOp op) { return op == AluOp::abs || op == AluOp::rsqrt; }

std::string_view orNone(const std::optional<AluOp> &op) {
  return op ? name(*op) : "none";
}

} // namespace

CheckResult checkSameElements(const CheckContext &context) {
  const CheckedOperand *first = nullptr;
  for (const CheckedOperand &operand : context.operands()) {
    if (!first) {
      first = &operand;
      continue;
    }
    const Access &a = *first->access, &b = *operand.access;
    if (a.partitions != b.partitions)
      return context.error("KILN-I005",
                           "{} has {} partitions, {} has {}; they must be "
                           "equal",
                           first->info->name, a.partitions, operand.info->name,
                           b.partitions);
    if (operand.isFullTile() && a.elements() != b.elements())
      return context.error("KILN-I006",
                           "{} has {} elements a partition, {} has {}; they "
                           "must be equal",
                           first->info->name, a.elements(), operand.info->name,
                           b.elements());
  }
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

CheckResult checkBinaryOperators(const CheckContext &context) {
  AluOp first = AluOp::add, second = AluOp::add;
  if (const auto *op = std::get_if<TensorTensor>(&context.instruction.body)) {
    first = op->op;
  } else if (const auto *op =
                 std::get_if<ScalarTensorTensor>(&context.instruction.body)) {
    first = op->op0;
    second = op->op1;
  }
  for (AluOp op : {first, second})
    if (isUnary(op))
      return context.error("KILN-I021",
                           "{} takes one input, but a binary operator is "
                           "needed",
                           name(op));
  return std::nullopt;
}

CheckResult checkTensorScalarOps(const CheckContext &context) {
  const TensorScalar &op = context.as<TensorScalar>();
  if (isUnary(op.op0) == op.operand0.has_value())
    return context.error("KILN-I014", "op0 = {} {}", name(op.op0),
                         op.operand0 ? "takes one input, but operand0 is given"
                                     : "takes two inputs, but operand0 is "
                                       "missing");
  if (!op.op1) {
    if (op.operand1 || op.reverse1)
      return context.error("KILN-I014", "{} is given without op1",
                           op.operand1 ? "operand1" : "reverse1");
    return std::nullopt;
  }
  if (isUnary(*op.op1) == op.operand1.has_value())
    return context.error("KILN-I014", "op1 = {} {}", name(*op.op1),
                         op.operand1 ? "takes one input, but operand1 is given"
                                     : "takes two inputs, but operand1 is "
                                       "missing");
  return std::nullopt;
}

CheckResult checkTensorScalarEngines(const CheckContext &context) {
  const TensorScalar &op = context.as<TensorScalar>();
  bool hasRsqrt = op.op0 == AluOp::rsqrt || op.op1 == AluOp::rsqrt;
  switch (context.stream) {
  case Engine::vector:
    if (hasRsqrt)
      return context.error("KILN-I021", "rsqrt runs only on gpsimd, found the "
                                        "vector stream");
    return std::nullopt;
  case Engine::gpsimd:
    if (op.op0 != AluOp::rsqrt || op.op1)
      return context.error("KILN-I021",
                           "gpsimd computes only rsqrt here, found op0 = {}, "
                           "op1 = {}",
                           name(op.op0), orNone(op.op1));
    return std::nullopt;
  case Engine::scalar:
    break;
  default:
    return std::nullopt;
  }
  if (context.target.generation < Generation::v3)
    return context.error("KILN-I001",
                         "the scalar engine has it from trn2 on, found {}",
                         targetName(context));
  bool v4 = context.target.generation >= Generation::v4;
  bool addsLike = [&](AluOp o) {
    return o == AluOp::add || (v4 && o == AluOp::subtract);
  }(op.op1.value_or(AluOp::add));
  bool legal = op.op0 == AluOp::multiply
                   ? addsLike
                   : !op.op1 && (op.op0 == AluOp::add ||
                                 (v4 && op.op0 == AluOp::subtract));
  if (!legal)
    return context.error("KILN-I021",
                         "the scalar engine of {} computes multiply, add{} or "
                         "multiply then add{}, found op0 = {}, op1 = {}",
                         targetName(context), v4 ? ", subtract" : "",
                         v4 ? " or subtract" : "", name(op.op0),
                         orNone(op.op1));
  return std::nullopt;
}

CheckResult checkActivationReduce(const CheckContext &context) {
  const Activation &op = context.as<Activation>();
  if (op.reduce_op && *op.reduce_op != AluOp::add)
    return context.error("KILN-I022",
                         "reduce_op is {}, the scalar accumulator only adds",
                         name(*op.reduce_op));
  return std::nullopt;
}

CheckResult checkActivationBias(const CheckContext &context) {
  const Activation &op = context.as<Activation>();
  if (context.target.generation >= Generation::v3 || !op.bias)
    return std::nullopt;
  if (std::holds_alternative<float>(*op.bias))
    return context.error("KILN-I023",
                         "bias is an immediate, {} needs a [P, 1] tile",
                         targetName(context));
  if (op.op == ActivationFunction::reciprocal)
    return context.error("KILN-I023", "reciprocal takes no bias on {}",
                         targetName(context));
  return std::nullopt;
}

CheckResult checkReduceShapes(const CheckContext &context) {
  const TensorReduce &op = context.as<TensorReduce>();
  if (op.axes < 1 || op.axes > static_cast<int>(maxFreeDims) ||
      op.axes > op.data.rank)
    return context.error("KILN-I024",
                         "axes is {}, but data has {} free dimensions; allowed "
                         "is 1 to that",
                         op.axes, op.data.rank);
  std::uint64_t kept = 1;
  for (int i = 0; i < op.data.rank - op.axes; ++i)
    kept *= op.data.dims[static_cast<std::size_t>(i)].size;
  if (op.dst.partitions != op.data.partitions)
    return context.error("KILN-I005",
                         "dst has {} partitions, data has {}; they must be "
                         "equal",
                         op.dst.partitions, op.data.partitions);
  if (op.dst.elements() != kept)
    return context.error("KILN-I024",
                         "dst has {} elements a partition, but the dimensions "
                         "that are kept have {}",
                         op.dst.elements(), kept);
  return std::nullopt;
}

CheckResult checkReductionOperator(const CheckContext &context) {
  AluOp op = context.as<TensorReduce>().op;
  switch (op) {
  case AluOp::add:
  case AluOp::subtract:
  case AluOp::multiply:
  case AluOp::maximum:
  case AluOp::minimum:
  case AluOp::logical_and:
  case AluOp::logical_or:
  case AluOp::logical_xor:
    return std::nullopt;
  default:
    return context.error("KILN-I021",
                         "{} is no reduction; allowed are add, subtract, "
                         "multiply, maximum, minimum and the logical operators",
                         name(op));
  }
}

} // namespace kiln::isa
