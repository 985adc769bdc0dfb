//===- Activations.cpp - Functions of the Scalar engine, exponential ----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meanings.h"
#include "Operands.h"

namespace kiln::interpret {

using isa::ActivationFunction;
using isa::AluOp;
using isa::ReduceCommand;

namespace {

/// A function in fp32, rounded once.
Number function(ActivationFunction op, const Number &x, double slope = 0) {
  const Number y = apply(op, x, slope);
  // These round as an operator does.
  const bool roundsOnce =
      op == ActivationFunction::square || op == ActivationFunction::reciprocal;
  if (roundsOnce && isExact(x))
    return exactly(roundTo(DType::f32, y.value));
  return roundTo(DType::f32, y);
}

ActivationFunction functionOf(Call &call) {
  const auto op = call.choice<ActivationFunction>("op");
  if (!op)
    call.fail("'" + call.mnemonic + "' has no function");
  return op.value_or(ActivationFunction::copy);
}

/// op(fma(data, scale, bias)), with the sum in the accumulator.
void activate(Call &call, ReduceCommand command) {
  const ActivationFunction op = functionOf(call);
  const Array data = readWidePlaces(call, "data");
  const auto scale = columnOf(call, "scale", data.rows(), 1);
  const auto bias = columnOf(call, "bias", data.rows());
  Accumulators &accumulators = scalarAccumulators(call.machine);
  accumulators.start(call, command, AluOp::add, data.rows());
  if (call.failed())
    return;
  const Array result =
      mapped(data, DType::f32, [&](std::size_t row, std::size_t i) {
        return function(op, fusedStage(data.numbers[i], scale[row], bias[row]));
      });
  accumulators.take(command, AluOp::add, result);
  writePlaces(call, "dst", result);
  accumulators.store(call, "reduce_res");
}

} // namespace

void interpretActivation(Call &call) {
  activate(call, call.choice("reduce_cmd", ReduceCommand::idle));
}

void interpretActivationReduce(Call &call) {
  activate(call, ReduceCommand::reset_reduce);
}

void interpretActivate2(Call &call) {
  const ActivationFunction op = functionOf(call);
  const AluOp op0 = call.choice("op0", AluOp::bypass);
  const AluOp op1 = call.choice("op1", AluOp::bypass);
  const AluOp fold = call.choice("reduce_op", AluOp::add);
  const ReduceCommand command = call.choice("reduce_cmd", ReduceCommand::idle);
  const Array data = readWidePlaces(call, "data");
  const auto imm0 = columnOf(call, "imm0", data.rows());
  const auto imm1 = columnOf(call, "imm1", data.rows());
  const auto slope = columnOf(call, "relu_param", data.rows());
  const bool reverse0 = call.flag("reverse0"), reverse1 = call.flag("reverse1");
  Accumulators &accumulators = scalarAccumulators(call.machine);
  accumulators.start(call, command, fold, data.rows());
  if (call.failed())
    return;
  const auto input = [&](std::size_t row, const Number &x) {
    if (op0 == AluOp::multiply && op1 == AluOp::add)
      return fusedStage(x, imm0[row], imm1[row]);
    const Number first =
        op0 == AluOp::bypass ? x : stage(op0, x, imm0[row], reverse0);
    return op1 == AluOp::bypass ? first
                                : stage(op1, first, imm1[row], reverse1);
  };
  const Array result =
      mapped(data, DType::f32, [&](std::size_t row, std::size_t i) {
        const Number x = input(row, data.numbers[i]);
        if (op != ActivationFunction::prelu)
          return function(op, x);
        const Number below = stage(AluOp::multiply, slope[row], x);
        return selected(compare(AluOp::greater_equal, x, exactly(0)),
                        x.value >= 0, x, below);
      });
  accumulators.take(command, fold, result);
  writePlaces(call, "dst", result);
  accumulators.store(call, "reduce_res");
}

void interpretExponential(Call &call) {
  const ReduceCommand command = call.choice("reduce_cmd", ReduceCommand::idle);
  const Array src = readWidePlaces(call, "src");
  const auto most = columnOf(call, "max_value", src.rows());
  Accumulators &accumulators = vectorAccumulators(call.machine);
  accumulators.start(call, command, AluOp::add, src.rows(), "reduce_init");
  if (call.failed())
    return;
  const Array result =
      mapped(src, DType::f32, [&](std::size_t row, std::size_t i) {
        return function(ActivationFunction::exp,
                        stage(AluOp::subtract, src.numbers[i], most[row]));
      });
  accumulators.take(command, AluOp::add, result);
  writePlaces(call, "dst", result);
  accumulators.store(call, "reduce_res");
  if (command == ReduceCommand::idle)
    accumulators.forget(src.rows());
}

} // namespace kiln::interpret
