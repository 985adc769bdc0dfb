//===- accumulators_test.cpp - The hidden reduction registers -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lab.h"

using namespace lab;
using isa::AluOp;
using isa::ReduceCommand;
using Function = isa::ActivationFunction;

namespace {

const Access tile = sbuf(DType::f32, 4, 3, 0);
const Access other = sbuf(DType::f32, 4, 3, 64);
const Access sum = sbuf(DType::f32, 4, 1, 128);

Image rows(const std::vector<float> &values) {
  Image image;
  image.fill(tile, values);
  return image;
}

float identity(AluOp op) {
  switch (op) {
  case AluOp::multiply:
    return 1;
  case AluOp::maximum:
    return -INFINITY;
  case AluOp::minimum:
  case AluOp::abs_min:
    return INFINITY;
  default:
    return 0;
  }
}

} // namespace

TEST_CASE("activation: commands go on from the registers of the lanes") {
  isa::Activation op;
  op.dst = other;
  op.op = Function::copy;
  op.data = tile;
  op.reduce_op = AluOp::add;
  const auto step = [&](ReduceCommand command, bool reads) {
    isa::Activation result = op;
    result.reduce_cmd = command;
    if (reads)
      result.reduce_res = sum;
    return result;
  };
  const Image image = rows({1, 2, 3, 10, 20, 30, -1, -2, -3, 0.5f, 0.25f, 0});
  Lab chain(isa::Generation::v3);
  chain.then(Engine::scalar, step(ReduceCommand::reset_reduce, false))
      .then(Engine::scalar, step(ReduceCommand::reduce, false))
      .then(Engine::scalar, step(ReduceCommand::idle, true));
  CHECK(chain.run(image).read(sum) == std::vector<float>{12, 120, -12, 1.5f});
  Lab reset(isa::Generation::v3);
  reset.then(Engine::scalar, step(ReduceCommand::reset_reduce, false))
      .then(Engine::scalar, step(ReduceCommand::reset, true));
  CHECK(reset.run(image).read(sum) == std::vector<float>{0, 0, 0, 0});
  // No reset before: the registers hold nothing.
  Lab wrong(isa::Generation::v3);
  wrong.then(Engine::scalar, step(ReduceCommand::reduce, true));
  const sim::Result result = wrong.tryRun(image);
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X010");
}

TEST_CASE("activation_reduce is activation that resets and adds") {
  const Image before = randomImage(3);
  const Access data = place(Space::psum, DType::bf16, 32, 20, 6,
                            {{30, 4}, {3, 9}}),
               dst = place(Space::sbuf, DType::f16, 64, 20, 100, {{1, 36}}),
               result = place(Space::sbuf, DType::f32, 64, 20, 400, {}),
               bias = place(Space::psum, DType::f16, 96, 20, 20, {});
  isa::ActivationReduce op;
  op.dst = dst;
  op.op = Function::abs;
  op.data = data;
  op.reduce_res = result;
  op.bias = bias;
  op.scale = 0.75f;
  Image want = before;
  for (unsigned p = 0; p < 20; ++p) {
    float total = 0;
    for (unsigned i = 0; i < 36; ++i) {
      const float x =
          std::fma(want.get(data, p, i), 0.75f, want.get(bias, p, 0));
      total += std::fabs(x);
      want.put(dst, p, i, std::fabs(x));
    }
    want.put(result, p, 0, total);
  }
  checkSame(after(before, Engine::scalar, op), want);
}

TEST_CASE("activate2: prelu, the six pairs of operators, five reductions") {
  // The manual's example: prelu with slope 0.25 on -4 is -1.
  Image small = rows({-4, 4, 0});
  isa::Activate2 prelu;
  prelu.dst = other;
  prelu.op = Function::prelu;
  prelu.data = tile;
  prelu.relu_param = 0.25f;
  CHECK(after(small, Engine::scalar, prelu).get(other, 0, 0) == -1);
  CHECK(after(small, Engine::scalar, prelu).get(other, 0, 1) == 4);

  const struct {
    AluOp op0, op1;
  } pairs[] = {
      {AluOp::multiply, AluOp::add},    {AluOp::multiply, AluOp::subtract},
      {AluOp::multiply, AluOp::bypass}, {AluOp::add, AluOp::bypass},
      {AluOp::subtract, AluOp::bypass}, {AluOp::bypass, AluOp::bypass}};
  unsigned seed = 20;
  for (const auto &pair : pairs)
    for (const AluOp fold : {AluOp::add, AluOp::maximum, AluOp::minimum,
                             AluOp::abs_max, AluOp::abs_min}) {
      CAPTURE(std::string(isa::name(pair.op0)),
              std::string(isa::name(pair.op1)), std::string(isa::name(fold)));
      const Image before = randomImage(seed++);
      const Access data = place(Space::sbuf, DType::f16, 0, 64, 2, {{5, 30}}),
                   dst = place(Space::psum, DType::bf16, 0, 64, 0, {{1, 30}}),
                   imm = place(Space::sbuf, DType::bf16, 64, 64, 500, {}),
                   result = place(Space::sbuf, DType::f32, 64, 64, 800, {});
      isa::Activate2 op;
      op.dst = dst;
      op.op = Function::copy;
      op.data = data;
      op.op0 = pair.op0;
      op.op1 = pair.op1;
      if (pair.op0 != AluOp::bypass)
        op.imm0 = imm;
      op.reverse0 = pair.op0 == AluOp::subtract;
      if (pair.op1 != AluOp::bypass) {
        op.imm1 = 1.5f;
        op.reverse1 = pair.op1 == AluOp::subtract;
      }
      op.reduce_op = fold;
      op.reduce_cmd = ReduceCommand::reset_reduce;
      op.reduce_res = result;
      Image want = before;
      for (unsigned p = 0; p < 64; ++p) {
        float folded = identity(fold);
        for (unsigned i = 0; i < 30; ++i) {
          float x = want.get(data, p, i);
          const float a = want.get(imm, p, 0);
          if (pair.op0 == AluOp::multiply && pair.op1 == AluOp::add)
            x = std::fma(x, a, 1.5f);
          else {
            if (pair.op0 != AluOp::bypass)
              x = op.reverse0 ? apply(pair.op0, a, x) : apply(pair.op0, x, a);
            if (pair.op1 != AluOp::bypass)
              x = op.reverse1 ? apply(pair.op1, 1.5f, x)
                              : apply(pair.op1, x, 1.5f);
          }
          folded = apply(fold, folded, x);
          want.put(dst, p, i, x);
        }
        want.put(result, p, 0, folded);
      }
      checkSame(after(before, Engine::scalar, op), want);
    }
}

TEST_CASE("exponential: distance from the maximum, and its sum") {
  Image before = randomImage(4);
  const Access data = place(Space::psum, DType::bf16, 0, 32, 0, {{2, 50}}),
               dst = place(Space::sbuf, DType::bf16, 32, 32, 0, {{1, 50}}),
               top = place(Space::sbuf, DType::f32, 64, 32, 0, {}),
               result = place(Space::sbuf, DType::f32, 96, 32, 0, {});
  before.fill(data, someFloats(1600, 5));
  before.fill(top, someFloats(32, 6, false));
  for (const ReduceCommand command :
       {ReduceCommand::reset_reduce, ReduceCommand::load_reduce}) {
    isa::Exponential op;
    op.dst = dst;
    op.src = data;
    op.max_value = top;
    op.reduce_res = result;
    op.reduce_cmd = command;
    if (command == ReduceCommand::load_reduce)
      op.reduce_init = 2.5f;
    Image want = before;
    for (unsigned p = 0; p < 32; ++p) {
      float total = command == ReduceCommand::load_reduce ? 2.5f : 0.0f;
      for (unsigned i = 0; i < 50; ++i) {
        const float distance = want.get(data, p, i) - want.get(top, p, 0);
        const auto y =
            static_cast<float>(std::exp(static_cast<long double>(distance)));
        total += y;
        want.put(dst, p, i, y);
      }
      want.put(result, p, 0, total);
    }
    checkSame(after(before, Engine::vector, op), want);
  }
}

TEST_CASE("tensor_scalar_reduce: chains, starting values, negated results") {
  unsigned seed = 40;
  for (const AluOp fold :
       {AluOp::add, AluOp::multiply, AluOp::maximum, AluOp::minimum}) {
    CAPTURE(std::string(isa::name(fold)));
    const Image before = randomImage(seed++);
    const Access data = place(Space::psum, DType::f16, 64, 50, 0,
                              {{4, 3}, {1, 4}, {20, 5}}),
                 dst = place(Space::sbuf, DType::bf16, 64, 50, 0, {{1, 60}}),
                 operand = place(Space::sbuf, DType::f32, 0, 50, 300, {}),
                 result = place(Space::psum, DType::bf16, 0, 50, 100, {});
    isa::TensorScalarReduce first;
    first.dst = dst;
    first.data = data;
    first.op0 = AluOp::subtract;
    first.operand0 = operand;
    first.reduce_op = fold;
    first.reduce_cmd = ReduceCommand::load_reduce;
    first.reduce_init = -0.5f;
    isa::TensorScalarReduce second = first;
    second.reduce_cmd = ReduceCommand::reduce;
    second.reduce_init = std::nullopt;
    second.reduce_res = result;
    second.reduce_res_negate = true;
    Image want = before;
    for (unsigned p = 0; p < 50; ++p) {
      float folded = -0.5f;
      for (unsigned pass = 0; pass < 2; ++pass)
        for (unsigned i = 0; i < 60; ++i) {
          const float y = want.get(data, p, i) - want.get(operand, p, 0);
          folded = apply(fold, folded, y);
          want.put(dst, p, i, y);
        }
      want.put(result, p, 0, -folded);
    }
    Lab chain(isa::Generation::v2);
    chain.then(Engine::vector, first).then(Engine::vector, second);
    checkSame(chain.run(before), want);
  }
}

TEST_CASE("range_select: indices between bounds, and the maximum of the row") {
  const Image before = randomImage(50);
  const Access data = place(Space::psum, DType::bf16, 0, 128, 2,
                            {{2, 10}, {40, 4}}),
               dst = place(Space::sbuf, DType::f16, 0, 128, 0, {{1, 40}}),
               low = place(Space::sbuf, DType::f32, 0, 128, 400, {}),
               high = place(Space::sbuf, DType::f32, 0, 128, 404, {}),
               result = place(Space::sbuf, DType::f32, 0, 128, 408, {});
  Image bounded = before;
  for (unsigned p = 0; p < 128; ++p) {
    bounded.put(low, p, 0, 100.0f + static_cast<float>(p) / 4);
    bounded.put(high, p, 0, 120.0f + static_cast<float>(p % 30));
  }
  for (const AluOp lower : {AluOp::greater, AluOp::greater_equal, AluOp::equal})
    for (const AluOp upper : {AluOp::less, AluOp::less_equal}) {
      isa::RangeSelect op;
      op.dst = dst;
      op.on_true_tile = data;
      op.comp_op0 = lower;
      op.comp_op1 = upper;
      op.bound0 = low;
      op.bound1 = high;
      op.reduce_res = result;
      op.range_start = 100;
      Image want = bounded;
      for (unsigned p = 0; p < 128; ++p) {
        float top = -INFINITY;
        for (unsigned i = 0; i < 40; ++i) {
          const float index = 100.0f + static_cast<float>(i);
          const bool holds = apply(lower, index, want.get(low, p, 0)) != 0 &&
                             apply(upper, index, want.get(high, p, 0)) != 0;
          const float y = holds ? want.get(data, p, i) : -3.4028235e38f;
          top = apply(AluOp::maximum, top, y);
          want.put(dst, p, i, y);
        }
        want.put(result, p, 0, top);
      }
      checkSame(after(bounded, Engine::vector, op, isa::Generation::v3), want);
    }
}

TEST_CASE("range_select: a masked row is -inf in small types, not in fp32") {
  Image image = rows({1, 2, 3});
  const Access bound = sbuf(DType::f32, 4, 1, 200);
  image.fill(bound, {-1});
  for (const DType type : {DType::bf16, DType::f16, DType::f8e4m3,
                           DType::f8e5m2, DType::f8e4m3fn}) {
    isa::RangeSelect op;
    op.dst = sbuf(type, 4, 3, 64);
    op.on_true_tile = tile;
    op.comp_op0 = op.comp_op1 = AluOp::less;
    op.bound0 = op.bound1 = bound;
    op.reduce_res = sum;
    Image result = after(image, Engine::vector, op);
    CHECK(result.get(sum, 0, 0) == -3.4028235e38f);
    for (const float y : result.read(op.dst)) {
      // A type without infinity has only its NaN.
      if (type == DType::f8e4m3fn)
        CHECK(std::isnan(y));
      else
        CHECK(y == -INFINITY);
    }
  }
}

TEST_CASE("idle leaves the Vector registers undefined") {
  const Image image = rows({1, 2, 3});
  isa::TensorScalarReduce start;
  start.dst = other;
  start.data = tile;
  start.op0 = AluOp::add;
  start.operand0 = 0.0f;
  start.reduce_op = AluOp::add;
  isa::TensorScalarReduce next = start;
  next.reduce_cmd = ReduceCommand::reduce;
  next.reduce_res = sum;
  isa::Exponential idle;
  idle.dst = other;
  idle.src = tile;
  Lab broken(isa::Generation::v4);
  broken.then(Engine::vector, start)
      .then(Engine::vector, idle)
      .then(Engine::vector, next);
  const sim::Result result = broken.tryRun(image);
  REQUIRE(result.fault);
  CHECK(result.fault->code == "KILN-X010");
  // The Scalar engine's are another file.
  isa::Activation scalar;
  scalar.dst = other;
  scalar.op = Function::copy;
  scalar.data = tile;
  Lab apart(isa::Generation::v4);
  apart.then(Engine::vector, start)
      .then(Engine::scalar, scalar)
      .then(Engine::vector, next);
  CHECK(apart.run(image).get(sum, 0, 0) == 12);
}

TEST_CASE("select_reduce takes predicates of every width") {
  unsigned seed = 60;
  for (const DType type : {DType::u8, DType::i8, DType::u16, DType::i16}) {
    Image before = randomImage(seed++);
    const Access predicate = place(Space::psum, type, 0, 32, 0, {{2, 40}}),
                 data = place(Space::sbuf, DType::f16, 32, 32, 0,
                              {{40, 1}, {1, 40}}),
                 dst = place(Space::sbuf, DType::f32, 64, 32, 0, {{1, 40}}),
                 fill = place(Space::sbuf, DType::f32, 96, 32, 0, {}),
                 result = place(Space::sbuf, DType::f32, 96, 32, 4, {});
    each(predicate, [&](unsigned p, std::uint64_t i) {
      if ((p + i) % 3)
        before.setBits(predicate, p, i, 0);
    });
    isa::SelectReduce op;
    op.dst = dst;
    op.predicate = predicate;
    op.on_true = data;
    op.on_false = fill;
    op.reduce_res = result;
    op.reduce_cmd = ReduceCommand::reset_reduce;
    op.reverse_pred = type == DType::i16;
    Image want = before;
    for (unsigned p = 0; p < 32; ++p) {
      float top = -INFINITY;
      for (unsigned i = 0; i < 40; ++i) {
        const bool holds = (want.bits(predicate, p, i) != 0) != op.reverse_pred;
        const float y = holds ? want.get(data, p, i) : want.get(fill, p, 0);
        top = apply(AluOp::maximum, top, y);
        want.put(dst, p, i, y);
      }
      want.put(result, p, 0, top);
    }
    checkSame(after(before, Engine::vector, op), want);
  }
}

TEST_CASE("tensor_copy_predicated changes some elements and keeps bits") {
  unsigned seed = 80;
  for (const DType type : numbers())
    for (const DType kind : {DType::u8, DType::u16, DType::u32}) {
      Image before = randomImage(seed++);
      const Access predicate = place(Space::sbuf, kind, 0, 64, 0, {{3, 30}}),
                   src = place(Space::psum, type, 64, 64, 0, {{2, 30}}),
                   dst = place(Space::sbuf, type, 64, 64, 1024, {{1, 30}});
      each(predicate, [&](unsigned p, std::uint64_t i) {
        if ((p ^ i) & 1)
          before.setBits(predicate, p, i, 0);
      });
      isa::TensorCopyPredicated op;
      op.dst = dst;
      op.src = src;
      op.predicate = predicate;
      op.reverse_pred = kind == DType::u16;
      Image want = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        if ((want.bits(predicate, p, i) != 0) != op.reverse_pred)
          want.setBits(dst, p, i, want.bits(src, p, i));
      });
      checkSame(after(before, Engine::vector, op), want);
      op.src = -2.75f;
      Image filled = before;
      each(dst, [&](unsigned p, std::uint64_t i) {
        if ((filled.bits(predicate, p, i) != 0) != op.reverse_pred)
          filled.setBits(dst, p, i, narrow(type, -2.75f));
      });
      checkSame(after(before, Engine::vector, op), filled);
    }
}
