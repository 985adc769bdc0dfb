//===- ReductionTest.cpp - Calls of reductions and statistics -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::reduction_test {

using nc::AluOp;
using nc::ReduceCommand;

namespace {
constexpr std::size_t rows = 128, cols = 48;
constexpr std::size_t count = rows * cols;
} // namespace

KILN_INSTRUCTION(tensor_reduce) {
  const Values a = someValues(count, isa::DType::f32);
  Values want(rows * 4, -1e30);
  for (std::size_t i = 0; i < count; ++i) {
    double &most = want[i / cols * 4 + i % cols / 12];
    most = std::max(most, a[i]);
  }
  for (double &value : want)
    value = -value;
  checkSame(run<In<f32, 2>, Out<f32, 2>>(
                "trn1", {{rows, cols}, {rows, 4}}, {a},
                [](auto x, auto y) {
                  auto t = sbuf<f32>(128_c, 4_c);
                  nc::tensor_reduce(t, AluOp::maximum,
                                    load(x).reshape(128_c, 4_c, 12_c),
                                    {.negate = true});
                  store(y, t);
                })[0],
            want);
  // Bits of integers, two dimensions at once.
  const Values n = someValues(count, isa::DType::u8);
  Values any(rows, 0.0);
  for (std::size_t i = 0; i < count; ++i)
    any[i / cols] = static_cast<int>(any[i / cols]) | static_cast<int>(n[i]);
  checkSame(run<In<u8, 2>, Out<u8, 2>>("trn2", {{rows, cols}, {rows, 1}}, {n},
                                       [](auto x, auto y) {
                                         auto t = sbuf<u8>(128_c, 1_c);
                                         nc::tensor_reduce(
                                             t, AluOp::bitwise_or,
                                             load(x).reshape(128_c, 6_c, 8_c),
                                             {.axes = 2});
                                         store(y, t);
                                       })[0],
            any);
}

KILN_INSTRUCTION(tensor_partition_reduce) {
  const Values a = someValues(count, isa::DType::bf16);
  Values want(cols);
  for (std::size_t j = 0; j < cols; ++j) {
    float sum = 0;
    for (std::size_t p = 0; p < rows; ++p)
      sum += f(a[p * cols + j]);
    want[j] = sum / static_cast<float>(rows);
  }
  checkNear(run<In<bf16, 2>, Out<f32, 2>>(
                "trn1", {{rows, cols}, {1, cols}}, {a},
                [](auto x, auto y) {
                  auto t = sbuf<f32>(1_c, 48_c);
                  nc::tensor_partition_reduce(t, AluOp::average, load(x));
                  store(y, t);
                })[0],
            want, 1e-6);
}

KILN_INSTRUCTION(tensor_scalar_reduce) {
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values s = someValues(rows, isa::DType::f32, 2);
  Values want(count), most(rows, -1.0);
  for (std::size_t i = 0; i < count; ++i) {
    want[i] = f(a[i]) * f(s[i / cols]);
    most[i / cols] = std::max(most[i / cols], want[i]);
  }
  for (double &value : most)
    value = -value;
  const auto out = run<In<f32, 2>, In<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
      "trn2", {{rows, cols}, {rows, 1}, {rows, cols}, {rows, 1}}, {a, s},
      [](auto x, auto column, auto y, auto best) {
        auto t = sbuf<f32>(128_c, 48_c);
        auto m = sbuf<f32>(128_c, 1_c);
        nc::tensor_scalar_reduce(t, load(x), AluOp::multiply, load(column),
                                 AluOp::maximum,
                                 {.reduce_res = m,
                                  .reduce_cmd = ReduceCommand::load_reduce,
                                  .reduce_init = -1.0,
                                  .reduce_res_negate = true});
        store(y, t);
        store(best, m);
      });
  checkSame(out[0], want);
  checkSame(out[1], most);
}

KILN_INSTRUCTION(bn_stats) {
  const Values a = someValues(rows * 7, isa::DType::f32);
  Values want(rows * 6);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t odd = 0; odd < 2; ++odd) {
      double n = 0, sum = 0, squares = 0;
      for (std::size_t j = odd; j < 7; j += 2, ++n)
        sum += a[p * 7 + j];
      for (std::size_t j = odd; j < 7; j += 2)
        squares += std::pow(a[p * 7 + j] - sum / n, 2);
      want[p * 6 + odd * 3] = n;
      want[p * 6 + odd * 3 + 1] = sum / n;
      want[p * 6 + odd * 3 + 2] = squares;
    }
  checkNear(run<In<f32, 2>, Out<f32, 2>>("trn1", {{rows, 7}, {rows, 6}}, {a},
                                         [](auto x, auto y) {
                                           auto t = sbuf<f32>(128_c, 6_c);
                                           nc::bn_stats(t, load(x));
                                           store(y, t);
                                         })[0],
            want, 1e-6);
}

KILN_INSTRUCTION(bn_aggr) {
  const Values a = someValues(count, isa::DType::f32);
  Values want(rows * 2);
  for (std::size_t p = 0; p < rows; ++p) {
    double sum = 0, squares = 0;
    for (std::size_t j = 0; j < cols; ++j)
      sum += a[p * cols + j];
    for (std::size_t j = 0; j < cols; ++j)
      squares += std::pow(a[p * cols + j] - sum / cols, 2);
    want[p * 2] = sum / cols;
    want[p * 2 + 1] = squares / cols;
  }
  checkNear(run<In<f32, 2>, Out<f32, 2>>(
                "trn2", {{rows, cols}, {rows, 2}}, {a},
                [](auto x, auto y) {
                  auto t = load(x);
                  auto parts = sbuf<f32>(128_c, 12_c);
                  nc::bn_stats(parts.cols(0, 6_c), t.cols(0, 24_c));
                  nc::bn_stats(parts.cols(1, 6_c), t.cols(1, 24_c));
                  auto both = sbuf<f32>(128_c, 2_c);
                  nc::bn_aggr(both, parts);
                  store(y, both);
                })[0],
            want, 1e-6);
}

TEST_CASE("two engines that divide a maximum make the bits of one") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  constexpr std::size_t wide = 512, part = wide / 16;
  Values a = someValues(rows * wide, isa::DType::f32);
  const auto at = [&](std::size_t row, std::size_t col) -> double & {
    return a[row * wide + col];
  };
  // Zeros of both signs, NaN and infinities on either side of the cut.
  for (std::size_t j = 0; j < wide; ++j) {
    at(0, j) = j < wide - part ? -0.0 : 0.0;
    at(1, j) = j < wide - part ? 0.0 : -0.0;
    at(6, j) = -infinite;
    at(7, j) = nan;
  }
  at(2, 0) = at(3, wide - 1) = nan;
  at(4, 0) = at(5, wide - 1) = infinite;
  for (const AluOp extreme : {AluOp::maximum, AluOp::minimum}) {
    const auto results =
        run<In<f32, 2>, Out<f32, 2>, Out<f32, 2>, Out<f32, 2>, Out<f32, 2>>(
            "trn3",
            {{rows, wide}, {rows, wide}, {rows, 1}, {rows, wide}, {rows, 1}},
            {a}, [&](auto x, auto whole, auto one, auto divided, auto two) {
              auto t = load(x);
              const auto byScalar = [&](auto y, auto in, auto most) {
                nc::activate2(y, nc::ActivationFunction::copy, in,
                              {.imm0 = 0.125f,
                               .op0 = AluOp::multiply,
                               .reduce_op = extreme,
                               .reduce_res = most,
                               .reduce_cmd = ReduceCommand::reset_reduce});
              };
              auto y = sbuf<f32>(128_c, 512_c), z = sbuf<f32>(128_c, 512_c);
              auto all = sbuf<f32>(128_c, 1_c), first = sbuf<f32>(128_c, 1_c),
                   last = sbuf<f32>(128_c, 1_c), both = sbuf<f32>(128_c, 1_c);
              byScalar(y, t, all);
              byScalar(z.cols_at(0, 480_c), t.cols_at(0, 480_c), first);
              nc::tensor_scalar_reduce(z.cols_at(480, 32_c),
                                       t.cols_at(480, 32_c), AluOp::multiply,
                                       0.125f, extreme, {.reduce_res = last});
              nc::tensor_tensor(both, first, last, extreme);
              store(whole, y);
              store(one, all);
              store(divided, z);
              store(two, both);
            });
    checkSame(results[2], results[0]);
    checkSame(results[3], results[1]);
  }
}

} // namespace kiln::test::reduction_test
