//===- Elementwise.cpp - Operators on tiles -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

namespace kiln::interpret {

using isa::AluOp;

//===----------------------------------------------------------------------===//
// tensor_tensor
//===----------------------------------------------------------------------===//

namespace {

/// On GpSimd: exact, wrapping. The manual does not define how numbers of both
/// signs compare if one tile is signed and the other is not.
Number integerOperator(AluOp op, DType result, const Number &a, DType aType,
                       const Number &b, DType bType) {
  const bool isOrder = op == AluOp::maximum || op == AluOp::minimum ||
                       op == AluOp::abs_max || op == AluOp::abs_min ||
                       isa::isComparison(op);
  if (aType != bType && isOrder &&
      !(low(a) >= 0 && low(b) >= 0 && high(a) < 0x1p31 && high(b) < 0x1p31))
    return isa::isComparison(op) ? truthNumber(Truth::open, false)
                                 : anyInteger(result);
  return wrap(result, applyInteger(op, result, a, b));
}

/// GpSimd computes exactly with integers of 32 bits. Unless the call names an
/// engine, it is GpSimd if that can access the operands.
bool isIntegerArithmetic(Call &call) {
  const bool onGpsimd =
      call.given("engine")
          ? call.engine(isa::Engine::vector) == isa::Engine::gpsimd
          : !usesPsum(call);
  return onGpsimd && isWide(typeOf(call, "dst")) &&
         isWide(typeOf(call, "data1")) && isWide(typeOf(call, "data2"));
}

} // namespace

void interpretTensorTensor(Call &call) {
  const AluOp op = operatorOf(call, "op");
  const Array a = readPlaces(call, "data1"), b = call.read("data2");
  const DType dst = typeOf(call, "dst");
  if (!areEqualCounts(call, {&a, &b}))
    return;
  if (isBitwise(op))
    return writePlaces(call, "dst", mapped(a, dst, [&](auto, std::size_t i) {
                         return bitwise(op, a.numbers[i], a.dtype, b.numbers[i],
                                        b.dtype, dst);
                       }));
  if (op != AluOp::power && isIntegerArithmetic(call))
    return writePlaces(call, "dst", mapped(a, dst, [&](auto, std::size_t i) {
                         return integerOperator(op, dst, a.numbers[i], a.dtype,
                                                b.numbers[i], b.dtype);
                       }));
  writePlaces(call, "dst", mapped(a, DType::f32, [&](auto, std::size_t i) {
                return stage(op, widen(a.numbers[i], a.dtype),
                             widen(b.numbers[i], b.dtype));
              }));
}

//===----------------------------------------------------------------------===//
// tensor_scalar
//===----------------------------------------------------------------------===//

namespace {

/// Integers that an operator takes, one for each row.
struct Integers {
  std::vector<Number> numbers;
  DType dtype;
};
Integers integersOf(Call &call, std::string_view name, std::int64_t rows,
                    DType dtype) {
  if (call.has(name)) {
    const Array column = call.read(name);
    return {column.numbers, column.dtype};
  }
  return {std::vector<Number>(static_cast<std::size_t>(rows),
                              exactly(call.number(name))),
          dtype};
}

Array bitwiseStage(Call &call, AluOp op, const Array &data,
                   std::string_view operand, bool isReversed, DType result) {
  const Integers scalars = integersOf(call, operand, data.rows(), data.dtype);
  if (scalars.numbers.size() < static_cast<std::size_t>(data.rows()))
    call.fail("'" + std::string(operand) + "' has too few numbers");
  if (call.failed())
    return data;
  return mapped(data, result, [&](std::size_t row, std::size_t i) {
    const Number &x = data.numbers[i], &s = scalars.numbers[row];
    return isReversed && !isUnary(op)
               ? bitwise(op, s, scalars.dtype, x, data.dtype, result)
               : bitwise(op, x, data.dtype, s, scalars.dtype, result);
  });
}

} // namespace

void interpretTensorScalar(Call &call) {
  const AluOp op0 = operatorOf(call, "op0");
  const std::optional<AluOp> op1 = call.choice<AluOp>("op1");
  const DType dst = typeOf(call, "dst");
  if (isBitwise(op0)) {
    Array array = readPlaces(call, "data");
    array = bitwiseStage(call, op0, array, "operand0", call.flag("reverse0"),
                         op1 ? array.dtype : dst);
    if (op1)
      array = bitwiseStage(call, *op1, array, "operand1", call.flag("reverse1"),
                           dst);
    return writePlaces(call, "dst", array);
  }
  const Array data = readWidePlaces(call, "data");
  const auto s0 = columnOf(call, "operand0", data.rows());
  const auto s1 = columnOf(call, "operand1", data.rows());
  const bool reverse0 = call.flag("reverse0") && !isUnary(op0);
  const bool reverse1 = call.flag("reverse1") && op1 && !isUnary(*op1);
  if (call.failed())
    return;
  writePlaces(call, "dst",
              mapped(data, DType::f32, [&](std::size_t row, std::size_t i) {
                const Number x = stage(op0, data.numbers[i], s0[row], reverse0);
                return op1 ? stage(*op1, x, s1[row], reverse1) : x;
              }));
}

void interpretScalarTensorTensor(Call &call) {
  const AluOp op0 = operatorOf(call, "op0"), op1 = operatorOf(call, "op1");
  const Array data = call.readWide("data"), other = call.readWide("operand1");
  const auto s = columnOf(call, "operand0", data.rows());
  const bool reverse0 = call.flag("reverse0"), reverse1 = call.flag("reverse1");
  if (!areEqualCounts(call, {&data, &other}))
    return;
  call.write("dst",
             mapped(data, DType::f32, [&](std::size_t row, std::size_t i) {
               return stage(op1, stage(op0, data.numbers[i], s[row], reverse0),
                            other.numbers[i], reverse1);
             }));
}

void interpretReciprocal(Call &call) {
  const Array data = call.readWide("data");
  call.write("dst", mapped(data, DType::f32, [&](auto, std::size_t i) {
               return stage(AluOp::reciprocal, data.numbers[i], exactly(0));
             }));
}

} // namespace kiln::interpret
