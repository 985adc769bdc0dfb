//===- ElementwiseTest.cpp - Calls of element-wise instructions -----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::elementwise_test {

using nc::ActivationFunction;
using nc::AluOp;
using nc::ReduceCommand;

namespace {
constexpr std::size_t rows = 128, cols = 48;
constexpr std::size_t count = rows * cols;
const std::vector<Extents> two{{rows, cols}, {rows, cols}};
const std::vector<Extents> three{{rows, cols}, {rows, cols}, {rows, cols}};
} // namespace

KILN_INSTRUCTION(tensor_tensor) {
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values b = someValues(count, isa::DType::bf16, 2);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = rounded(f(a[i]) * f(b[i]), isa::DType::f16);
  for (const char *target : {"trn1", "trn2", "trn3"})
    checkSame(run<In<f32, 2>, In<bf16, 2>, Out<f16, 2>>(
                  target, three, {a, b},
                  [](auto x, auto y, auto z) {
                    auto t = sbuf<f16>(128_c, 48_c);
                    nc::tensor_tensor(t, load(x), load(y), AluOp::multiply,
                                      {.engine = nc::Engine::vector});
                    store(z, t);
                  })[0],
              want);
  // GpSimd: 32-bit integers are exact, and wrap.
  Values n = someValues(count, isa::DType::i32, 3), m = n;
  for (std::size_t i = 0; i < count; ++i) {
    n[i] = n[i] * 20000003;
    want[i] = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::int64_t>(n[i])) *
        static_cast<std::uint32_t>(static_cast<std::int64_t>(m[i])));
  }
  checkSame(run<In<i32, 2>, In<i32, 2>, Out<i32, 2>>(
                "trn2", three, {n, m},
                [](auto x, auto y, auto z) {
                  auto t = sbuf<i32>(128_c, 48_c);
                  nc::tensor_tensor(t, load(x), load(y), AluOp::multiply,
                                    {.engine = nc::Engine::gpsimd});
                  store(z, t);
                })[0],
            want);
  // Bits of 16-bit integers.
  const Values u = someValues(count, isa::DType::u16, 4);
  const Values v = someValues(count, isa::DType::i16, 5);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = static_cast<std::uint16_t>(static_cast<int>(u[i]) ^
                                         static_cast<int>(v[i]));
  checkSame(run<In<u16, 2>, In<i16, 2>, Out<u16, 2>>(
                "trn2", three, {u, v},
                [](auto x, auto y, auto z) {
                  auto t = sbuf<u16>(128_c, 48_c);
                  nc::tensor_tensor(t, load(x), load(y), AluOp::bitwise_xor);
                  store(z, t);
                })[0],
            want);
}

KILN_INSTRUCTION(tensor_scalar) {
  const Values a = someValues(count, isa::DType::f8e5m2, 1);
  const Values column = someValues(rows, isa::DType::f32, 2);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] =
        rounded(f(column[i / cols]) - f(a[i]) * 0.25f, isa::DType::f8e4m3);
  checkSame(run<In<f8e5m2, 2>, In<f32, 2>, Out<f8e4m3, 2>>(
                "trn2", {{rows, cols}, {rows, 1}, {rows, cols}}, {a, column},
                [](auto x, auto s, auto y) {
                  auto t = sbuf<f8e4m3>(128_c, 48_c);
                  nc::tensor_scalar(t, load(x), AluOp::multiply, 0.25,
                                    {.op1 = AluOp::subtract,
                                     .operand1 = load(s),
                                     .reverse1 = true});
                  store(y, t);
                })[0],
            want);
  // An integer immediate stays one: bitwise operators take it. ~(x << 3).
  const Values n = someValues(count, isa::DType::i32, 3);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = ~(static_cast<std::int32_t>(n[i]) * 8);
  checkSame(run<In<i32, 2>, Out<i32, 2>>("trn2", two, {n},
                                         [](auto x, auto y) {
                                           auto t = sbuf<i32>(128_c, 48_c);
                                           nc::tensor_scalar(
                                               t, load(x), AluOp::left_shift, 3,
                                               {.op1 = AluOp::invert});
                                           store(y, t);
                                         })[0],
            want);
}

KILN_INSTRUCTION(scalar_tensor_tensor) {
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values b = someValues(count, isa::DType::i8, 2);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = std::max(f(b[i]), 3.0f - f(a[i]));
  checkSame(run<In<f32, 2>, In<i8, 2>, Out<f32, 2>>(
                "trn2", three, {a, b},
                [](auto x, auto y, auto z) {
                  auto t = sbuf<f32>(128_c, 48_c);
                  nc::scalar_tensor_tensor(t, load(x), AluOp::subtract, 3.0,
                                           AluOp::maximum, load(y),
                                           {.reverse0 = true});
                  store(z, t);
                })[0],
            want);
}

KILN_INSTRUCTION(reciprocal) {
  const Values a = someValues(count, isa::DType::bf16, 1);
  Values want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = 1.0f / f(a[i]);
  checkSame(run<In<bf16, 2>, Out<f32, 2>>("trn1", two, {a},
                                          [](auto x, auto y) {
                                            auto t = sbuf<f32>(128_c, 48_c);
                                            nc::reciprocal(t, load(x));
                                            store(y, t);
                                          })[0],
            want);
}

KILN_INSTRUCTION(activation) {
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values bias = someValues(rows, isa::DType::f32, 2);
  Values want(count), sums(rows);
  for (std::size_t i = 0; i < count; ++i) {
    want[i] = std::exp(0.5 * a[i] + bias[i / cols]);
    sums[i / cols] += want[i];
  }
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn1", {{rows, cols}, {rows, 1}, {rows, cols}, {rows, 1}}, {a, bias},
      [](auto x, auto b, auto y, auto total) {
        auto t = sbuf<f32>(128_c, 48_c);
        auto sum = sbuf<f32>(128_c, 1_c);
        nc::activation(t, ActivationFunction::exp, load(x),
                       {.bias = load(b),
                        .scale = 0.5,
                        .reduce_op = AluOp::add,
                        .reduce_res = sum,
                        .reduce_cmd = ReduceCommand::reset_reduce});
        store(y, t);
        store(total, sum);
      });
  checkNear(out[0], want, 1e-6);
  checkNear(out[1], sums, 1e-5);
}

KILN_INSTRUCTION(activation_reduce) {
  const Values a = someValues(count, isa::DType::f16, 1);
  Values want(count), sums(rows);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = a[i] * 2;
    want[i] = rounded(x * x, isa::DType::bf16);
    sums[i / cols] += x * x; // before the rounding
  }
  const auto out = run<In<f16, 2>, Out<bf16, 2>, Out<f32, 2>>(
      "trn2", {{rows, cols}, {rows, cols}, {rows, 1}}, {a},
      [](auto x, auto y, auto total) {
        auto t = sbuf<bf16>(128_c, 48_c);
        auto sum = sbuf<f32>(128_c, 1_c);
        nc::activation_reduce(t, ActivationFunction::square, load(x),
                              {.reduce_res = sum, .scale = 2});
        store(y, t);
        store(total, sum);
      });
  checkSame(out[0], want);
  checkNear(out[1], sums, 1e-5);
}

KILN_INSTRUCTION(activate2) {
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values b = someValues(rows, isa::DType::f32, 2);
  Values want(count), most(rows, -1e30);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = f(b[i / cols]) - 0.5f * f(a[i]);
    want[i] = x >= 0 ? x : 0.25f * x;
    most[i / cols] = std::max(most[i / cols], want[i]);
  }
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn3", {{rows, cols}, {rows, 1}, {rows, cols}, {rows, 1}}, {a, b},
      [](auto x, auto c, auto y, auto best) {
        auto t = sbuf<f32>(128_c, 48_c);
        auto m = sbuf<f32>(128_c, 1_c);
        nc::activate2(t, ActivationFunction::prelu, load(x),
                      {.imm0 = 0.5,
                       .imm1 = load(c),
                       .op0 = AluOp::multiply,
                       .op1 = AluOp::subtract,
                       .relu_param = 0.25,
                       .reverse1 = true,
                       .reduce_op = AluOp::maximum,
                       .reduce_res = m,
                       .reduce_cmd = ReduceCommand::reset_reduce});
        store(y, t);
        store(best, m);
      });
  checkSame(out[0], want);
  checkSame(out[1], most);
}

KILN_INSTRUCTION(exponential) {
  const Values a = someValues(count, isa::DType::bf16, 1);
  const Values top = someValues(rows, isa::DType::f32, 2);
  Values want(count), sums(rows, 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    want[i] = std::exp(double(f(a[i]) - f(top[i / cols])));
    sums[i / cols] += want[i];
  }
  const auto out = run<In<bf16, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn3", {{rows, cols}, {rows, 1}, {rows, cols}, {rows, 1}}, {a, top},
      [](auto x, auto m, auto y, auto total) {
        auto t = sbuf<f32>(128_c, 48_c);
        auto sum = sbuf<f32>(128_c, 1_c);
        nc::exponential(t, load(x),
                        {.max_value = load(m),
                         .reduce_res = sum,
                         .reduce_cmd = ReduceCommand::load_reduce,
                         .reduce_init = 1.0});
        store(y, t);
        store(total, sum);
      });
  checkNear(out[0], want, 1e-6);
  checkNear(out[1], sums, 1e-5);
}

} // namespace kiln::test::elementwise_test
