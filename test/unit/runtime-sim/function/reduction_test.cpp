//===- reduction_test.cpp - Accumulators and row reductions ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "catch.h"

using namespace bench;
using isa::AluOp;
using isa::ReduceCommand;
using isa::TensorKind;

namespace {

constexpr unsigned P = 64, N = 96;

struct Rows {
  Program program;
  std::vector<float> a = someFloats(P * N, 4, false);
  Access x = sbuf(DType::f32, P, N, 0), y = sbuf(DType::f32, P, N, 1024),
         column = sbuf(DType::f32, P, 1, 4096);

  Rows() {
    program.tensor("a", DType::f32, TensorKind::input, {P, N});
    program.tensor("y", DType::f32, TensorKind::output, {P, N});
    program.tensor("r", DType::f32, TensorKind::output, {P, 1});
    program.load(x, 0);
  }
  sim::Result go() {
    program.store(1, y);
    program.store(2, column);
    sim::Result result = run(program, {data("a", a)});
    if (result.fault)
      FAIL(result.fault->text);
    return result;
  }
};

} // namespace

TEST_CASE("activation: fma, function, sum in order across two instructions") {
  Rows rows;
  isa::Activation op;
  op.dst = rows.y;
  op.op = isa::ActivationFunction::square;
  op.data = rows.x;
  op.scale = 0.7f;
  op.bias = place(Space::sbuf, DType::f32, 0, P, 8, {{1, 1}});
  op.reduce_op = AluOp::add;
  op.reduce_cmd = ReduceCommand::reset_reduce;
  rows.program.then(Engine::scalar, op);
  op.reduce_cmd = ReduceCommand::reduce;
  op.reduce_res = rows.column;
  rows.program.then(Engine::scalar, op);
  const sim::Result result = rows.go();
  std::vector<float> y(P * N), sums(P);
  for (std::size_t p = 0; p < P; ++p)
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < N; ++i) {
        const float v = std::fma(rows.a[p * N + i], 0.7f, rows.a[p * N + 2]);
        y[p * N + i] = v * v;
        sums[p] += v * v;
      }
  CHECK(firstDifference(values<float>(result.outputs[0]), y) == none);
  CHECK(firstDifference(values<float>(result.outputs[1]), sums) == none);
}

TEST_CASE("reduce_res takes the value before the output cast and is last") {
  Rows rows;
  isa::Activation op;
  op.dst = place(Space::sbuf, DType::bf16, 0, P, 1024, {{1, N}});
  op.op = isa::ActivationFunction::copy;
  op.data = rows.x;
  op.reduce_op = AluOp::add;
  op.reduce_cmd = ReduceCommand::reset_reduce;
  // On top of the first two bf16 elements.
  op.reduce_res = place(Space::sbuf, DType::f32, 0, P, 1024, {{1, 1}});
  rows.program.then(Engine::scalar, op);
  rows.program.then(Engine::vector,
                    isa::TensorCopy{rows.column, *op.reduce_res});
  rows.program.then(Engine::vector, isa::Memset{rows.y, 0.0f});
  const sim::Result result = rows.go();
  std::vector<float> sums(P);
  for (std::size_t i = 0; i < rows.a.size(); ++i)
    sums[i / N] += std::fma(rows.a[i], 1.0f, 0.0f);
  CHECK(firstDifference(values<float>(result.outputs[1]), sums) == none);
}

TEST_CASE("tensor_reduce: every operator, in order") {
  for (const AluOp op :
       {AluOp::add, AluOp::multiply, AluOp::maximum, AluOp::minimum}) {
    Rows rows;
    isa::TensorReduce reduce;
    reduce.dst = sbuf(DType::f32, P, N / 4, 1024);
    reduce.op = op;
    reduce.data = place(Space::sbuf, DType::f32, 0, P, 0, {{4, N / 4}, {1, 4}});
    reduce.negate = true;
    rows.program.then(Engine::vector, isa::Memset{rows.y, 0.0f});
    rows.program.then(Engine::vector, reduce);
    reduce.dst = rows.column;
    reduce.negate = false;
    reduce.axes = 2;
    rows.program.then(Engine::vector, reduce);
    const sim::Result result = rows.go();
    const auto fold = [&](std::size_t first, std::size_t n) {
      float acc = op == AluOp::add        ? 0.0f
                  : op == AluOp::multiply ? 1.0f
                  : op == AluOp::maximum  ? -INFINITY
                                          : INFINITY;
      for (std::size_t i = first; i < first + n; ++i) {
        const float v = rows.a[i];
        acc = op == AluOp::add        ? acc + v
              : op == AluOp::multiply ? acc * v
              : op == AluOp::maximum  ? std::max(acc, v)
                                      : std::min(acc, v);
      }
      return acc;
    };
    std::vector<float> y(P * N), whole(P);
    for (std::size_t p = 0; p < P; ++p) {
      whole[p] = fold(p * N, N);
      for (std::size_t o = 0; o < N / 4; ++o)
        y[p * N + o] = -fold(p * N + 4 * o, 4);
    }
    CAPTURE(std::string(isa::name(op)));
    CHECK(firstDifference(values<float>(result.outputs[0]), y) == none);
    CHECK(firstDifference(values<float>(result.outputs[1]), whole) == none);
  }
}

TEST_CASE("select_reduce selects and keeps the running maximum") {
  Rows rows;
  const Access mask = sbuf(DType::u8, P, N, 8192);
  isa::TensorScalar positive;
  positive.dst = mask;
  positive.data = rows.x;
  positive.op0 = AluOp::greater;
  positive.operand0 = 0.0f;
  rows.program.then(Engine::vector, positive);
  isa::SelectReduce op;
  op.dst = rows.y;
  op.predicate = mask;
  op.on_true = rows.x;
  op.on_false = -7.5f;
  op.reverse_pred = true;
  op.reduce_cmd = ReduceCommand::reset_reduce;
  op.reduce_res = rows.column;
  rows.program.then(Engine::vector, op);
  const sim::Result result = rows.go();
  std::vector<float> y(P * N), most(P, -INFINITY);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = rows.a[i] > 0 ? -7.5f : rows.a[i];
    most[i / N] = std::max(most[i / N], y[i]);
  }
  CHECK(firstDifference(values<float>(result.outputs[0]), y) == none);
  CHECK(firstDifference(values<float>(result.outputs[1]), most) == none);
}
