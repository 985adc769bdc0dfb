//===- OperatorChecks.cpp - Which operators go together -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckContext.h"

namespace kiln::isa {
namespace {

std::string_view orNone(const std::optional<AluOp> &op) {
  return op ? name(*op) : "none";
}

/// An immediate 0, of either kind.
bool isZero(const ScalarOrTile &operand) {
  if (const auto *number = std::get_if<float>(&operand))
    return *number == 0;
  const auto *whole = std::get_if<std::int32_t>(&operand);
  return whole && *whole == 0;
}

/// A binary operator has its scalar operand, a unary one has none, or the 0
/// that stands for none.
CheckResult checkOperandOf(const CheckContext &context, AluOp op,
                           std::string_view opName,
                           const Optional<ScalarOrTile> &operand,
                           std::string_view operandName) {
  if (isUnary(op)) {
    if (!operand || isZero(*operand))
      return std::nullopt;
    return context.error(
        "KILN-I014",
        "{} = {} takes one input, but {} is given; expected [|none or 0|]",
        opName, name(op), operandName);
  }
  if (operand)
    return std::nullopt;
  return context.error("KILN-I014",
                       "{} = {} takes two inputs, but {} is missing", opName,
                       name(op), operandName);
}

/// A scalar operand of a bitwise operator: an integer as wide as the data.
CheckResult checkBitwiseScalar(const CheckContext &context,
                               std::string_view operandName,
                               unsigned dataBytes) {
  const auto *field = context.field<Optional<ScalarOrTile>>(operandName);
  if (!field || !*field)
    return std::nullopt;
  if (std::holds_alternative<float>(**field))
    return context.error(
        "KILN-I039",
        "{} is <|a float|>, but a bitwise operator takes [|int(...)|]",
        operandName);
  if (const Access *tile = std::get_if<Access>(&**field))
    if (isFloat(tile->dtype) || sizeInBytes(tile->dtype) != dataBytes)
      return context.error("KILN-I039",
                           "{} is <|{}|>, but a bitwise operator takes [|an "
                           "integer of {} bytes|], like data",
                           operandName, name(tile->dtype), dataBytes);
  return std::nullopt;
}

/// A scalar operand of an arithmetic operator: fp32.
CheckResult checkArithmeticScalar(const CheckContext &context,
                                  std::string_view operandName) {
  const auto *field = context.field<Optional<ScalarOrTile>>(operandName);
  if (!field || !*field)
    return std::nullopt;
  if (std::holds_alternative<std::int32_t>(**field))
    return context.error("KILN-I039",
                         "{} is int(...), which only a bitwise operator takes",
                         operandName);
  if (const Access *tile = std::get_if<Access>(&**field))
    if (tile->dtype != DType::f32)
      return context.error("KILN-I012",
                           "{} has element type <|{}|>, but an arithmetic "
                           "operator takes [|f32|]",
                           operandName, name(tile->dtype));
  return std::nullopt;
}

} // namespace

CheckResult checkOperatorFamilies(const CheckContext &context) {
  std::optional<AluOp> bitwise, arithmetic;
  for (std::string_view field : {"op", "op0", "op1"})
    if (std::optional<AluOp> op = context.aluOp(field))
      (isBitwise(*op) ? bitwise : arithmetic) = op;
  if (!bitwise)
    return std::nullopt;
  if (arithmetic)
    return context.error("KILN-I039",
                         "{} is bitwise and {} arithmetic; one instruction "
                         "takes one family",
                         name(*bitwise), name(*arithmetic));
  if (context.stream == Engine::gpsimd && context.info.allows(Engine::vector))
    return context.error(
        "KILN-I039",
        "{} is bitwise and runs on [|vector|], found <|the {} stream|>",
        name(*bitwise), name(context.stream));
  const CheckedOperand *first = nullptr;
  for (const CheckedOperand &operand : context.operands()) {
    if (!operand.isFullTile())
      continue;
    if (isFloat(operand.access->dtype))
      return context.error(
          "KILN-I039", "{} is bitwise and takes [|integers|], but {} is <|{}|>",
          name(*bitwise), operand.info->name, name(operand.access->dtype));
    if (!first)
      first = &operand;
    else if (sizeInBytes(first->access->dtype) !=
             sizeInBytes(operand.access->dtype))
      return context.error("KILN-I039",
                           "{} is bitwise and keeps the width, but {} is {} "
                           "and {} is {}",
                           name(*bitwise), first->info->name,
                           name(first->access->dtype), operand.info->name,
                           name(operand.access->dtype));
  }
  return std::nullopt;
}

CheckResult checkScalarTypes(const CheckContext &context) {
  bool bitwise = isBitwise(context.as<TensorScalar>().op0);
  for (std::string_view operand : {"operand0", "operand1"})
    if (CheckResult error =
            bitwise ? checkBitwiseScalar(
                          context, operand,
                          sizeInBytes(context.as<TensorScalar>().data.dtype))
                    : checkArithmeticScalar(context, operand))
      return error;
  return std::nullopt;
}

CheckResult checkPowerEngine(const CheckContext &context) {
  if (context.as<TensorTensor>().op == AluOp::power &&
      context.stream != Engine::gpsimd)
    return context.error(
        "KILN-I021", "power runs only on [|gpsimd|], found <|the {} stream|>",
        name(context.stream));
  return std::nullopt;
}

CheckResult checkUnaryOperand(const CheckContext &context) {
  const TensorScalarReduce &op = context.as<TensorScalarReduce>();
  return checkOperandOf(context, op.op0, "op0", op.operand0, "operand0");
}

CheckResult checkTensorScalarOps(const CheckContext &context) {
  const TensorScalar &op = context.as<TensorScalar>();
  if (CheckResult error =
          checkOperandOf(context, op.op0, "op0", op.operand0, "operand0"))
    return error;
  if (op.op1)
    return checkOperandOf(context, *op.op1, "op1", op.operand1, "operand1");
  if (op.operand1 || op.reverse1)
    return context.error("KILN-I014", "{} is given without op1",
                         op.operand1 ? "operand1" : "reverse1");
  return std::nullopt;
}

CheckResult checkTensorScalarEngines(const CheckContext &context) {
  const TensorScalar &op = context.as<TensorScalar>();
  bool hasRsqrt = op.op0 == AluOp::rsqrt || op.op1 == AluOp::rsqrt;
  switch (context.stream) {
  case Engine::vector:
    if (hasRsqrt)
      return context.error(
          "KILN-I021",
          "rsqrt runs only on [|gpsimd|], found <|the vector stream|>");
    return std::nullopt;
  case Engine::gpsimd:
    if (op.op0 != AluOp::rsqrt || op.op1)
      return context.error(
          "KILN-I021",
          "gpsimd computes only [|rsqrt|] here, found <|op0 = {}, op1 = {}|>",
          name(op.op0), orNone(op.op1));
    return std::nullopt;
  case Engine::scalar:
    break;
  default:
    return std::nullopt;
  }
  if (context.target.generation < Generation::v3)
    return context.error(
        "KILN-I001",
        "the scalar engine supports it from [|trn2|] on, found <|{}|>",
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
    return context.error(
        "KILN-I021",
        "the scalar engine of {} computes [|multiply, add{} or multiply then "
        "add{}|], found <|op0 = {}, op1 = {}|>",
        targetName(context), v4 ? ", subtract" : "", v4 ? " or subtract" : "",
        name(op.op0), orNone(op.op1));
  return std::nullopt;
}

CheckResult checkActivationBias(const CheckContext &context) {
  const auto *bias = context.field<Optional<ScalarOrTile>>("bias");
  if (context.target.generation >= Generation::v3 || !bias || !*bias)
    return std::nullopt;
  if (!std::holds_alternative<Access>(**bias))
    return context.error(
        "KILN-I023", "bias is <|an immediate|>, but {} needs [|a [P, 1] tile|]",
        targetName(context));
  if (*context.field<ActivationFunction>("op") ==
      ActivationFunction::reciprocal)
    return context.error("KILN-I023", "reciprocal takes no bias on {}",
                         targetName(context));
  return std::nullopt;
}

CheckResult checkNoPrelu(const CheckContext &context) {
  if (*context.field<ActivationFunction>("op") == ActivationFunction::prelu)
    return context.error("KILN-I021",
                         "prelu needs the slope relu_param, which only "
                         "activate2 has");
  return std::nullopt;
}

CheckResult checkActivate2Operators(const CheckContext &context) {
  const Activate2 &op = context.as<Activate2>();
  bool bypasses0 = op.op0 == AluOp::bypass, bypasses1 = op.op1 == AluOp::bypass;
  bool legal = bypasses1 || op.op0 == AluOp::multiply;
  if (!legal)
    return context.error("KILN-I069",
                         "op0 = {} with op1 = {}: add and subtract as op1 need "
                         "multiply as op0",
                         name(op.op0), name(op.op1));
  if (op.imm0.has_value() == bypasses0 || (op.reverse0 && bypasses0))
    return context.error("KILN-I014", "op0 = {}, but imm0 is {}{}",
                         name(op.op0), op.imm0 ? "given" : "missing",
                         op.reverse0 ? " and reverse0 is set" : "");
  if (op.imm1.has_value() == bypasses1 || (op.reverse1 && bypasses1))
    return context.error("KILN-I014", "op1 = {}, but imm1 is {}{}",
                         name(op.op1), op.imm1 ? "given" : "missing",
                         op.reverse1 ? " and reverse1 is set" : "");
  const Access *tile0 = context.access("imm0"), *tile1 = context.access("imm1");
  if (tile0 && tile1 && tile0->dtype != tile1->dtype)
    return context.error("KILN-I012",
                         "imm0 is {} and imm1 is {}; two tiles must have one "
                         "type",
                         name(tile0->dtype), name(tile1->dtype));
  if (!op.reduce_op && op.reduce_cmd != ReduceCommand::idle)
    return context.error("KILN-I022",
                         "reduce_cmd is {}, but reduce_op is missing",
                         name(op.reduce_cmd));
  return std::nullopt;
}

} // namespace kiln::isa
