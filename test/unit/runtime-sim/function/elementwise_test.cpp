//===- elementwise_test.cpp - tensor_tensor and its relatives -------------===//
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

namespace {

constexpr unsigned P = 64, N = 100;

/// The operators again, as the manual words them.
float model(AluOp op, float a, float b) {
  const auto one = [](bool x) { return x ? 1.0f : 0.0f; };
  const float nan = std::nanf("");
  switch (op) {
  case AluOp::add:
    return a + b;
  case AluOp::subtract:
    return a - b;
  case AluOp::multiply:
    return a * b;
  case AluOp::maximum:
    if (std::isnan(a) || std::isnan(b))
      return nan;
    if (a == 0 && b == 0)
      return std::signbit(a) && std::signbit(b) ? -0.0f : 0.0f;
    return std::max(a, b);
  case AluOp::minimum:
    if (std::isnan(a) || std::isnan(b))
      return nan;
    if (a == 0 && b == 0)
      return std::signbit(a) || std::signbit(b) ? -0.0f : 0.0f;
    return std::min(a, b);
  case AluOp::equal:
    return one(a == b);
  case AluOp::not_equal:
    return one(a != b);
  case AluOp::greater_equal:
    return one(a >= b);
  case AluOp::greater:
    return one(a > b);
  case AluOp::less_equal:
    return one(a <= b);
  case AluOp::less:
    return one(a < b);
  case AluOp::logical_and:
    return one(a != 0 && b != 0);
  case AluOp::logical_or:
    return one(a != 0 || b != 0);
  case AluOp::logical_xor:
    return one((a != 0) != (b != 0));
  case AluOp::abs:
    return std::fabs(a);
  case AluOp::rsqrt:
    return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(a)));
  default: // The wider set is tested in semantics_test.cpp and its neighbours.
    FAIL("no model of this operator");
  }
  return nan;
}

constexpr AluOp binary[] = {
    AluOp::add,        AluOp::subtract,      AluOp::multiply,
    AluOp::maximum,    AluOp::minimum,       AluOp::equal,
    AluOp::not_equal,  AluOp::greater_equal, AluOp::greater,
    AluOp::less_equal, AluOp::less,          AluOp::logical_and,
    AluOp::logical_or, AluOp::logical_xor};

struct TwoInputs {
  Program program;
  std::vector<float> a = someFloats(P * N, 1), b = someFloats(P * N, 2);
  Access x = sbuf(DType::f32, P, N, 0), y = sbuf(DType::f32, P, N, 1024),
         z = sbuf(DType::f32, P, N, 2048);

  TwoInputs() {
    for (std::size_t i = 0; i < b.size(); i += 7)
      b[i] = a[i];
    program.tensor("a", DType::f32, isa::TensorKind::input, {P, N});
    program.tensor("b", DType::f32, isa::TensorKind::input, {P, N});
    program.tensor("c", DType::f32, isa::TensorKind::output, {P, N});
    program.load(x, 0);
    program.load(y, 1);
  }
  std::vector<float> result() {
    program.store(2, z);
    const sim::Result result = run(program, {data("a", a), data("b", b)});
    if (result.fault)
      FAIL(result.fault->text);
    return values<float>(result.outputs.at(0));
  }
};

} // namespace

TEST_CASE("tensor_tensor computes every binary operator") {
  for (const AluOp op : binary) {
    CAPTURE(std::string(isa::name(op)));
    TwoInputs test;
    test.program.then(Engine::vector,
                      isa::TensorTensor{test.z, test.x, test.y, op});
    std::vector<float> expected(P * N);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = model(op, test.a[i], test.b[i]);
    CHECK(firstDifference(test.result(), expected) == none);
  }
}

TEST_CASE("arithmetic stores one NaN only") {
  TwoInputs test;
  test.program.then(Engine::vector,
                    isa::TensorTensor{test.z, test.x, test.y, AluOp::add});
  for (const float x : test.result())
    if (std::isnan(x))
      CHECK(std::bit_cast<std::uint32_t>(x) == 0x7fc00000u);
}

TEST_CASE("tensor_tensor in place and on overlapping tiles") {
  TwoInputs test;
  test.program.then(Engine::vector,
                    isa::TensorTensor{test.x, test.x, test.y, AluOp::add});
  // One element to the right: all of a lane is read before it is written.
  Access shifted = sbuf(DType::f32, P, N - 1, 4);
  Access from = sbuf(DType::f32, P, N - 1, 0);
  test.program.then(Engine::vector,
                    isa::TensorTensor{shifted, from, from, AluOp::add});
  test.program.then(Engine::vector, isa::TensorCopy{test.z, test.x});
  const std::vector<float> got = test.result();
  for (std::size_t p = 0; p < P; ++p)
    for (std::size_t i = 0; i < N; ++i) {
      const auto sum = [&](std::size_t k) {
        return test.a[p * N + k] + test.b[p * N + k];
      };
      const float want = i == 0 ? sum(0) : sum(i - 1) + sum(i - 1);
      if (!sameFloat(got[p * N + i], want))
        FAIL(p << " " << i);
    }
}

TEST_CASE("tensor_tensor on int32 is exact on GpSimd and fp32 on Vector") {
  for (const Engine engine : {Engine::vector, Engine::gpsimd}) {
    Program program;
    program.tensor("a", DType::i32, isa::TensorKind::input, {1, 2});
    program.tensor("b", DType::i32, isa::TensorKind::input, {1, 2});
    program.tensor("c", DType::i32, isa::TensorKind::output, {1, 2});
    const Access a = sbuf(DType::i32, 1, 2, 0), b = sbuf(DType::i32, 1, 2, 64);
    program.load(a, 0);
    program.load(b, 1);
    program.then(engine, isa::TensorTensor{a, a, b, AluOp::add});
    program.store(2, a);
    const std::vector<std::int32_t> x{1 << 24, 2147483647}, y{1, 1};
    const sim::Result result = run(program, {data("a", x), data("b", y)});
    REQUIRE(!result.fault);
    const auto got = values<std::int32_t>(result.outputs.at(0));
    if (engine == Engine::gpsimd)
      CHECK(got == std::vector<std::int32_t>{16777217, -2147483647 - 1});
    else
      CHECK(got == std::vector<std::int32_t>{16777216, 2147483647});
  }
}

TEST_CASE("tensor_scalar with immediates, tiles and reversed operands") {
  for (const AluOp op0 : binary)
    for (const bool reverse0 : {false, true}) {
      TwoInputs test;
      const Access column =
          place(Space::sbuf, DType::f32, 0, P, 1024, {{1, 1}});
      isa::TensorScalar op;
      op.dst = test.z;
      op.data = test.x;
      op.op0 = op0;
      op.operand0 = column;
      op.reverse0 = reverse0;
      op.op1 = AluOp::subtract;
      op.operand1 = 0.75f;
      op.reverse1 = true;
      test.program.then(Engine::vector, op);
      std::vector<float> expected(P * N);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const float lane = test.b[i / N * N];
        const float first = reverse0 ? model(op0, lane, test.a[i])
                                     : model(op0, test.a[i], lane);
        expected[i] = 0.75f - first;
      }
      CAPTURE(std::string(isa::name(op0)), reverse0);
      CHECK(firstDifference(test.result(), expected) == none);
    }
}

TEST_CASE("tensor_scalar: unary operators") {
  for (const AluOp op0 : {AluOp::abs, AluOp::rsqrt}) {
    TwoInputs test;
    isa::TensorScalar op;
    op.dst = test.z;
    op.data = test.x;
    op.op0 = op0;
    test.program.then(op0 == AluOp::rsqrt ? Engine::gpsimd : Engine::vector,
                      op);
    std::vector<float> expected(P * N);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = model(op0, test.a[i], 0);
    CHECK(firstDifference(test.result(), expected) == none);
  }
}

TEST_CASE("scalar_tensor_tensor rounds after each operator") {
  for (const bool reverse1 : {false, true}) {
    TwoInputs test;
    isa::ScalarTensorTensor op;
    op.dst = test.z;
    op.data = test.x;
    op.op0 = AluOp::multiply;
    op.operand0 = 0.1f;
    op.op1 = AluOp::subtract;
    op.operand1 = test.y;
    op.reverse1 = reverse1;
    test.program.then(Engine::vector, op);
    std::vector<float> expected(P * N);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float first = test.a[i] * 0.1f;
      expected[i] = reverse1 ? test.b[i] - first : first - test.b[i];
    }
    CHECK(firstDifference(test.result(), expected) == none);
  }
}

TEST_CASE("reciprocal is correctly rounded") {
  TwoInputs test;
  test.program.then(Engine::vector, isa::Reciprocal{test.z, test.x});
  std::vector<float> expected(P * N);
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = 1.0f / test.a[i];
  CHECK(firstDifference(test.result(), expected) == none);
}

TEST_CASE("strided bf16 operands in PSUM and SBUF") {
  TwoInputs test;
  // Every second element of x, transposed pairs of y, into bf16.
  const Access x = place(Space::sbuf, DType::f32, 0, P, 0, {{2, N / 2}});
  const Access y =
      place(Space::sbuf, DType::f32, 0, P, 1024, {{1, 2}, {2, N / 4}});
  const Access mid = place(Space::psum, DType::bf16, 0, P, 512, {{3, N / 2}});
  test.program.then(Engine::vector,
                    isa::TensorTensor{mid, x, y, AluOp::multiply});
  test.program.then(Engine::vector, isa::Memset{test.z, 0.0f});
  const Access half = place(Space::sbuf, DType::f32, 0, P, 2048, {{1, N / 2}});
  test.program.then(Engine::vector, isa::TensorCopy{half, mid});
  const std::vector<float> got = test.result();
  for (std::size_t p = 0; p < P; ++p)
    for (std::size_t i = 0; i < N / 2; ++i) {
      const std::size_t j = i / (N / 4) + 2 * (i % (N / 4));
      const float product = test.a[p * N + 2 * i] * test.b[p * N + j];
      if (!sameFloat(got[p * N + i], widenBf16(slowBf16(product))))
        FAIL(p << " " << i);
    }
}
