//===- Reductions.cpp - Reductions and scans ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

#include <algorithm>

namespace kiln::interpret {

using isa::AluOp;
using isa::ReduceCommand;

namespace {

/// Reduces numbers in their order, bits or fp32.
class Reduction {
public:
  Reduction(AluOp op, DType from, DType to) : op(op), from(from), to(to) {}

  /// The type of the result of value().
  DType resultType() const { return isBitwise(op) ? to : DType::f32; }
  void start() { count = 0; }
  void take(const Number &number) {
    const Number x = isBitwise(op) ? number : widen(number, from);
    if (isBitwise(op))
      value = count == 0 ? x : bitwise(op, value, from, x, from, from);
    else if (count == 0 && op == AluOp::subtract)
      value = x; // from the first element
    else
      value = stage(op, count == 0 ? exactly(identityOf(op)) : value, x);
    ++count;
  }
  Number result(bool isNegated = false) const {
    if (isBitwise(op)) // the same bits, as `to`
      return bitwise(AluOp::bitwise_or, value, from, exactly(0), from, to);
    return isNegated ? negated(value) : value;
  }

private:
  AluOp op;
  DType from, to;
  Number value;
  std::int64_t count = 0;
};

} // namespace

void interpretTensorReduce(Call &call) {
  const AluOp op = operatorOf(call, "op");
  const Array data = readPlaces(call, "data");
  const auto axes = static_cast<std::size_t>(call.integer("axes", 1));
  if (axes >= data.sizes.size())
    return call.fail("'tensor_reduce' reduces " + std::to_string(axes) +
                     " of " + std::to_string(data.sizes.size() - 1) +
                     " dimensions");
  const std::int64_t inner =
      countOf(std::span(data.sizes).subspan(data.sizes.size() - axes));
  Reduction reduction(op, data.dtype, typeOf(call, "dst"));
  Array result =
      makeArray(reduction.resultType(), call.operand("dst").window.sizes);
  if (static_cast<std::size_t>(inner) * result.numbers.size() !=
      data.numbers.size())
    return call.fail("dst of 'tensor_reduce' has " +
                     std::to_string(result.numbers.size()) + " elements for " +
                     std::to_string(data.numbers.size()) + " of data");
  auto next = data.numbers.begin();
  for (Number &number : result.numbers) {
    reduction.start();
    for (std::int64_t i = 0; i < inner; ++i)
      reduction.take(*next++);
    number = reduction.result(call.flag("negate"));
  }
  writePlaces(call, "dst", result);
}

void interpretTensorPartitionReduce(Call &call) {
  const AluOp op = operatorOf(call, "op");
  const Array data = call.read("data");
  const bool isMean = op == AluOp::average;
  Reduction reduction(isMean ? AluOp::add : op, data.dtype,
                      typeOf(call, "dst"));
  Array result =
      makeArray(reduction.resultType(), call.operand("dst").window.sizes);
  if (static_cast<std::int64_t>(result.numbers.size()) != data.cols())
    return call.fail("dst of 'tensor_partition_reduce' has " +
                     std::to_string(result.numbers.size()) + " elements for " +
                     std::to_string(data.cols()));
  for (std::int64_t col = 0; col < data.cols(); ++col) {
    reduction.start();
    for (std::int64_t row = 0; row < data.rows(); ++row)
      reduction.take(data.at(row, col));
    Number &number = result.numbers[static_cast<std::size_t>(col)];
    number = reduction.result();
    if (isMean)
      number = quotient(number, static_cast<double>(data.rows()));
  }
  call.write("dst", result);
}

void interpretTensorScalarCumulative(Call &call) {
  const AluOp op0 = operatorOf(call, "op0"), op1 = operatorOf(call, "op1");
  const ReduceCommand command =
      call.choice("reduce_cmd", ReduceCommand::reset_reduce);
  const Array src = readWidePlaces(call, "src");
  const auto imm0 = columnOf(call, "imm0", src.rows());
  Accumulators &accumulators = vectorAccumulators(call.machine);
  accumulators.start(call, command, op1, src.rows(), "imm1");
  if (call.failed())
    return;
  writePlaces(
      call, "dst", mapped(src, DType::f32, [&](std::size_t row, std::size_t i) {
        Number &value = accumulators.values[row];
        value = stage(op1, stage(op0, src.numbers[i], imm0[row]), value);
        return value;
      }));
}

void interpretTensorScalarReduce(Call &call) {
  const AluOp op0 = operatorOf(call, "op0");
  const AluOp fold = operatorOf(call, "reduce_op");
  const ReduceCommand command =
      call.choice("reduce_cmd", ReduceCommand::reset_reduce);
  const Array data = readWidePlaces(call, "data");
  const auto operand = columnOf(call, "operand0", data.rows());
  Accumulators &accumulators = vectorAccumulators(call.machine);
  accumulators.start(call, command, fold, data.rows(), "reduce_init");
  if (call.failed())
    return;
  const Array result =
      mapped(data, DType::f32, [&](std::size_t row, std::size_t i) {
        return stage(op0, data.numbers[i], operand[row]);
      });
  accumulators.take(command, fold, result);
  writePlaces(call, "dst", result);
  accumulators.store(call, "reduce_res", call.flag("reduce_res_negate"));
}

void interpretTensorTensorScan(Call &call) {
  const AluOp op0 = operatorOf(call, "op0"), op1 = operatorOf(call, "op1");
  const Array data0 = call.readWide("data0"), data1 = call.readWide("data1");
  std::vector<Number> before = columnOf(call, "initial", data0.rows());
  // reverse0: data0 is the right operand; reverse1: data1 is the left one.
  const bool reverse0 = call.flag("reverse0"), reverse1 = call.flag("reverse1");
  if (!areEqualCounts(call, {&data0, &data1}))
    return;
  call.write("dst",
             mapped(data0, DType::f32, [&](std::size_t row, std::size_t i) {
               const Number first =
                   stage(op0, data0.numbers[i], before[row], reverse0);
               before[row] = stage(op1, first, data1.numbers[i], reverse1);
               return before[row];
             }));
}

} // namespace kiln::interpret
