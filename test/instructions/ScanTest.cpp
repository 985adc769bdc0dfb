//===- ScanTest.cpp - Calls of running reductions and recurrences ---------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

namespace kiln::test::scan_test {

using nc::AluOp;
using nc::ReduceCommand;

namespace {
constexpr std::size_t rows = 128, cols = 48;
constexpr std::size_t count = rows * cols;
} // namespace

KILN_INSTRUCTION(tensor_scalar_cumulative) {
  const Values a = someValues(count, isa::DType::bf16, 1);
  const Values begin = someValues(rows, isa::DType::f32, 2);
  Values want(count);
  for (std::size_t p = 0; p < rows; ++p) {
    float sum = f(begin[p]);
    for (std::size_t j = 0; j < cols; ++j)
      want[p * cols + j] = sum = f(a[p * cols + j]) * 0.5f + sum;
  }
  checkSame(
      run<In<bf16, 2>, In<f32, 2>, Out<f32, 2>>(
          "trn2", {{rows, cols}, {rows, 1}, {rows, cols}}, {a, begin},
          [](auto x, auto s, auto y) {
            auto t = sbuf<f32>(128_c, 48_c);
            nc::tensor_scalar_cumulative(
                t, load(x), AluOp::multiply, AluOp::add, 0.5,
                {.imm1 = load(s), .reduce_cmd = ReduceCommand::load_reduce});
            store(y, t);
          })[0],
      want);
}

KILN_INSTRUCTION(tensor_tensor_scan) {
  // A decay with new input: r = r * a + b, as in a state-space model.
  const Values a = someValues(count, isa::DType::f32, 1);
  const Values b = someValues(count, isa::DType::f32, 2);
  Values want(count);
  for (std::size_t p = 0; p < rows; ++p) {
    float r = 0.25f;
    for (std::size_t j = 0; j < cols; ++j)
      want[p * cols + j] = r = f(b[p * cols + j]) - f(a[p * cols + j]) * r;
  }
  checkSame(run<In<f32, 2>, In<f32, 2>, Out<f32, 2>>(
                "trn1", {{rows, cols}, {rows, cols}, {rows, cols}}, {a, b},
                [](auto x, auto y, auto z) {
                  auto t = sbuf<f32>(128_c, 48_c);
                  nc::tensor_tensor_scan(t, load(x), load(y), 0.25,
                                         AluOp::multiply, AluOp::subtract,
                                         {.reverse1 = true});
                  store(z, t);
                })[0],
            want);
}

} // namespace kiln::test::scan_test
